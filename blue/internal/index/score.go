package index

import (
	"cmp"
	"slices"
)

// scores are those of the documents of a part.
type scores struct {
	of  []float64 // zeros, but for those that were met
	met []uint32  // each once
}

// score gives the documents of a part the scores of what the query finds in them. Those
// that are named are met too. The scores are good until [Index.done].
func (x *Index) score(v *view, part int, q *plan, named map[document]int) *scores {
	s, _ := x.scores.Get().(*scores)
	if n := v.parts[part].docs; s == nil || len(s.of) < n {
		s = &scores{of: make([]float64, n)}
	}
	v.score(part, q, s)
	for at := range named {
		if at.part == part && s.of[at.doc] == 0 {
			s.met = append(s.met, at.doc)
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

// score adds what the query finds in the documents of a part.
func (v *view) score(part int, q *plan, s *scores) {
	p := v.parts[part]
	c := &cursor{}
	for _, t := range q.terms {
		term := p.find(t.key)
		if term == nil {
			continue
		}
		c.open(term)
		for block := 0; c.load(block); block++ {
			for ; c.i < c.n; c.i++ {
				text, title := v.worth(p, t, c)
				s.add(c.docs[c.i], text+title)
			}
		}
	}
	for _, pair := range q.pairs {
		for _, m := range pair.met[part] {
			s.add(m.doc, pair.weight*v.frequency(p, m))
		}
	}
}

// worth is what a term adds to the score of the document at the cursor.
func (v *view) worth(p *part, t weighed, c *cursor) (text, title float64) {
	doc := c.docs[c.i]
	text = t.text * frequency(c.times[c.i], float64(p.length(doc)), v.length)
	if c.titles[c.i] > 0 {
		title = t.title * frequency(c.titles[c.i], float64(p.segment.titling(doc)), v.titling)
	}
	return text, title
}

func (v *view) frequency(p *part, m posting) float64 {
	return frequency(m.times, float64(p.length(m.doc)), v.length)
}

// explain returns the shares of one document's score.
func (v *view) explain(part int, q *plan, doc uint32) *Shares {
	p := v.parts[part]
	var sums [shares]float64
	for _, t := range q.terms {
		term := p.find(t.key)
		if term == nil {
			continue
		}
		if c := newCursor(term); c.seek(doc) {
			text, title := v.worth(p, t, c)
			sums[t.share] += text
			sums[titleShare] += title
		}
	}
	for _, pair := range q.pairs {
		at, ok := slices.BinarySearchFunc(pair.met[part], doc, func(m posting, doc uint32) int { return cmp.Compare(m.doc, doc) })
		if ok {
			sums[pairShare] += pair.weight * v.frequency(p, pair.met[part][at])
		}
	}
	return &Shares{Word: sums[wordShare], Stem: sums[stemShare], Pair: sums[pairShare], Title: sums[titleShare], Repair: sums[repairShare]}
}
