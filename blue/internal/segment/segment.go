package segment

import (
	"encoding/binary"

	"blue/errors"
)

// Segment is an immutable index of some documents: a sorted table of terms, and for each term the
// documents that hold it. It is one sequence of bytes, the same in memory and in a file
// (format.go), and is decoded only on demand.
//
// The data of a term is its head (the number of documents that hold it, and of titles), its
// postings and its positions. Postings are stored in blocks of blockSize documents. If a term has
// more than one block, a table with three numbers per block precedes them (last document, offset of
// its postings, offset of its positions), which lets a reader skip blocks. A posting is the
// difference to the number of the previous document, shifted by two, with bit 0 set if the number
// of occurrences follows and bit 1 if the number of those in the title follows.
//
// Reading a damaged segment may panic; [CatchFaults] converts that into an error.
type Segment struct {
	Docs    int
	texts   []byte // texts of the rows, see rows.go
	places  []byte // offset of the texts of each document
	records []byte
	lengths []byte // number of words of each document
	titles  []byte // number of words of each title
	entries []byte // the table of terms, see terms.go
	terms   []byte
	data    []byte
	filter  termFilter
	gone    []byte // documents of the base that are replaced or dropped, ascending
	parent  uint32 // the checksum of the base
}

// Terms of several kinds share one table; their first byte is the kind.
const (
	IDTerm      = "i" // the folded id
	KeyTerm     = "k" // a key of the caller
	ReplaceTerm = "r" // the name of a document that is replaced
	StemTerm    = "s"
	TitleTerm   = "t" // a whole title, as returned by words.TitleKey
	WordTerm    = "w" // words, pieces and compounds; only these have positions
)

const (
	blockSize = 128
	skipSize  = 12
)

// errDamaged reports that the bytes of a segment are not valid.
var errDamaged = errors.New("the segment is damaged")

// Length returns the number of words of a document.
func (s *Segment) Length(doc uint32) uint32 { return numberAt(s.lengths, int(doc)) }

// TitleLength returns the number of words of its title.
func (s *Segment) TitleLength(doc uint32) uint32 { return numberAt(s.titles, int(doc)) }

// numberAt returns the i-th number of a column.
func numberAt(column []byte, i int) uint32 { return binary.LittleEndian.Uint32(column[4*i:]) }

// decodeHead returns the number of documents that hold a term, the number of those with the term in
// the title, and the rest of the term's data.
func decodeHead(data []byte) (docs, titles int, rest []byte) {
	n, rest := uvarint(data)
	t, rest := uvarint(rest)
	return int(n), int(t), rest
}
