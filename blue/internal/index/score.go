package index

import (
	"cmp"
	"slices"
)

// scores are those of the documents of a segment.
type scores struct {
	of  []float64 // zeros, but for those that were met
	met []uint32  // each once
}

// score gives the documents of a segment the scores of what the query finds in them. Those
// that are named are met too. The scores are good until [Index.done].
func (x *Index) score(v *snapshot, segment int, q *plan, named map[document]int) *scores {
	s, ok := x.scores.Get().(*scores)
	if n := v.segments[segment].docs; !ok || len(s.of) < n {
		s = &scores{of: make([]float64, n)}
	}
	var known []uint32
	for at := range named {
		if at.segment == segment {
			known = append(known, at.doc)
		}
	}
	v.score(segment, q, s, known)
	for _, doc := range known {
		if s.of[doc] == 0 {
			s.met = append(s.met, doc)
		}
	}
	return s
}

// done makes scores ready for the next search.
func (x *Index) done(s *scores) {
	for _, doc := range s.met {
		s.of[doc] = 0
	}
	s.met = s.met[:0]
	x.scores.Put(s)
}

func (s *scores) add(doc uint32, worth float64) {
	if s.of[doc] == 0 && worth > 0 {
		s.met = append(s.met, doc)
	}
	s.of[doc] += worth
}

// score adds what the query finds in the documents of a segment.
//
// With q.least, there comes a term from which on a document that holds none of those
// before cannot have so much. The postings of the terms that are left, the longest, are
// then looked at for those documents alone that still can, and for the known ones.
func (v *snapshot) score(segment int, q *plan, s *scores, known []uint32) {
	l := v.segments[segment]
	c := &cursor{}
	left := 0.0 // that the terms to come add at most
	for _, t := range q.terms {
		left += t.most
	}
	var hopeful []uint32 // once left is below q.least
	for _, t := range q.terms {
		if left < q.least {
			if hopeful == nil {
				hopeful = append([]uint32{}, s.met...)
			}
			least := q.least - left
			hopeful = slices.DeleteFunc(hopeful, func(doc uint32) bool { return s.of[doc] < least })
		}
		left -= t.most
		term := l.find(t.key)
		if term == nil {
			continue
		}
		c.open(term)
		if docs := len(hopeful) + len(known); hopeful != nil && c.count > scanFactor*docs {
			for _, doc := range inOrder(hopeful, known) {
				if c.seek(doc) {
					text, title := v.worth(l, t, c)
					s.add(doc, text+title)
				}
			}
			continue
		}
		for block := 0; c.load(block); block++ {
			for ; c.i < c.n; c.i++ {
				text, title := v.worth(l, t, c)
				s.add(c.docs[c.i], text+title)
			}
		}
	}
	for _, pair := range q.pairs {
		for _, m := range pair.met[segment] {
			s.add(m.doc, pair.weight*v.frequency(l, m))
		}
	}
}

// inOrder joins two sets of documents.
func inOrder(a, b []uint32) []uint32 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// worth is what a term adds to the score of the document at the cursor.
func (v *snapshot) worth(l *liveSegment, t weighed, c *cursor) (text, title float64) {
	doc := c.docs[c.i]
	text = t.text * frequency(c.times[c.i], float64(l.length(doc)), v.meanLength)
	if t.most > 0 {
		text = min(text, t.most)
	}
	if c.titles[c.i] > 0 {
		title = t.title * frequency(c.titles[c.i], float64(l.titleLength(doc)), v.meanTitle)
	}
	return text, title
}

func (v *snapshot) frequency(l *liveSegment, m posting) float64 {
	return frequency(m.times, float64(l.length(m.doc)), v.meanLength)
}

// explain returns the shares of one document's score.
func (v *snapshot) explain(segment int, q *plan, doc uint32) *Shares {
	l := v.segments[segment]
	var sums [shares]float64
	for _, t := range q.terms {
		term := l.find(t.key)
		if term == nil {
			continue
		}
		if c := newCursor(term); c.seek(doc) {
			text, title := v.worth(l, t, c)
			sums[t.share] += text
			sums[titleShare] += title
		}
	}
	for _, pair := range q.pairs {
		at, ok := slices.BinarySearchFunc(pair.met[segment], doc, func(m posting, doc uint32) int { return cmp.Compare(m.doc, doc) })
		if ok {
			sums[pairShare] += pair.weight * v.frequency(l, pair.met[segment][at])
		}
	}
	return &Shares{Word: sums[wordShare], Stem: sums[stemShare], Pair: sums[pairShare], Title: sums[titleShare], Repair: sums[repairShare]}
}
