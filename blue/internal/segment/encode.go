package segment

import (
	"encoding/binary"
	"slices"
)

// postingList is the postings of one term while a segment is made.
type postingList struct {
	postings  []posting
	positions []uint32 // of all postings, one after another; of words only when they are written
	encoded   [][]byte // of each posting, as another segment has them, in place of positions
}

// The postings of interleaved segments are brought in the order of documents by [sort.Sort].
func (l *postingList) Len() int           { return len(l.postings) }
func (l *postingList) Less(i, j int) bool { return l.postings[i].doc < l.postings[j].doc }

func (l *postingList) Swap(i, j int) {
	l.postings[i], l.postings[j] = l.postings[j], l.postings[i]
	if len(l.encoded) > 0 {
		l.encoded[i], l.encoded[j] = l.encoded[j], l.encoded[i]
	}
}

func (l *postingList) countTitles() (n uint32) {
	for _, p := range l.postings {
		n += min(p.inTitle, 1)
	}
	return n
}

type posting struct{ doc, times, inTitle uint32 }

// encoder writes the data of terms, see segment.go.
type encoder struct {
	data, postings, positions, table []byte
	parts                            [][]byte
}

// encodePostings returns the data of a term in parts, until the next call. What is encoded
// already is not copied: of a word that many long notes have it is large.
func (e *encoder) encodePostings(l *postingList) (parts [][]byte) {
	e.postings, e.positions, e.table = e.postings[:0], e.positions[:0], e.table[:0]
	positions, encoded, size := l.positions, l.encoded, 0
	before := uint32(0xffffffff)
	for block := range slices.Chunk(l.postings, blockSize) {
		e.table = binary.LittleEndian.AppendUint32(e.table, block[len(block)-1].doc)
		e.table = binary.LittleEndian.AppendUint32(e.table, uint32(len(e.postings)))
		e.table = binary.LittleEndian.AppendUint32(e.table, uint32(len(e.positions)+size))
		for _, p := range block {
			e.postings = appendPosting(e.postings, p, before)
			before = p.doc
		}
		for _, p := range block {
			switch {
			case len(encoded) > 0:
				size += len(encoded[0])
				encoded = encoded[1:]
			case len(positions) > 0:
				e.positions = appendPositions(e.positions, positions[:p.times])
				positions = positions[p.times:]
			}
		}
	}
	e.data = e.encodeHead(l)
	if len(e.table) > skipSize {
		for line := range slices.Chunk(e.table, skipSize) {
			addOffset(line[4:], len(e.table))
			addOffset(line[8:], len(e.table)+len(e.postings))
		}
		e.data = append(e.data, e.table...)
	}
	e.data = append(e.data, e.postings...)
	e.parts = append(append(e.parts[:0], e.data, e.positions), l.encoded...)
	return e.parts
}

func (e *encoder) encodeHead(l *postingList) []byte {
	titles := l.countTitles()
	if titles == 0 {
		return binary.AppendUvarint(e.data[:0], uint64(len(l.postings))<<1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(e.data[:0], uint64(len(l.postings))<<1|1), uint64(titles))
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

func appendPositions(to []byte, positions []uint32) []byte {
	before := uint32(0)
	for _, position := range positions {
		to = binary.AppendUvarint(to, uint64(position-before))
		before = position
	}
	return to
}
