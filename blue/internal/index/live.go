package index

import (
	"iter"
	"slices"
)

// liveSegment is a segment and the documents of it that are gone.
type liveSegment struct {
	*segment
	file       *file    // whose bytes these are, nil in memory
	dead       []uint32 // ascending
	deadBits   []uint64 // the same as bits, nil when none is
	living     int      // documents that are not
	words      int64    // of these
	titleWords int64
}

func newLiveSegment(s *segment) *liveSegment {
	l := &liveSegment{segment: s, living: s.docs}
	for i := range s.docs {
		l.words += int64(numberAt(s.lengths, i))
		l.titleWords += int64(numberAt(s.titles, i))
	}
	return l
}

// openSegment opens a file, see [openFile].
func openSegment(name string) (l *liveSegment, err error) {
	x, s, err := openFile(name)
	if err != nil {
		return nil, err
	}
	err = catchFaults(func() error { l = newLiveSegment(s); l.file = x; return nil })
	return l, err
}

func (l *liveSegment) lives(doc uint32) bool {
	return l.deadBits == nil || l.deadBits[doc/64]&(1<<(doc%64)) == 0
}

// livingDocs are the documents that are not gone.
func (l *liveSegment) livingDocs() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for doc := range uint32(l.docs) {
			if l.lives(doc) && !yield(doc) {
				return
			}
		}
	}
}

// holders are the living documents that hold a term, of which it is given the data; nil is
// a term that is not there.
func (l *liveSegment) holders(term []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if term == nil {
			return
		}
		for c := newCursor(term); c.next(); {
			if doc := c.doc(); l.lives(doc) && !yield(doc) {
				return
			}
		}
	}
}

// numberOf returns the number of the living document with the name.
func (l *liveSegment) numberOf(name string) (uint32, bool) {
	doc, ok := l.documentNumber(name)
	return doc, ok && l.lives(doc)
}

// isIntact reports whether all that was read of its file can be trusted.
func (l *liveSegment) isIntact() bool { return l.file.isIntact() }

// isInFile reports whether it is the content of a file.
func (l *liveSegment) isInFile() bool { return l.file != nil }

// isPublished reports whether other processes find its file.
func (l *liveSegment) isPublished() bool { return l.file.isPublished() }

// size is how many bytes it has.
func (l *liveSegment) size() int {
	if l.isInFile() {
		return len(l.file.bytes)
	}
	return len(l.data) + len(l.texts) + len(l.terms) + len(l.entries) + len(l.records)
}

// goneFromBase are the documents of the base that a delta replaces or drops.
func (l *liveSegment) goneFromBase() []uint32 {
	gone := make([]uint32, len(l.gone)/4)
	for i := range gone {
		gone[i] = numberAt(l.gone, i)
	}
	return gone
}

// without is a copy in which some more documents are gone.
func (l *liveSegment) without(gone []uint32) *liveSegment {
	if len(gone) == 0 {
		return l
	}
	c := *l
	c.deadBits = make([]uint64, (l.segment.docs+63)/64)
	copy(c.deadBits, l.deadBits)
	for _, doc := range gone {
		if c.lives(doc) {
			c.deadBits[doc/64] |= 1 << (doc % 64)
			c.living--
			c.words -= int64(c.length(doc))
			c.titleWords -= int64(c.titleLength(doc))
		}
	}
	c.dead = append(slices.Clone(l.dead), gone...)
	slices.Sort(c.dead)
	c.dead = slices.Compact(c.dead)
	return &c
}

// holding counts by looking for the dead, or at all when that is quicker: a step
// forward costs about as much as decoding scanFactor documents.
func (l *liveSegment) holding(term []byte) (docs, titles int) {
	docs, titles, _ = decodeHead(term)
	if len(l.dead) == 0 {
		return docs, titles
	}
	c := newCursor(term)
	if docs > scanFactor*len(l.dead) {
		for _, doc := range l.dead {
			if c.seek(doc) {
				docs--
				titles -= int(min(c.titleFrequency(), 1))
			}
		}
		return docs, titles
	}
	docs, titles = 0, 0
	for c.next() {
		if l.lives(c.doc()) {
			docs++
			titles += int(min(c.titleFrequency(), 1))
		}
	}
	return docs, titles
}

const scanFactor = 128

// releaseMemory gives back the memory of mapped files that has been read.
func releaseMemory(segments []*liveSegment) {
	for _, l := range segments {
		if l.file != nil && l.file.mapped {
			releaseMapping(l.file.bytes)
		}
	}
}

// indexIn is the place of the segment among others, -1 for none.
func (l *liveSegment) indexIn(others []*liveSegment) int {
	return slices.IndexFunc(others, func(o *liveSegment) bool { return o.segment == l.segment })
}
