package segment

import (
	"encoding/binary"
	"math"
	"sort"
)

// Cursor reads the postings of one term, forward.
type Cursor struct {
	Count            int
	blocks           int
	data             []byte // table, postings and positions
	block            int    // the loaded one
	n, i             int    // postings in the block; the current one
	docs             [blockSize]uint32
	times            [blockSize]uint32 // occurrences in the whole text
	titles           [blockSize]uint32 // and in the title
	positioned       int               // postings of the block whose positions lie behind
	nextPositions    []byte            // where the next ones begin
	currentPositions []uint32          // positions in the document before positioned
}

// NewCursor returns a cursor before the first document that holds a term, of which it is
// given the data.
func NewCursor(data []byte) *Cursor {
	c := &Cursor{}
	c.OpenTerm(data)
	return c
}

// OpenTerm begins anew with another term.
func (c *Cursor) OpenTerm(data []byte) {
	c.Count, _, c.data = decodeHead(data)
	c.blocks = (c.Count + blockSize - 1) / blockSize
	c.block, c.n, c.i = -1, 0, 0
}

// Next goes to the next document that holds the term, at first to the first one.
func (c *Cursor) Next() bool {
	if c.i++; c.i < c.n {
		return true
	}
	return c.loadBlock(c.block + 1)
}

// Doc is the current document.
func (c *Cursor) Doc() uint32 { return c.docs[c.i] }

// Frequency is how often the term occurs in the current document.
func (c *Cursor) Frequency() uint32 { return c.times[c.i] }

// TitleFrequency is how often it occurs in the title.
func (c *Cursor) TitleFrequency() uint32 { return c.titles[c.i] }

// skipEntry returns one line of the table of blocks.
func (c *Cursor) skipEntry(block int) (lastDoc, postings, positions uint32) {
	line := c.data[skipSize*block:]
	return binary.LittleEndian.Uint32(line), binary.LittleEndian.Uint32(line[4:]), binary.LittleEndian.Uint32(line[8:])
}

// loadBlock decodes a block; false when there is none.
func (c *Cursor) loadBlock(block int) bool {
	if block >= c.blocks {
		c.i, c.n = 0, 0
		return false
	}
	doc := uint32(math.MaxUint32) // one before the first
	rest := c.data
	var positions uint32
	if c.blocks > 1 {
		if block > 0 {
			doc, _, _ = c.skipEntry(block - 1)
		}
		var postings uint32
		_, postings, positions = c.skipEntry(block)
		rest = c.data[postings:]
	}
	c.block, c.i, c.positioned = block, 0, 0
	c.n = min(blockSize, c.Count-block*blockSize)
	for i := range c.n {
		var head uint32
		head, rest = uvarint(rest)
		doc += head >> 2
		c.docs[i], c.times[i], c.titles[i] = doc, 1, 0
		if head&1 != 0 {
			c.times[i], rest = uvarint(rest)
		}
		if head&2 != 0 {
			c.titles[i], rest = uvarint(rest)
		}
	}
	if c.nextPositions = rest; c.blocks > 1 {
		c.nextPositions = c.data[positions:]
	}
	return true
}

// uvarint decodes a number and returns what follows it.
func uvarint(b []byte) (uint32, []byte) {
	if b[0] < 0x80 {
		return uint32(b[0]), b[1:]
	}
	n, size := binary.Uvarint(b)
	if size <= 0 {
		panic(errDamaged)
	}
	return uint32(n), b[size:]
}

// Seek moves forward to a document and reports whether the term is in it.
func (c *Cursor) Seek(doc uint32) bool {
	if c.block < 0 || c.n > 0 && c.docs[c.n-1] < doc {
		next := c.block + 1
		if c.blocks > 1 {
			next += sort.Search(c.blocks-next, func(i int) bool { lastDoc, _, _ := c.skipEntry(next + i); return lastDoc >= doc })
		}
		if !c.loadBlock(next) {
			return false
		}
	}
	for c.i < c.n && c.docs[c.i] < doc {
		c.i++
	}
	return c.i < c.n && c.docs[c.i] == doc
}

// Positions returns those of the term in the current document, until the next
// call.
func (c *Cursor) Positions() []uint32 {
	if c.positioned > c.i {
		return c.currentPositions
	}
	rest := c.restOfPositions()
	c.currentPositions = c.currentPositions[:0]
	place := uint32(0)
	for n := c.times[c.i]; n > 0; n-- {
		var step uint32
		step, rest = uvarint(rest)
		place += step
		c.currentPositions = append(c.currentPositions, place)
	}
	c.positioned++
	c.nextPositions = rest
	return c.currentPositions
}

// restOfPositions begins with the positions in the current document, which were not read.
func (c *Cursor) restOfPositions() []byte {
	rest := c.nextPositions
	for ; c.positioned < c.i; c.positioned++ {
		rest = skipNumbers(rest, c.times[c.positioned])
	}
	return rest
}

// encodedPositions is [Cursor.Positions] as they are encoded, once for a document.
func (c *Cursor) encodedPositions() []byte {
	own := c.restOfPositions()
	c.nextPositions = skipNumbers(own, c.times[c.i])
	c.positioned++
	return own[:len(own)-len(c.nextPositions)]
}

// skipNumbers returns what follows n encoded numbers.
func skipNumbers(b []byte, n uint32) []byte {
	for ; n > 0; n-- {
		_, b = uvarint(b)
	}
	return b
}
