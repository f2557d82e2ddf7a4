package segment

import (
	"encoding/binary"

	"blue/errors"
)

// Segment is an immutable index of some documents: a sorted table of terms, and
// for each the documents that hold it. It is one run of bytes, the same in memory
// and in a file (format.go), and nothing of it is decoded before it is asked for.
//
// The data of a term is its head (the number of documents that hold it, and of titles), its
// postings and its positions. Postings are blocks of blockSize documents. A term with more
// than one block has a table of three numbers a block before them (last document, offset of
// its postings, offset of its positions), by which a reader skips. A posting is the distance
// from the document before, shifted by two, with bit 0 set when the number of occurrences
// follows and bit 1 when that in the title does.
//
// Reading a damaged segment may panic, which [CatchFaults] turns into an error.
type Segment struct {
	Docs    int
	texts   []byte // what is kept of documents, see rows.go
	places  []byte // where the texts of each document begin
	records []byte
	lengths []byte // words of each document
	titles  []byte // words of each title
	entries []byte // the table of terms, see terms.go
	terms   []byte
	data    []byte
	gone    []byte // documents of the base that are no more, ascending
	parent  uint32 // the checksum of the base
}

// Terms of several kinds share one table; their first byte tells them apart.
const (
	IDTerm    = "i" // the folded id
	KeyTerm   = "k" // of the caller
	StemTerm  = "s"
	TitleTerm = "t" // a whole title, as key
	WordTerm  = "w" // words, pieces and compounds; the only ones with positions
)

const (
	blockSize = 128
	skipSize  = 12
)

// errDamaged says that the bytes of a segment are not to be trusted.
var errDamaged = errors.New("the segment is damaged")

// Length is how many words a document has.
func (s *Segment) Length(doc uint32) uint32 { return numberAt(s.lengths, int(doc)) }

// TitleLength is how many words its title has.
func (s *Segment) TitleLength(doc uint32) uint32 { return numberAt(s.titles, int(doc)) }

// numberAt is the i-th of a column of numbers.
func numberAt(column []byte, i int) uint32 { return binary.LittleEndian.Uint32(column[4*i:]) }

// decodeHead returns how many documents hold a term, how many in the title, and the rest
// of the term's data.
func decodeHead(data []byte) (docs, titles int, rest []byte) {
	n, rest := uvarint(data)
	t, rest := uvarint(rest)
	return int(n), int(t), rest
}
