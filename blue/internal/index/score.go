package index

// score fills scores, one a document of the part, with what words, stems, stand-ins
// and title are worth.
func (p *part) score(v *view, q *plan, scores []float64) {
	for _, t := range q.terms {
		term := p.find(t.key)
		if term < 0 {
			continue
		}
		c := p.cursor(term)
		for block := 0; c.load(block); block++ {
			for i := range c.n {
				doc := c.docs[i]
				value := t.weight * frequency(c.times[i], float64(p.lengths[doc]), v.length)
				if c.titles[i] > 0 {
					value += t.title * frequency(c.titles[i], float64(p.titles[doc]), v.titling)
				}
				scores[doc] += value
			}
		}
	}
}

// explain returns the shares of one document's score.
func (p *part) explain(v *view, q *plan, doc uint32) *Shares {
	var parts [shares]float64
	for _, t := range q.terms {
		term := p.find(t.key)
		if term < 0 {
			continue
		}
		if c := p.cursor(term); c.seek(doc) {
			parts[t.share] += t.weight * frequency(c.times[c.i], float64(p.lengths[doc]), v.length)
			if c.titles[c.i] > 0 {
				parts[titleShare] += t.title * frequency(c.titles[c.i], float64(p.titles[doc]), v.titling)
			}
		}
	}
	parts[pairShare] = p.pairs(q).worth(v, doc)
	return &Shares{Word: parts[wordShare], Stem: parts[stemShare], Pair: parts[pairShare], Title: parts[titleShare], Repair: parts[repairShare]}
}

// meetings reads the pairs of a query in one part.
type meetings struct {
	p     *part
	pairs []meeting
}

type meeting struct {
	first, second *cursor
	weight        float64
}

// pairs opens the pairs that can occur in the part. Words that are in several
// share a cursor, so documents must be asked for in ascending order.
func (p *part) pairs(q *plan) *meetings {
	m := &meetings{p: p}
	for _, pair := range q.pairs {
		first, second := p.find(pair.first), p.find(pair.second)
		if first >= 0 && second >= 0 {
			m.pairs = append(m.pairs, meeting{p.cursor(first), p.cursor(second), pair.weight})
		}
	}
	return m
}

// worth returns what the pairs add to the score of a document.
func (m *meetings) worth(v *view, doc uint32) float64 {
	sum := 0.0
	for _, pair := range m.pairs {
		if pair.first.seek(doc) && pair.second.seek(doc) {
			if n := beside(pair.first.places(), pair.second.places()); n > 0 {
				sum += pair.weight * frequency(n, float64(m.p.lengths[doc]), v.length)
			}
		}
	}
	return sum
}

// most is the largest sum that pairs can add.
func (q *plan) most() float64 {
	sum := 0.0
	for _, pair := range q.pairs {
		sum += pair.weight * (saturation + 1)
	}
	return sum
}

// beside counts the places of first that have one of second right behind them,
// or at the same place: two pieces of one identifier.
func beside(first, second []uint32) uint32 {
	n, j := uint32(0), 0
	for _, place := range first {
		for j < len(second) && second[j] < place {
			j++
		}
		if j < len(second) && second[j] <= place+1 {
			n++
		}
	}
	return n
}
