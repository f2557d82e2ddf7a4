package index

import (
	"encoding/binary"
	"math"
	"sort"

	"blue/errors"
)

// segment is an immutable index of some documents: a sorted table of terms, and
// for each the documents that hold it. It is one run of bytes, the same in memory
// and in a file (format.go), and nothing of it is decoded before it is asked for.
//
// The data of a term is its head (the number of documents, doubled, and one more
// when the number of those that have it in the title follows), its postings, its
// positions. Postings are blocks of blockSize documents; a term with more than
// one block has a table of three numbers a block before them (last document,
// offset of its postings, offset of its positions), by which a reader skips. A
// posting is the distance from the document before, shifted by two, with bit 0
// set when the number of occurrences follows and bit 1 when that in the title does.
//
// A reader trusts no number: what does not fit panics, and [snapshot.readGuarded] takes the
// panic for what it is, a damaged file.
type segment struct {
	docs    int
	texts   []byte // what is kept of documents, see rows.go
	records []byte
	lengths []byte // words of each document
	titles  []byte // words of each title
	entries []byte // the table of terms, see terms.go
	terms   []byte
	data    []byte
	gone    []byte   // documents of the base that are no more, ascending
	parent  uint32   // the checksum of the base
	marks   []string // the first term of every markStep-th block, of a mapped segment: what a search for terms looks at first
}

// Terms of several kinds share one table; their first byte tells them apart.
const (
	idTerm    = "i" // the folded id
	keyTerm   = "k" // of the caller
	stemTerm  = "s"
	titleTerm = "t" // a whole title, as key
	wordTerm  = "w" // words, pieces and compounds; the only ones with positions
)

const (
	blockSize = 128
	skipSize  = 12
)

// ErrDamaged says that files of the index were not to be trusted. They are given up
// by then.
var ErrDamaged = errors.New("the index is damaged")

func (s *segment) length(doc uint32) uint32      { return numberAt(s.lengths, int(doc)) }
func (s *segment) titleLength(doc uint32) uint32 { return numberAt(s.titles, int(doc)) }

// numberAt is the i-th of a column of numbers.
func numberAt(column []byte, i int) uint32 { return binary.LittleEndian.Uint32(column[4*i:]) }

// decodeHead returns how many documents hold a term, how many in the title, and the rest
// of the term's data.
func decodeHead(data []byte) (docs, titles int, rest []byte) {
	n, rest := uvarint(data)
	if n&1 != 0 {
		var t uint32
		t, rest = uvarint(rest)
		titles = int(t)
	}
	return int(n >> 1), titles, rest
}

// cursor reads the postings of one term, forward.
type cursor struct {
	count            int
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

func newCursor(data []byte) *cursor {
	c := &cursor{}
	c.openTerm(data)
	return c
}

func (c *cursor) openTerm(data []byte) {
	c.count, _, c.data = decodeHead(data)
	c.blocks = (c.count + blockSize - 1) / blockSize
	c.block, c.n, c.i = -1, 0, 0
}

// next goes to the next document that holds the term, at first to the first one.
func (c *cursor) next() bool {
	if c.i++; c.i < c.n {
		return true
	}
	return c.loadBlock(c.block + 1)
}

// doc is the current document.
func (c *cursor) doc() uint32 { return c.docs[c.i] }

// frequency is how often the term occurs in the current document.
func (c *cursor) frequency() uint32 { return c.times[c.i] }

// titleFrequency is how often it occurs in the title.
func (c *cursor) titleFrequency() uint32 { return c.titles[c.i] }

// skipEntry returns one line of the table of blocks.
func (c *cursor) skipEntry(block int) (lastDoc, postings, positions uint32) {
	line := c.data[skipSize*block:]
	return binary.LittleEndian.Uint32(line), binary.LittleEndian.Uint32(line[4:]), binary.LittleEndian.Uint32(line[8:])
}

// loadBlock decodes a block; false when there is none.
func (c *cursor) loadBlock(block int) bool {
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
	c.n = min(blockSize, c.count-block*blockSize)
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
		panic(ErrDamaged)
	}
	return uint32(n), b[size:]
}

// seek moves forward to a document and reports whether the term is in it.
func (c *cursor) seek(doc uint32) bool {
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

// positions returns those of the term in the current document, until the next
// call.
func (c *cursor) positions() []uint32 {
	if c.positioned > c.i {
		return c.currentPositions
	}
	rest := c.nextPositions
	for ; c.positioned < c.i; c.positioned++ {
		for n := c.times[c.positioned]; n > 0; n-- {
			_, rest = uvarint(rest)
		}
	}
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
