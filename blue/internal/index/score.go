package index

import (
	"cmp"
	"slices"

	"blue/blue/internal/segment"
)

type scores struct {
	sums []float64 // zero except for docs
	docs []uint32  // without duplicates
	near nearnessReader
}

// takeScores returns scores for the documents of a segment. [Index.reuseScores] takes them back.
func (x *Index) takeScores(l *segment.Live) *scores {
	s, ok := x.scores.Get().(*scores)
	if !ok || len(s.sums) < l.Docs {
		s = &scores{sums: make([]float64, l.Docs)}
	}
	return s
}

// reuseScores resets scores for the next search.
func (x *Index) reuseScores(s *scores) {
	for _, doc := range s.docs {
		s.sums[doc] = 0
	}
	s.docs = s.docs[:0]
	x.scores.Put(s)
}

func (s *scores) addScore(doc uint32, worth float64) {
	if s.sums[doc] == 0 && worth > 0 {
		s.docs = append(s.docs, doc)
	}
	s.sums[doc] += worth
}

// addNamed adds those exact matches of a segment that have no score.
func (s *scores) addNamed(ordinal int, named map[location]int) {
	for at := range named {
		if at.segment == ordinal && s.sums[at.doc] == 0 {
			s.docs = append(s.docs, at.doc)
		}
	}
}

// addScores adds the scores of the documents of a segment.
func (v *snapshot) addScores(ordinal int, q *queryPlan, s *scores) {
	l := v.segments[ordinal]
	c := &segment.Cursor{}
	for _, t := range q.terms {
		term := l.FindTerm(t.key)
		if term == nil {
			continue
		}
		for c.OpenTerm(term); c.Next(); {
			text, title := v.termScore(l, t, c)
			s.addScore(c.Doc(), text+title)
		}
	}
	for _, pair := range q.pairs {
		for _, m := range pair.counts[ordinal] {
			s.addScore(m.doc, pair.weight*v.pairFrequency(l, m))
		}
	}
}

// addNearness adds the nearness of the query's words to those scores that can still become one of
// the best. Nearness multiplies no score by more than 1 + nearMost.
func (v *snapshot) addNearness(ordinal int, q *queryPlan, s *scores, best *topCandidates) {
	if len(q.near) < 2 {
		return
	}
	l := v.segments[ordinal]
	before := bestScores{limit: s.bestLimit(best.limit)}
	for _, doc := range s.docs {
		before.addScore(l, doc, s.sums[doc])
	}
	least := max(best.leastScore, before.least()) / (1 + nearMost)
	var docs []uint32
	for _, doc := range s.docs {
		if s.sums[doc] >= least {
			docs = append(docs, doc)
		}
	}
	slices.Sort(docs)
	s.near.open(ordinal, q.near)
	reached := bestScores{limit: s.bestLimit(best.limit)}
	for _, doc := range docs {
		if s.sums[doc] < least {
			continue
		}
		s.sums[doc] += s.near.measure(doc, s.sums[doc], float64(l.Length(doc))/v.meanLength)
		reached.addScore(l, doc, s.sums[doc])
		least = max(least, reached.least()/(1+nearMost))
	}
}

// bestLimit returns the number of best scores worth tracking, 0 for none.
func (s *scores) bestLimit(limit int) int {
	if limit > selectLimit || len(s.docs) < limit {
		return 0
	}
	return limit
}

// bestScores holds the best scores of active documents, at most limit of them.
type bestScores struct {
	limit int
	top   []float64 // ascending
}

func (b *bestScores) addScore(l *segment.Live, doc uint32, score float64) {
	full := len(b.top) == b.limit
	if full && (b.limit == 0 || score <= b.top[0]) || !l.Lives(doc) || l.Superseded(doc) {
		return
	}
	at, _ := slices.BinarySearch(b.top, score)
	b.top = slices.Insert(b.top, at, score)
	if full {
		b.top = slices.Delete(b.top, 0, 1)
	}
}

// least returns the lowest of the best scores, or 0 if there are fewer than limit.
func (b *bestScores) least() float64 {
	if b.limit == 0 || len(b.top) < b.limit {
		return 0
	}
	return b.top[0]
}

// termScore returns what a term adds to the score of the document at the cursor.
func (v *snapshot) termScore(l *segment.Live, t weightedTerm, c *segment.Cursor) (text, title float64) {
	doc := c.Doc()
	text = t.textWeight * termFrequency(float64(c.Frequency()), float64(l.Length(doc)), v.meanLength)
	if c.TitleFrequency() > 0 {
		title = t.titleWeight * termFrequency(float64(c.TitleFrequency()), float64(l.TitleLength(doc)), v.meanTitle)
	}
	return text, title
}

func (v *snapshot) pairFrequency(l *segment.Live, m pairCount) float64 {
	return termFrequency(float64(m.times), float64(l.Length(m.doc)), v.meanLength)
}

func (v *snapshot) scoreShares(ordinal int, q *queryPlan, doc uint32) *Shares {
	l := v.segments[ordinal]
	var sums [shares]float64
	for _, t := range q.terms {
		term := l.FindTerm(t.key)
		if term == nil {
			continue
		}
		if c := segment.NewCursor(term); c.Seek(doc) {
			text, title := v.termScore(l, t, c)
			sums[t.share] += text
			sums[titleShare] += title
		}
	}
	for _, pair := range q.pairs {
		at, ok := slices.BinarySearchFunc(pair.counts[ordinal], doc, func(m pairCount, doc uint32) int { return cmp.Compare(m.doc, doc) })
		if ok {
			sums[pairShare] += pair.weight * v.pairFrequency(l, pair.counts[ordinal][at])
		}
	}
	score := 0.0
	for _, sum := range sums {
		score += sum
	}
	var near nearnessReader
	near.open(ordinal, q.near)
	sums[nearShare] = near.measure(doc, score, float64(l.Length(doc))/v.meanLength)
	return &Shares{Word: sums[wordShare], Stem: sums[stemShare], Pair: sums[pairShare], Near: sums[nearShare], Title: sums[titleShare], Repair: sums[repairShare]}
}
