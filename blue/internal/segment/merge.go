package segment

import (
	"bytes"
	"cmp"
	"container/heap"
	"io"
	"slices"
	"sort"
)

// Merge makes one segment in memory of what lives in others.
func Merge(sources []*Live) (*Live, error) {
	var out bytes.Buffer
	if err := mergeTo(&out, sources, nil); err != nil {
		return nil, err
	}
	return newMemory(out.Bytes())
}

// mergeTo writes what lives in some segments as one: the delta of a base, if there is one.
func mergeTo(out io.Writer, sources []*Live, base *Live) error {
	w := newWriter(out)
	w.mergeSegments(sources)
	if base == nil {
		return w.finish(0, nil)
	}
	return w.finish(base.file.sum, base.Dead)
}

const releaseAfter = 2 << 20 // written between two times that what has been read is let go

func (w *segmentWriter) mergeSegments(sources []*Live) {
	numbers := w.copyRows(sources)
	m := &termMerger{}
	for i, l := range sources {
		if at := l.TermsFrom(""); len(at.Key) > 0 {
			m.sources = append(m.sources, mergeSource{at, i, l, numbers[i]})
		}
	}
	heap.Init(m)
	released := w.at
	for w.err == nil && len(m.sources) > 0 {
		key := string(m.sources[0].Key)
		if l := m.gatherPostings(key); len(l.postings) > 0 {
			w.addTerm(key, l)
		}
		if w.at-released > releaseAfter {
			ReleaseMemory(sources)
			released = w.at
		}
	}
}

// copyRows writes the rows by name and returns the new number of each document of
// each source.
func (w *segmentWriter) copyRows(sources []*Live) [][]uint32 {
	type origin struct {
		source int
		doc    uint32
		name   []byte
	}
	var all []origin
	numbers := make([][]uint32, len(sources))
	for i, l := range sources {
		numbers[i] = make([]uint32, l.Segment.Docs)
		for doc := range l.LivingDocs() {
			all = append(all, origin{i, doc, l.Name(doc)})
		}
	}
	slices.SortFunc(all, func(a, b origin) int { return bytes.Compare(a.name, b.name) })
	for number, o := range all {
		s := sources[o.source].Segment
		numbers[o.source][o.doc] = uint32(number)
		w.addRawRow(s.record(o.doc), s.rowText(o.doc), s.Length(o.doc), s.TitleLength(o.doc))
	}
	return numbers
}

// termMerger walks along the terms of several segments at once. It is a heap of those that
// have terms left, the least term on top.
type termMerger struct {
	sources []mergeSource
	cursor  Cursor
	list    postingList
}

// mergeSource is a segment at its next term, and the new numbers of its documents.
type mergeSource struct {
	*TermIterator
	ordinal int // among the sources
	segment *Live
	numbers []uint32
}

func (m *termMerger) Len() int      { return len(m.sources) }
func (m *termMerger) Swap(i, j int) { m.sources[i], m.sources[j] = m.sources[j], m.sources[i] }
func (m *termMerger) Push(any)      {}

func (m *termMerger) Less(i, j int) bool {
	return cmp.Or(bytes.Compare(m.sources[i].Key, m.sources[j].Key), m.sources[i].ordinal-m.sources[j].ordinal) < 0
}

func (m *termMerger) Pop() any {
	m.sources = m.sources[:len(m.sources)-1]
	return nil
}

// gatherPostings collects the postings of a term, the least, and steps over it. The list lasts
// until the next call.
func (m *termMerger) gatherPostings(key string) *postingList {
	l := &m.list
	l.postings, l.encoded = l.postings[:0], l.encoded[:0]
	ascending := true
	for len(m.sources) > 0 && string(m.sources[0].Key) == key {
		from := len(l.postings)
		m.appendPostings(m.sources[0], key[:1] == WordTerm)
		ascending = ascending && (from == 0 || from == len(l.postings) || l.postings[from-1].doc < l.postings[from].doc)
		if m.sources[0].NextTerm(); len(m.sources[0].Key) > 0 {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	if !ascending {
		sort.Sort(l)
	}
	return l
}

// appendPostings appends what lives of the postings of a source.
func (m *termMerger) appendPostings(s mergeSource, placed bool) {
	l, c := &m.list, &m.cursor
	c.OpenTerm(s.Data())
	for c.Next() {
		doc := c.Doc()
		if !s.segment.Lives(doc) {
			continue
		}
		l.postings = append(l.postings, posting{s.numbers[doc], c.Frequency(), c.TitleFrequency()})
		if placed {
			l.encoded = append(l.encoded, c.encodedPositions())
		}
	}
}
