package index

import (
	"cmp"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// wordPair is two words of a query that follow one another, and the documents in
// which they stand side by side.
type wordPair struct {
	weight float64       // with the rarity of the two together
	counts [][]pairCount // by segment
}

// pairCount is how often the two stand so in a document.
type pairCount struct{ doc, times uint32 }

// wordDistance is two words and how far the second stands behind the first.
type wordDistance struct {
	first, second string
	distance      uint32
}

// addPairs adds the pairs of a query: words that count, one behind the other. Stop words
// between them stand between them in a note too, and a word that nothing holds has its
// stand-in beside it.
func (p *queryPlan) addPairs(v *snapshot) {
	counts := map[string]bool{}
	for _, w := range p.counting {
		counts[w.Text] = true
	}
	added := map[wordDistance]bool{}
	before, at := "", 0
	for _, w := range p.words {
		if w.Form != words.Whole || !counts[w.Text] {
			continue
		}
		text := cmp.Or(p.standIns[w.Text], w.Text)
		d := wordDistance{before, text, uint32(w.Position - at)}
		if before != "" && !added[d] {
			added[d] = true
			if counts, holding := p.countPair(v, d); holding > 0 {
				p.pairs = append(p.pairs, wordPair{pairWeight * v.rarity(holding), counts})
			}
		}
		before, at = text, w.Position
	}
}

// countPair returns, by segment, the documents in which two words stand as in the query,
// and in how many they do.
func (p *queryPlan) countPair(v *snapshot, w wordDistance) (counts [][]pairCount, holding int) {
	counts = make([][]pairCount, len(v.segments))
	c, d := &p.first, &p.second
	for i, l := range v.segments {
		a, b := l.FindTerm(segment.WordTerm+w.first), l.FindTerm(segment.WordTerm+w.second)
		if a == nil || b == nil {
			continue
		}
		c.OpenTerm(a)
		d.OpenTerm(b)
		lead, other := c, d
		if d.Count < c.Count {
			lead, other = d, c
		}
		for lead.Next() {
			doc := lead.Doc()
			if !other.Seek(doc) || !l.Lives(doc) {
				continue
			}
			if n := countPairs(c.Positions(), d.Positions(), w.distance); n > 0 {
				counts[i] = append(counts[i], pairCount{doc, n})
			}
		}
		holding += len(counts[i])
	}
	return counts, holding
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

func skipBefore(positions []uint32, position uint32) []uint32 {
	for len(positions) > 0 && positions[0] < position {
		positions = positions[1:]
	}
	return positions
}
