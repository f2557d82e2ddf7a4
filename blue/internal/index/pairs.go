package index

import "slices"

// pair is two words of a query that follow one another, and the documents in
// which they stand side by side.
type pair struct {
	weight float64     // with the rarity of the two together
	met    [][]posting // by part
}

// neighbours adds the pairs of the query.
func (p *plan) neighbours(v *view, words []word) {
	words = slices.DeleteFunc(slices.Clone(words), func(w word) bool { return w.form != whole })
	for i := 1; i < len(words); i++ {
		a, b := words[i-1], words[i]
		if b.pos != a.pos+1 {
			continue
		}
		met, holding := make([][]posting, len(v.parts)), 0
		for i, part := range v.parts {
			met[i] = part.meetings(wordTerm+a.text, wordTerm+b.text)
			holding += len(met[i])
		}
		if holding > 0 {
			p.pairs = append(p.pairs, pair{pairWeight * v.rarity(holding), met})
		}
	}
}

// meetings returns the documents in which second stands right behind first, and
// how often.
func (p *part) meetings(first, second string) (met []posting) {
	a, b := p.find(first), p.find(second)
	if a < 0 || b < 0 {
		return nil
	}
	c, d := p.cursor(a), p.cursor(b)
	lead, other := c, d
	if d.count < c.count {
		lead, other = d, c
	}
	for block := 0; lead.load(block); block++ {
		for ; lead.i < lead.n; lead.i++ {
			doc := lead.docs[lead.i]
			if !other.seek(doc) || !p.lives(doc) {
				continue
			}
			if n := beside(c.positions(), d.positions()); n > 0 {
				met = append(met, posting{doc: doc, times: n})
			}
		}
	}
	return met
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
