package segment

import (
	"bytes"
	"cmp"
	"io"
	"slices"
)

// Merge merges the living documents of several segments into one in memory.
func Merge(sources []*Live) (*Live, error) {
	var out bytes.Buffer
	if err := mergeTo(&out, sources, nil); err != nil {
		return nil, err
	}
	return newMemory(out.Bytes())
}

// mergeTo writes the living documents of several segments as one segment: as the delta of base if
// base is not nil.
func mergeTo(out io.Writer, sources []*Live, base *Live) error {
	w := newWriter(out)
	w.mergeSegments(sources)
	if base == nil {
		return w.finish(0, nil)
	}
	return w.finish(base.file.sum, base.Dead)
}

const releaseAfter = 2 << 20 // bytes written between two releases of the memory read

func (w *segmentWriter) mergeSegments(sources []*Live) {
	m := &termMerger{}
	for i, numbers := range w.copyRows(sources) {
		m.sources = append(m.sources, mergeSource{sources[i].TermsFrom(""), sources[i], numbers})
	}
	released := w.at
	for key := m.leastTerm(); w.err == nil && key != ""; key = m.leastTerm() {
		if l := m.gatherPostings(key); len(l) > 0 {
			w.addTerm(key, l)
		}
		if w.at-released > releaseAfter {
			ReleaseMemory(sources)
			released = w.at
		}
	}
}

// copyRows writes the rows by name and returns the new numbers of the documents of each source.
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
		w.addRow(s.record(o.doc), s.rowTexts(o.doc), s.Length(o.doc), s.TitleLength(o.doc))
	}
	return numbers
}

// termMerger iterates over the terms of several segments in parallel.
type termMerger struct {
	sources []mergeSource
	cursor  Cursor
	list    []posting
}

// mergeSource is a segment with an iterator at its next term, and the new numbers of its documents.
type mergeSource struct {
	*TermIterator
	segment *Live
	numbers []uint32
}

// leastTerm returns the least of the next terms, or "" at the end.
func (m *termMerger) leastTerm() string {
	var least []byte
	for _, s := range m.sources {
		if len(s.Key) > 0 && (least == nil || bytes.Compare(s.Key, least) < 0) {
			least = s.Key
		}
	}
	return string(least)
}

// gatherPostings returns the postings of the least term and advances past it. The list is valid
// until the next call.
func (m *termMerger) gatherPostings(key string) []posting {
	m.list = m.list[:0]
	for _, s := range m.sources {
		if string(s.Key) == key {
			m.appendPostings(s, key[:1] == WordTerm)
			s.NextTerm()
		}
	}
	byDoc := func(a, b posting) int { return cmp.Compare(a.doc, b.doc) }
	if !slices.IsSortedFunc(m.list, byDoc) {
		slices.SortFunc(m.list, byDoc)
	}
	return m.list
}

// appendPostings appends the postings of a source whose documents live.
func (m *termMerger) appendPostings(s mergeSource, placed bool) {
	c := &m.cursor
	c.OpenTerm(s.Data)
	for c.Next() {
		doc := c.Doc()
		if !s.segment.Lives(doc) {
			continue
		}
		p := posting{doc: s.numbers[doc], times: c.Frequency(), inTitle: c.TitleFrequency()}
		if placed {
			p.positions = c.encodedPositions()
		}
		m.list = append(m.list, p)
	}
}
