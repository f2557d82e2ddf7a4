package index

import "blue/blue/internal/segment"

// Document is one document to be found. The body is not kept.
type Document = segment.Document

// Row is what is kept of a document besides its words.
type Row = segment.Row

// Stamp tells whether a file is the one that was read.
type Stamp = segment.Stamp

// snapshot is one state of the index. It does not change once it is published.
type snapshot struct {
	segments   []*segment.Live // the base, the delta, and those in memory; each may be missing
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

// withSegments is a snapshot of other segments, with what ranking needs to know of all documents.
func (v *snapshot) withSegments(segments []*segment.Live) *snapshot {
	c := &snapshot{segments: segments, nextOrigin: v.nextOrigin}
	words, titleWords := int64(0), int64(0)
	for _, l := range segments {
		c.docs += l.Living
		words += l.Words
		titleWords += l.TitleWords
	}
	c.meanLength = float64(max(words, 1)) / float64(max(c.docs, 1))
	c.meanTitle = float64(max(titleWords, 1)) / float64(max(c.docs, 1))
	return c
}

// unsaved is how many documents no file of the directory holds.
func (v *snapshot) unsaved() (docs int) {
	for _, l := range v.segments {
		if !l.IsPublished() {
			docs += l.Living
		}
	}
	return docs
}

// holding returns how many documents hold a term, and in how many titles it is.
func (v *snapshot) holding(key string) (docs, titles int) {
	for _, l := range v.segments {
		if term := l.FindTerm(key); term != nil {
			m, n := l.Holding(term)
			docs, titles = docs+m, titles+n
		}
	}
	return docs, titles
}
