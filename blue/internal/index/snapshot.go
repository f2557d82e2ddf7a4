package index

import (
	"bytes"
	"cmp"
	"slices"

	"blue/blue/internal/segment"
)

// Document is a document to be indexed. The index does not store its body.
type Document = segment.Document

// Row is the stored data of a document apart from its words.
type Row = segment.Row

// Stamp identifies the version of a file that was read.
type Stamp = segment.Stamp

// snapshot is an immutable state of the index.
type snapshot struct {
	segments   []*segment.Live       // base, delta and those in memory, any of which may be missing
	heirs      map[location]location // the newest document that replaces each replaced one
	version    uint64
	nextOrigin origin

	docs                  int // living documents
	meanLength, meanTitle float64
}

// origin says what the next whole update starts with.
type origin uint8

const (
	fromHere  origin = iota
	fromFiles        // the files on disk, which another process wrote
	fromNothing
	lost // the files on disk; until then the snapshot lacks documents
)

// withSegments returns a snapshot with the given segments and the totals that ranking needs.
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

// markReplaced records which documents others replace. A damaged segment is found by the next
// reader.
func (v *snapshot) markReplaced() {
	v.heirs = map[location]location{}
	_ = segment.CatchFaults(func() error {
		for i, l := range v.segments {
			for w := l.TermsFrom(segment.ReplaceTerm); w.HasPrefix(segment.ReplaceTerm); w.NextTerm() {
				at, ok := v.locate(string(w.Key[len(segment.ReplaceTerm):]))
				if !ok {
					continue
				}
				for doc := range l.Holders(w.Data) {
					heir := location{i, doc}
					known, replaced := v.heirs[at]
					if heir != at && (!replaced || v.compareAge(heir, known) < 0) { // a document cannot replace itself
						v.heirs[at] = heir
					}
				}
			}
		}
		return nil
	})
	marks := make([][]uint32, len(v.segments))
	for at := range v.heirs {
		marks[at.segment] = append(marks[at.segment], at.doc)
	}
	v.segments = slices.Clone(v.segments)
	for i, l := range v.segments {
		v.segments[i] = l.WithReplaced(marks[i])
	}
}

// compareAge orders documents by time, the newest first, then by name.
func (v *snapshot) compareAge(a, b location) int {
	return cmp.Or(v.segments[b.segment].Time(b.doc).Compare(v.segments[a.segment].Time(a.doc)),
		bytes.Compare(v.segments[a.segment].Name(a.doc), v.segments[b.segment].Name(b.doc)))
}

// replacing returns the documents that replace the one of that name, the newest first.
func (v *snapshot) replacing(name string) []Row {
	rows := v.holders(-1, func(l *segment.Live) [][]byte {
		return [][]byte{l.FindTerm(segment.ReplaceTerm + name)}
	})
	rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Name == name })
	slices.SortStableFunc(rows, func(a, b Row) int { return b.Time.Compare(a.Time) })
	return rows
}

// unsaved returns the number of documents that no file of the directory holds.
func (v *snapshot) unsaved() (docs int) {
	for _, l := range v.segments {
		if !l.IsPublished() {
			docs += l.Living
		}
	}
	return docs
}

// holding returns the number of documents, and the number of titles, that hold a term.
func (v *snapshot) holding(key string) (docs, titles int) {
	for _, l := range v.segments {
		if term := l.FindTerm(key); term != nil {
			m, n := l.Holding(term)
			docs, titles = docs+m, titles+n
		}
	}
	return docs, titles
}
