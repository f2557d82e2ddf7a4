package index

import (
	"cmp"

	"blue/blue/internal/words"
)

// wordPair is two words of a query that follow one another, and the documents in
// which they stand side by side.
type wordPair struct {
	weight   float64     // with the rarity of the two together
	postings [][]posting // by segment
}

// wordDistance is two words and how far the second stands behind the first.
type wordDistance struct {
	first, second string
	distance      uint32
}

// addPairs adds the pairs of the query: words that count, one behind the other.
// Stop words between them stand between them in a note too, and a word that nothing
// holds has its stand-in beside it.
func (p *queryPlan) addPairs(v *snapshot, asked []queryWord) {
	counts := map[string]bool{}
	for _, w := range asked {
		counts[w.Text] = true
	}
	added := map[wordDistance]bool{}
	before, at := "", 0
	for _, w := range p.words {
		if w.Form != words.Whole || !counts[w.Text] {
			continue
		}
		text := cmp.Or(p.standIns[w.Text], w.Text)
		if a := (wordDistance{before, text, uint32(w.Position - at)}); before != "" && !added[a] {
			added[a] = true
			p.addPair(v, a)
		}
		before, at = text, w.Position
	}
}

func (p *queryPlan) addPair(v *snapshot, a wordDistance) {
	both, holding := make([][]posting, len(v.segments)), 0
	for i, l := range v.segments {
		both[i] = l.postingsOfPair(a)
		holding += len(both[i])
	}
	if holding > 0 {
		p.pairs = append(p.pairs, wordPair{pairWeight * v.rarity(holding), both})
	}
}

// postingsOfPair returns the documents in which two words stand as in the query, and how
// often.
func (l *liveSegment) postingsOfPair(w wordDistance) (both []posting) {
	a, b := l.findTerm(wordTerm+w.first), l.findTerm(wordTerm+w.second)
	if a == nil || b == nil {
		return nil
	}
	c, d := newCursor(a), newCursor(b)
	lead, other := c, d
	if d.count < c.count {
		lead, other = d, c
	}
	for block := 0; lead.loadBlock(block); block++ {
		for ; lead.i < lead.n; lead.i++ {
			doc := lead.docs[lead.i]
			if !other.seek(doc) || !l.lives(doc) {
				continue
			}
			if n := countPairs(c.positions(), d.positions(), w.distance); n > 0 {
				both = append(both, posting{doc: doc, times: n})
			}
		}
	}
	return both
}

// countPairs counts the positions of the first word that have one of the second at a
// distance behind them, or are one of it: two pieces of one identifier.
func countPairs(first, second []uint32, distance uint32) (n uint32) {
	here, behind := second, second
	for _, position := range first {
		here, behind = skipBefore(here, position), skipBefore(behind, position+distance)
		if len(here) > 0 && here[0] == position || len(behind) > 0 && behind[0] == position+distance {
			n++
		}
	}
	return n
}

// skipBefore passes over the positions before one.
func skipBefore(positions []uint32, position uint32) []uint32 {
	for len(positions) > 0 && positions[0] < position {
		positions = positions[1:]
	}
	return positions
}
