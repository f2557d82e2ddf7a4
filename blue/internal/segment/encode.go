package segment

import (
	"encoding/binary"
	"math"
	"slices"
)

// posting is a document that holds a term, while a segment is built.
type posting struct {
	doc, times, inTitle uint32
	positions           []byte // encoded; for words only
}

// encoder encodes the data of terms; see segment.go.
type encoder struct {
	data, postings, table []byte
	parts                 [][]byte
}

// encodePostings returns the data of a term in parts, which are valid until the next call.
// Positions are not copied, because those of a word that occurs in many long notes are large.
func (e *encoder) encodePostings(l []posting) (parts [][]byte) {
	e.postings, e.table, e.parts = e.postings[:0], e.table[:0], append(e.parts[:0], nil)
	before, size, titles := uint32(math.MaxUint32), 0, uint64(0)
	for block := range slices.Chunk(l, blockSize) {
		e.table = binary.LittleEndian.AppendUint32(e.table, block[len(block)-1].doc)
		e.table = binary.LittleEndian.AppendUint32(e.table, uint32(len(e.postings)))
		e.table = binary.LittleEndian.AppendUint32(e.table, uint32(size))
		for _, p := range block {
			e.postings = appendPosting(e.postings, p, before)
			titles += uint64(min(p.inTitle, 1))
			if before = p.doc; len(p.positions) > 0 {
				e.parts, size = append(e.parts, p.positions), size+len(p.positions)
			}
		}
	}
	e.data = binary.AppendUvarint(binary.AppendUvarint(e.data[:0], uint64(len(l))), titles)
	if len(e.table) > skipSize {
		for line := range slices.Chunk(e.table, skipSize) {
			addOffset(line[4:], len(e.table))
			addOffset(line[8:], len(e.table)+len(e.postings))
		}
		e.data = append(e.data, e.table...)
	}
	e.data = append(e.data, e.postings...)
	e.parts[0] = e.data
	return e.parts
}

func addOffset(number []byte, by int) {
	binary.LittleEndian.PutUint32(number, binary.LittleEndian.Uint32(number)+uint32(by))
}

func appendPosting(to []byte, p posting, before uint32) []byte {
	head := (p.doc - before) << 2
	if p.times > 1 {
		head |= 1
	}
	if p.inTitle > 0 {
		head |= 2
	}
	to = binary.AppendUvarint(to, uint64(head))
	if p.times > 1 {
		to = binary.AppendUvarint(to, uint64(p.times))
	}
	if p.inTitle > 0 {
		to = binary.AppendUvarint(to, uint64(p.inTitle))
	}
	return to
}
