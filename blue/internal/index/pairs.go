package index

import (
	"cmp"

	"blue/blue/internal/words"
)

// pair is two words of a query that follow one another, and the documents in
// which they stand side by side.
type pair struct {
	weight float64     // with the rarity of the two together
	met    [][]posting // by segment
}

// apart is two words and how far the second stands behind the first.
type apart struct {
	first, second string
	by            uint32
}

// neighbours adds the pairs of the query: words that count, one behind the other.
// Stop words between them stand between them in a note too, and a word that nothing
// holds has its stand-in beside it.
func (p *plan) neighbours(v *snapshot, asked []word) {
	counts := map[string]bool{}
	for _, w := range asked {
		counts[w.Text] = true
	}
	added := map[apart]bool{}
	before, at := "", 0
	for _, w := range p.words {
		if w.Form != words.Whole || !counts[w.Text] {
			continue
		}
		text := cmp.Or(p.standIns[w.Text], w.Text)
		if a := (apart{before, text, uint32(w.Position - at)}); before != "" && !added[a] {
			added[a] = true
			p.pair(v, a)
		}
		before, at = text, w.Position
	}
}

func (p *plan) pair(v *snapshot, a apart) {
	met, holding := make([][]posting, len(v.segments)), 0
	for i, l := range v.segments {
		met[i] = l.meetings(a)
		holding += len(met[i])
	}
	if holding > 0 {
		p.pairs = append(p.pairs, pair{pairWeight * v.rarity(holding), met})
	}
}

// meetings returns the documents in which two words stand as in the query, and how
// often.
func (l *liveSegment) meetings(w apart) (met []posting) {
	a, b := l.find(wordTerm+w.first), l.find(wordTerm+w.second)
	if a == nil || b == nil {
		return nil
	}
	c, d := newCursor(a), newCursor(b)
	lead, other := c, d
	if d.count < c.count {
		lead, other = d, c
	}
	for block := 0; lead.load(block); block++ {
		for ; lead.i < lead.n; lead.i++ {
			doc := lead.docs[lead.i]
			if !other.seek(doc) || !l.lives(doc) {
				continue
			}
			if n := beside(c.positions(), d.positions(), w.by); n > 0 {
				met = append(met, posting{doc: doc, times: n})
			}
		}
	}
	return met
}

// beside counts the places of first that have one of second so far behind them, or
// at the same place: two pieces of one identifier.
func beside(first, second []uint32, by uint32) (n uint32) {
	here, behind := second, second
	for _, place := range first {
		here, behind = from(here, place), from(behind, place+by)
		if len(here) > 0 && here[0] == place || len(behind) > 0 && behind[0] == place+by {
			n++
		}
	}
	return n
}

// from passes over the places before one.
func from(places []uint32, place uint32) []uint32 {
	for len(places) > 0 && places[0] < place {
		places = places[1:]
	}
	return places
}
