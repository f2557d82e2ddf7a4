package segment

import (
	"iter"
	"slices"

	"blue/blue/internal/words"
)

// Live is a segment without those of its documents that have been replaced or dropped.
type Live struct {
	*Segment
	file       *file    // whose bytes these are, nil in memory
	Dead       []uint32 // ascending
	deadBits   []uint64 // the same as bits, nil when none is
	Living     int      // documents that are still there
	Words      int64    // of these
	Long       int      // of these that have more than [words.LongText] words
	TitleWords int64
}

// newLive returns a segment with all its documents.
func newLive(s *Segment) *Live {
	l := &Live{Segment: s, Living: s.Docs}
	for i := range s.Docs {
		l.count(uint32(i), 1)
	}
	return l
}

// count counts the words of a document so many times.
func (l *Live) count(doc uint32, times int) {
	length := l.Length(doc)
	l.Words += int64(times) * int64(length)
	l.TitleWords += int64(times) * int64(l.TitleLength(doc))
	if length > words.LongText {
		l.Long += times
	}
}

// openSegment opens a file, see [openFile].
func openSegment(name string) (l *Live, err error) {
	x, s, err := openFile(name)
	if err != nil {
		return nil, err
	}
	err = CatchFaults(func() error { l = newLive(s); l.file = x; return nil })
	return l, err
}

// newMemory returns the segment of bytes that were just written.
func newMemory(b []byte) (*Live, error) {
	s, err := parseSegment(b)
	if err != nil {
		return nil, err
	}
	return newLive(s), nil
}

// Lives reports whether a document is still there.
func (l *Live) Lives(doc uint32) bool {
	return l.deadBits == nil || l.deadBits[doc/64]&(1<<(doc%64)) == 0
}

// LivingDocs are the documents that are still there.
func (l *Live) LivingDocs() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for doc := range uint32(l.Docs) {
			if l.Lives(doc) && !yield(doc) {
				return
			}
		}
	}
}

// Holders returns the living documents that hold a term, given its data, which may be nil.
func (l *Live) Holders(term []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		if term == nil {
			return
		}
		for c := NewCursor(term); c.Next(); {
			if doc := c.Doc(); l.Lives(doc) && !yield(doc) {
				return
			}
		}
	}
}

// NumberOf returns the number of the living document with the name.
func (l *Live) NumberOf(name string) (uint32, bool) {
	doc, ok := l.DocumentNumber(name)
	return doc, ok && l.Lives(doc)
}

// IsIntact reports whether everything that has been read of its file was undamaged.
func (l *Live) IsIntact() bool { return l.file.isIntact() }

// IsInFile reports whether it is the content of a file.
func (l *Live) IsInFile() bool { return l.file != nil }

// IsPublished reports whether other processes find its file.
func (l *Live) IsPublished() bool {
	return l.file != nil && (l.file.name == baseName || l.file.name == deltaName)
}

// Size is how many bytes it has.
func (l *Live) Size() int {
	if l.IsInFile() {
		return len(l.file.bytes)
	}
	return len(l.data) + len(l.texts) + len(l.terms) + len(l.entries) + len(l.records)
}

// goneFromBase are the documents of the base that a delta replaces or drops.
func (l *Live) goneFromBase() []uint32 {
	gone := make([]uint32, len(l.gone)/4)
	for i := range gone {
		gone[i] = numberAt(l.gone, i)
	}
	return gone
}

// Without is a copy in which some more documents are gone.
func (l *Live) Without(gone []uint32) *Live {
	if len(gone) == 0 {
		return l
	}
	c := *l
	c.deadBits = make([]uint64, (l.Segment.Docs+63)/64)
	copy(c.deadBits, l.deadBits)
	for _, doc := range gone {
		if c.Lives(doc) {
			c.deadBits[doc/64] |= 1 << (doc % 64)
			c.Living--
			c.count(doc, -1)
		}
	}
	c.Dead = append(slices.Clone(l.Dead), gone...)
	slices.Sort(c.Dead)
	c.Dead = slices.Compact(c.Dead)
	return &c
}

// Holding returns the number of living documents, and of their titles, that hold a term, given its
// data. It subtracts the dead, or counts the living if that is faster.
func (l *Live) Holding(term []byte) (docs, titles int) {
	docs, titles, _ = decodeHead(term)
	if len(l.Dead) == 0 {
		return docs, titles
	}
	c := NewCursor(term)
	if docs > ScanFactor*len(l.Dead) {
		for _, doc := range l.Dead {
			if c.Seek(doc) {
				docs--
				titles -= int(min(c.TitleFrequency(), 1))
			}
		}
		return docs, titles
	}
	docs, titles = 0, 0
	for c.Next() {
		if l.Lives(c.Doc()) {
			docs++
			titles += int(min(c.TitleFrequency(), 1))
		}
	}
	return docs, titles
}

// ScanFactor is how many documents a cursor reads in the time of one step of [Cursor.Seek].
const ScanFactor = 128

// ReleaseMemory gives back the memory of mapped files that has been read.
func ReleaseMemory(segments []*Live) {
	for _, l := range segments {
		if l.file != nil && l.file.mapped {
			releaseMapping(l.file.bytes)
		}
	}
}

// IndexIn returns the index of the segment among others, or -1.
func (l *Live) IndexIn(others []*Live) int {
	return slices.IndexFunc(others, func(o *Live) bool { return o.Segment == l.Segment })
}
