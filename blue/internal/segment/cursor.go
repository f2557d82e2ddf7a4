package segment

import (
	"encoding/binary"
	"math"
	"sort"
)

// Cursor reads the postings of one term in ascending order of documents.
type Cursor struct {
	Count            int
	blocks           int
	data             []byte // table, postings and positions
	block            int    // the current one
	n, i             int    // number of postings in the block; index of the current one
	docs             [blockSize]uint32
	times            [blockSize]uint32 // occurrences in the whole text
	titles           [blockSize]uint32 // occurrences in the title
	positioned       int               // postings of the block whose positions have been passed
	nextPositions    []byte            // starts with the positions of the next posting
	currentPositions []uint32          // positions of the posting before positioned
}

// NewCursor returns a cursor for the term with that data. It is positioned before the first
// document.
func NewCursor(data []byte) *Cursor {
	c := &Cursor{}
	c.OpenTerm(data)
	return c
}

// OpenTerm resets the cursor to another term.
func (c *Cursor) OpenTerm(data []byte) {
	c.Count, _, c.data = decodeHead(data)
	c.blocks = (c.Count + blockSize - 1) / blockSize
	c.block, c.n, c.i = -1, 0, 0
}

// Next moves to the next document that holds the term. The first call moves to the first one.
func (c *Cursor) Next() bool {
	if c.i++; c.i < c.n {
		return true
	}
	return c.loadBlock(c.block + 1)
}

// Doc returns the current document.
func (c *Cursor) Doc() uint32 { return c.docs[c.i] }

// Frequency returns the number of occurrences of the term in the current document.
func (c *Cursor) Frequency() uint32 { return c.times[c.i] }

// TitleFrequency returns the number of occurrences of the term in the title.
func (c *Cursor) TitleFrequency() uint32 { return c.titles[c.i] }

// skipEntry returns one row of the table of blocks.
func (c *Cursor) skipEntry(block int) (lastDoc, postings, positions uint32) {
	line := c.data[skipSize*block:]
	return binary.LittleEndian.Uint32(line), binary.LittleEndian.Uint32(line[4:]), binary.LittleEndian.Uint32(line[8:])
}

// loadBlock decodes a block. It returns false if there is none.
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

// uvarint decodes a number and returns the bytes after it.
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

// Seek moves forward to a document and reports whether it holds the term.
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

// Positions returns the positions of the term in the current document. The result is valid until
// the next call.
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

// restOfPositions returns the encoded positions from those in the current document on, which must
// not have been read yet.
func (c *Cursor) restOfPositions() []byte {
	rest := c.nextPositions
	for ; c.positioned < c.i; c.positioned++ {
		rest = skipNumbers(rest, c.times[c.positioned])
	}
	return rest
}

// encodedPositions is like [Cursor.Positions] without decoding. It must be called only once per
// document.
func (c *Cursor) encodedPositions() []byte {
	own := c.restOfPositions()
	c.nextPositions = skipNumbers(own, c.times[c.i])
	c.positioned++
	return own[:len(own)-len(c.nextPositions)]
}

// skipNumbers returns the bytes after n encoded numbers.
func skipNumbers(b []byte, n uint32) []byte {
	for ; n > 0; n-- {
		_, b = uvarint(b)
	}
	return b
}
