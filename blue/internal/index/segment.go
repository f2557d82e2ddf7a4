package index

import (
	"encoding/binary"
	"sort"
	"strings"
)

// segment is an immutable index of some documents: a sorted table of terms, and
// for each the documents that hold it. Its parts are plain bytes and numbers, so
// that a mapped file can stand in for them.
//
// Postings of a term are blocks of blockSize documents; a term with more than
// one block begins with a table of three numbers a block (last document, offset
// of its postings, offset of its positions), by which a reader skips. A posting is
// the distance from the document before, shifted by two, with bit 0 set when the
// number of occurrences follows and bit 1 when that in the title does.
type segment struct {
	rows      []Row    // sorted by name; the ordinal is the document's number
	lengths   []uint32 // words of each document
	titles    []uint32 // words of each title
	terms     []entry  // sorted, and one more that ends the last
	text      string   // the terms, one after another
	postings  []byte
	positions []byte
}

// entry says where a term is.
type entry struct {
	text, postings, positions uint32 // offsets
	count, titles             uint32 // documents; those with the term in the title
}

// Terms of several kinds share one table; their first byte tells them apart.
const (
	idTerm    = "i" // the folded id
	keyTerm   = "k" // of the caller
	stemTerm  = "s"
	titleTerm = "t" // a whole title, as key
	wordTerm  = "w" // words, pieces and compounds; the only ones with positions
)

const blockSize = 128

// search returns the ordinal of the first term that is not less than key.
func (s *segment) search(key string) int {
	return sort.Search(len(s.terms)-1, func(i int) bool { return s.term(i) >= key })
}

func (s *segment) term(i int) string {
	return s.text[s.terms[i].text:s.terms[i+1].text]
}

// find returns the ordinal of a term, -1 when it is not there.
func (s *segment) find(key string) int {
	if i := s.search(key); i < len(s.terms)-1 && s.term(i) == key {
		return i
	}
	return -1
}

// number returns the number of the document with the file name.
func (s *segment) number(name string) (uint32, bool) {
	i, ok := sort.Find(len(s.rows), func(i int) int { return strings.Compare(name, s.rows[i].Name) })
	return uint32(i), ok
}

// cursor reads the postings of one term, forward.
type cursor struct {
	s          *segment
	e          entry
	blocks     int
	block      int // the loaded one
	n, i       int // postings in the block; the current one
	docs       [blockSize]uint32
	times      [blockSize]uint32 // occurrences in the whole text
	titles     [blockSize]uint32 // and in the title
	placed     int               // postings of the block whose positions lie behind
	placeStart uint32            // where the next ones begin
	held       []uint32          // positions in the document before placed
}

func (s *segment) cursor(term int) *cursor {
	c := &cursor{s: s, e: s.terms[term], block: -1}
	c.blocks = (int(c.e.count) + blockSize - 1) / blockSize
	return c
}

// skip returns one line of the table of blocks.
func (c *cursor) skip(block int) (lastDoc, postings, positions uint32) {
	if c.blocks == 1 {
		return c.e.count, c.e.postings, c.e.positions
	}
	line := c.s.postings[int(c.e.postings)+12*block:]
	return binary.LittleEndian.Uint32(line), c.e.postings + binary.LittleEndian.Uint32(line[4:]), c.e.positions + binary.LittleEndian.Uint32(line[8:])
}

// load decodes a block; false when there is none.
func (c *cursor) load(block int) bool {
	if block >= c.blocks {
		c.i, c.n = 0, 0
		return false
	}
	doc := uint32(0xffffffff) // one before the first
	if block > 0 {
		doc, _, _ = c.skip(block - 1)
	}
	_, start, places := c.skip(block)
	c.block, c.i, c.placed, c.placeStart = block, 0, 0, places
	c.n = min(blockSize, int(c.e.count)-block*blockSize)
	rest := c.s.postings[start:]
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
	return true
}

// uvarint decodes a number and returns what follows it.
func uvarint(b []byte) (uint32, []byte) {
	if b[0] < 0x80 {
		return uint32(b[0]), b[1:]
	}
	n, size := binary.Uvarint(b)
	return uint32(n), b[size:]
}

// seek moves forward to a document and reports whether the term is in it.
func (c *cursor) seek(doc uint32) bool {
	if c.block < 0 || c.n > 0 && c.docs[c.n-1] < doc {
		next := c.block + 1
		if c.blocks > 1 {
			next += sort.Search(c.blocks-next, func(i int) bool { lastDoc, _, _ := c.skip(next + i); return lastDoc >= doc })
		}
		if !c.load(next) {
			return false
		}
	}
	for c.i < c.n && c.docs[c.i] < doc {
		c.i++
	}
	return c.i < c.n && c.docs[c.i] == doc
}

// places returns the positions of the term in the current document, until the
// next call.
func (c *cursor) places() []uint32 {
	if c.placed > c.i {
		return c.held
	}
	rest := c.s.positions[c.placeStart:]
	size := len(rest)
	for ; c.placed < c.i; c.placed++ {
		for n := c.times[c.placed]; n > 0; n-- {
			_, rest = uvarint(rest)
		}
	}
	c.held = c.held[:0]
	place := uint32(0)
	for n := c.times[c.i]; n > 0; n-- {
		var step uint32
		step, rest = uvarint(rest)
		place += step
		c.held = append(c.held, place)
	}
	c.placed++
	c.placeStart += uint32(size - len(rest))
	return c.held
}
