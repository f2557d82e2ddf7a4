package index

import "slices"

// snapshot is one state of the index. It does not change once it is published.
type snapshot struct {
	segments   []*liveSegment // the base, the delta, and those in memory; each may be missing
	version    uint64
	nextOrigin origin

	docs                  int // that live
	meanLength, meanTitle float64
}

// origin is what the next whole update begins with.
type origin uint8

const (
	fromHere  origin = iota
	fromFiles        // those of another process, or of this one after damage
	fromNothing
	lost // like fromFiles; until then the snapshot lacks documents
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

// numberOf returns the number of the living document with the name.
func (l *liveSegment) numberOf(name string) (uint32, bool) {
	doc, ok := l.documentNumber(name)
	return doc, ok && l.lives(doc)
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

// withSegments is a snapshot of other segments, with what ranking needs to know of all documents.
func (v *snapshot) withSegments(segments []*liveSegment) *snapshot {
	c := &snapshot{segments: segments, nextOrigin: v.nextOrigin}
	words, titleWords := int64(0), int64(0)
	for _, l := range segments {
		c.docs += l.living
		words += l.words
		titleWords += l.titleWords
	}
	c.meanLength = float64(max(words, 1)) / float64(max(c.docs, 1))
	c.meanTitle = float64(max(titleWords, 1)) / float64(max(c.docs, 1))
	return c
}

// unsaved is how many documents no file of the directory holds.
func (v *snapshot) unsaved() (docs int) {
	for _, l := range v.segments {
		if !l.file.isPublished() {
			docs += l.living
		}
	}
	return docs
}

// holding returns how many documents hold a term, and in how many titles it is.
func (v *snapshot) holding(key string) (docs, titles int) {
	for _, l := range v.segments {
		if term := l.findTerm(key); term != nil {
			m, n := l.holding(term)
			docs, titles = docs+m, titles+n
		}
	}
	return docs, titles
}

// holdings returns how many documents hold each of many terms, which are in order.
func (v *snapshot) holdings(keys []string) []int {
	docs := make([]int, len(keys))
	for _, l := range v.segments {
		l.findTerms(keys, func(i int, term []byte) {
			n, _ := l.holding(term)
			docs[i] += n
		})
	}
	return docs
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
				titles -= int(min(c.titles[c.i], 1))
			}
		}
		return docs, titles
	}
	docs, titles = 0, 0
	for block := 0; c.loadBlock(block); block++ {
		for i, doc := range c.docs[:c.n] {
			if l.lives(doc) {
				docs++
				titles += int(min(c.titles[i], 1))
			}
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
