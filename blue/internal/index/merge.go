package index

import (
	"bytes"
	"cmp"
	"container/heap"
	"io"
	"slices"
)

// merge makes one segment in memory of what lives in others.
func merge(sources []*liveSegment) (*liveSegment, error) {
	var out bytes.Buffer
	if err := mergeTo(&out, sources, nil); err != nil {
		return nil, err
	}
	s, err := segmentOf(out.Bytes())
	if err != nil {
		return nil, err
	}
	return newLiveSegment(s), nil
}

// mergeTo writes what lives in some segments as one: the delta of a base, if there is one.
func mergeTo(out io.Writer, sources []*liveSegment, base *liveSegment) error {
	w := newWriter(out)
	w.merge(sources)
	if base == nil {
		return w.close(0, nil)
	}
	return w.close(base.file.sum, base.dead)
}

const releaseAfter = 2 << 20 // written between two times that what has been read is let go

func (w *writer) merge(sources []*liveSegment) {
	numbers := w.copyRows(sources)
	m := &merging{}
	for i, l := range sources {
		if at := l.search(""); len(at.key) > 0 {
			m.at = append(m.at, source{at, i, l, numbers[i]})
		}
	}
	heap.Init(m)
	released := w.at
	for w.err == nil && len(m.at) > 0 {
		key := string(m.at[0].key)
		if l := m.gather(key); len(l.posts) > 0 {
			w.term(key, l)
		}
		if w.at-released > releaseAfter {
			releaseMemory(sources)
			released = w.at
		}
	}
}

// copyRows writes the rows by name and returns the new number of each document of
// each source.
func (w *writer) copyRows(sources []*liveSegment) [][]uint32 {
	type origin struct {
		source int
		doc    uint32
		name   []byte
	}
	var all []origin
	numbers := make([][]uint32, len(sources))
	for i, l := range sources {
		numbers[i] = make([]uint32, l.segment.docs)
		for doc := range uint32(l.segment.docs) {
			if l.lives(doc) {
				all = append(all, origin{i, doc, l.name(doc)})
			}
		}
	}
	slices.SortFunc(all, func(a, b origin) int { return bytes.Compare(a.name, b.name) })
	for number, o := range all {
		s := sources[o.source].segment
		numbers[o.source][o.doc] = uint32(number)
		w.rawRow(s.record(o.doc), s.rowText(o.doc), s.length(o.doc), s.titleLength(o.doc))
	}
	return numbers
}

// merging walks along the terms of several segments at once. It is a heap of those that
// have terms left, the least term on top.
type merging struct {
	at     []source
	cursor cursor
	list   list
	sorted []found
}

// source is a segment at its next term, and the new numbers of its documents.
type source struct {
	*walk
	place   int // among the sources
	segment *liveSegment
	numbers []uint32
}

func (m *merging) Len() int      { return len(m.at) }
func (m *merging) Swap(i, j int) { m.at[i], m.at[j] = m.at[j], m.at[i] }
func (m *merging) Push(any)      {}

func (m *merging) Less(i, j int) bool {
	return cmp.Or(bytes.Compare(m.at[i].key, m.at[j].key), m.at[i].place-m.at[j].place) < 0
}

func (m *merging) Pop() any {
	m.at = m.at[:len(m.at)-1]
	return nil
}

// found is a posting and where its positions begin in those of the list.
type found struct {
	posting
	from int
}

// gather collects the postings of a term, the least, and steps over it. The list lasts
// until the next call.
func (m *merging) gather(key string) *list {
	l := &m.list
	l.posts, l.places = l.posts[:0], l.places[:0]
	ascending := true
	for len(m.at) > 0 && string(m.at[0].key) == key {
		from := len(l.posts)
		m.appendPostings(m.at[0], key[:1] == wordTerm)
		ascending = ascending && (from == 0 || from == len(l.posts) || l.posts[from-1].doc < l.posts[from].doc)
		if m.at[0].next(); len(m.at[0].key) > 0 {
			heap.Fix(m, 0)
		} else {
			heap.Pop(m)
		}
	}
	if !ascending {
		m.sort()
	}
	return l
}

// appendPostings appends what lives of the postings of a source.
func (m *merging) appendPostings(s source, placed bool) {
	l, c := &m.list, &m.cursor
	c.open(s.data())
	for block := 0; c.load(block); block++ {
		for ; c.i < c.n; c.i++ {
			doc := c.docs[c.i]
			if !s.segment.lives(doc) {
				continue
			}
			l.posts = append(l.posts, posting{s.numbers[doc], c.times[c.i], c.titles[c.i]})
			if placed {
				l.places = append(l.places, c.positions()...)
			}
		}
	}
}

// sort brings the postings of interleaved segments in the order of documents.
func (m *merging) sort() {
	m.sorted = m.sorted[:0]
	at := 0
	for _, p := range m.list.posts {
		m.sorted = append(m.sorted, found{p, at})
		at += int(p.times)
	}
	slices.SortFunc(m.sorted, func(a, b found) int { return cmp.Compare(a.doc, b.doc) })
	places := slices.Clone(m.list.places)
	m.list.posts, m.list.places = m.list.posts[:0], m.list.places[:0]
	for _, f := range m.sorted {
		m.list.posts = append(m.list.posts, f.posting)
		if len(places) > 0 {
			m.list.places = append(m.list.places, places[f.from:f.from+int(f.times)]...)
		}
	}
}
