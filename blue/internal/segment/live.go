package segment

import (
	"iter"
	"slices"

	"blue/blue/internal/words"
)

// Live is a segment without those of its documents that have been replaced or dropped.
type Live struct {
	*Segment
	file       *file    // that holds the bytes; nil for a segment in memory
	Dead       []uint32 // ascending
	deadBits   []uint64 // the same as bits; nil if there are none
	Living     int      // number of the living documents
	Words      int64    // of the living documents
	Long       int      // number of living documents with more than [words.LongText] words
	TitleWords int64
	superseded []uint64 // the documents that are superseded by their own record, as bits
	replaced   []uint64 // the documents that others replace, as bits; nil if there are none
}

// newLive returns a segment in which all documents live.
func newLive(s *Segment) *Live {
	l := &Live{Segment: s, Living: s.Docs, superseded: make([]uint64, (s.Docs+63)/64)}
	for doc := range uint32(s.Docs) {
		l.count(doc, 1)
		if s.Superseded(doc) {
			l.superseded[doc/64] |= 1 << (doc % 64)
		}
	}
	return l
}

// count adds the words of a document, multiplied by times, to the totals.
func (l *Live) count(doc uint32, times int) {
	length := l.Length(doc)
	l.Words += int64(times) * int64(length)
	l.TitleWords += int64(times) * int64(l.TitleLength(doc))
	if length > words.LongText {
		l.Long += times
	}
}

// openSegment opens a file; see [openFile].
func openSegment(name string) (l *Live, err error) {
	x, s, err := openFile(name)
	if err != nil {
		return nil, err
	}
	err = CatchFaults(func() error { l = newLive(s); l.file = x; return nil })
	return l, err
}

// newMemory returns the segment stored in bytes that were just written.
func newMemory(b []byte) (*Live, error) {
	s, err := parseSegment(b)
	if err != nil {
		return nil, err
	}
	s.filter = newTermFilter(s)
	return newLive(s), nil
}

// Lives reports whether a document has been neither replaced nor dropped.
func (l *Live) Lives(doc uint32) bool {
	return l.deadBits == nil || l.deadBits[doc/64]&(1<<(doc%64)) == 0
}

// Superseded reports whether a document is superseded, by its own record or because another one
// replaces it. It does not look at the record, since a search asks about every document that holds
// one of its words.
func (l *Live) Superseded(doc uint32) bool {
	return l.superseded[doc/64]&(1<<(doc%64)) != 0 || l.isReplaced(doc)
}

func (l *Live) isReplaced(doc uint32) bool {
	return l.replaced != nil && l.replaced[doc/64]&(1<<(doc%64)) != 0
}

// Row returns the row of a document.
func (l *Live) Row(doc uint32) Row {
	r := l.Segment.Row(doc)
	r.Replaced = l.isReplaced(doc)
	r.Superseded = r.Superseded || r.Replaced
	return r
}

// WithReplaced returns a copy of the segment in which others replace exactly these documents.
func (l *Live) WithReplaced(docs []uint32) *Live {
	var bits []uint64
	if len(docs) > 0 {
		bits = make([]uint64, len(l.superseded))
	}
	for _, doc := range docs {
		bits[doc/64] |= 1 << (doc % 64)
	}
	if slices.Equal(bits, l.replaced) {
		return l
	}
	c := *l
	c.replaced = bits
	return &c
}

// LivingDocs iterates over the living documents.
func (l *Live) LivingDocs() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for doc := range uint32(l.Docs) {
			if l.Lives(doc) && !yield(doc) {
				return
			}
		}
	}
}

// Holders iterates over the living documents that hold a term, given its data, which may be nil.
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

// NumberOf returns the number of the living document of that name.
func (l *Live) NumberOf(name string) (uint32, bool) {
	doc, ok := l.DocumentNumber(name)
	return doc, ok && l.Lives(doc)
}

// IsIntact reports whether everything read from its file was undamaged.
func (l *Live) IsIntact() bool { return l.file.isIntact() }

// IsInFile reports whether the segment is stored in a file.
func (l *Live) IsInFile() bool { return l.file != nil }

// IsPublished reports whether the file is visible to other processes.
func (l *Live) IsPublished() bool {
	return l.file != nil && (l.file.name == baseName || l.file.name == deltaName)
}

// Size returns the size of the segment in bytes. For a segment in memory this is approximate.
func (l *Live) Size() int {
	if l.IsInFile() {
		return len(l.file.bytes)
	}
	return len(l.data) + len(l.texts) + len(l.terms) + len(l.entries) + len(l.records)
}

// goneFromBase returns the documents of the base that a delta replaces or drops.
func (l *Live) goneFromBase() []uint32 {
	gone := make([]uint32, len(l.gone)/4)
	for i := range gone {
		gone[i] = numberAt(l.gone, i)
	}
	return gone
}

// Without returns a copy of the segment in which more documents are dead.
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
// data. It subtracts the dead documents, or counts the living ones if that is faster.
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

// ScanFactor is the number of documents that a cursor reads in the time of one [Cursor.Seek].
const ScanFactor = 128

// ReleaseMemory releases the pages of mapped files that have been read.
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
