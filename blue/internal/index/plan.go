package index

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"blue/blue/internal/words"
)

// plan is what a query asks of the segments: terms and pairs with weights.
type plan struct {
	sentence
	terms []weighed
	pairs []pair

	unmatched []string
	repaired  []Repair
	standIns  map[string]string // for each repaired word the commonest
	ignored   int
	stems     *words.Stemmer
	asked     []word // the words that count, for [snapshot.confidence]

	// Scores below it need not be found. Only for terms that have a most, the rarest
	// first, and for no pairs.
	least float64
}

// weighed is a term that adds to the score of the documents that hold it.
type weighed struct {
	key         string
	text, title float64 // weights with the term's rarity in texts and in titles
	share       int
	most        float64 // that it adds to a score; 0 for any
}

// Parts of a score.
const (
	wordShare = iota
	stemShare
	repairShare
	pairShare
	titleShare
	shares
)

func (v *snapshot) plan(s sentence, prefix bool, stems *words.Stemmer) *plan {
	p := &plan{stems: stems, sentence: s, unmatched: s.unheld, standIns: map[string]string{}}
	asked := v.rarest(s.important(), &p.ignored)
	if prefix {
		markLast(asked)
	}
	met := map[int]bool{} // places of the query that have a match
	var unmet []word
	for _, w := range asked {
		found := p.word(v, w)
		if found = p.prefix(v, w) || found; found || p.repair(v, w) {
			met[w.Position] = true
		} else if w.Form != words.Compound {
			unmet = append(unmet, w)
		}
	}
	for _, w := range unmet {
		if !met[w.Position] {
			met[w.Position] = true
			p.unmatched = append(p.unmatched, w.typed)
		}
	}
	p.neighbours(v, asked)
	return p
}

// markLast lets the last word also stand for those that begin with it.
func markLast(asked []word) {
	for i := len(asked) - 1; i >= 0; i-- {
		if asked[i].Form == words.Whole {
			asked[i].partial = true
			return
		}
	}
}

// rarest keeps the rarest words of a long query, in their order, and counts the
// others. Words that no note holds go first: they could add nothing.
func (v *snapshot) rarest(asked []word, ignored *int) []word {
	if len(asked) <= queryWords {
		return asked
	}
	holding := map[string]int{}
	for _, w := range asked {
		if holding[w.Text], _ = v.holding(wordTerm + w.Text); holding[w.Text] == 0 {
			holding[w.Text] = v.docs + 1
		}
	}
	order := slices.Clone(asked)
	slices.SortStableFunc(order, func(a, b word) int { return cmp.Compare(holding[a.Text], holding[b.Text]) })
	for _, w := range order[queryWords:] {
		if w.Form == words.Whole || w.Form == words.Last {
			*ignored++
		}
		delete(holding, w.Text)
	}
	return slices.DeleteFunc(asked, func(w word) bool { return holding[w.Text] == 0 })
}

// word adds a word and its stem; false when nothing holds either.
func (p *plan) word(v *snapshot, w word) bool {
	if w.Form == words.Compound {
		return p.add(v, wordTerm+w.Text, compoundWeight, wordShare)
	}
	found := p.add(v, wordTerm+w.Text, 1, wordShare)
	if stem := p.stems.Stem(w.Text); stem != "" {
		found = p.add(v, stemTerm+stem, stemWeight, stemShare) || found
	}
	return found
}

func (p *plan) add(v *snapshot, key string, weight float64, share int) bool {
	texts, titles := v.holding(key)
	if texts > 0 {
		p.terms = append(p.terms, weighed{key, weight * v.rarity(texts), weight * titleWeight * v.rarity(titles), share, 0})
	}
	return texts > 0
}

// together adds words that stand for one, all with the rarity of the whole
// group, so that none is dear for being rare.
func (p *plan) together(v *snapshot, known []known, weight float64, share int) {
	texts, titles := 0, 0
	for _, k := range known {
		texts, titles = texts+k.texts, titles+k.titles
	}
	for _, k := range known {
		p.terms = append(p.terms, weighed{wordTerm + k.text, weight * v.rarity(texts), weight * titleWeight * v.rarity(titles), share, 0})
	}
}

func (p *plan) prefix(v *snapshot, w word) bool {
	if !w.partial {
		return false
	}
	longer := v.beginning(w.Text)
	p.together(v, longer, prefixWeight, wordShare)
	return len(longer) > 0
}

// repair adds the nearest words for one that no document holds.
func (p *plan) repair(v *snapshot, w word) bool {
	if w.kept || w.Form == words.Compound || utf8.RuneCountInString(w.Text) < repairLetters {
		return false
	}
	near := v.near(w.Text)
	if len(near) == 0 {
		return false
	}
	p.together(v, near, repairWeight, repairShare)
	r := Repair{Word: w.typed}
	for _, k := range near {
		r.StandIns = append(r.StandIns, k.text)
	}
	p.repaired = append(p.repaired, r)
	p.standIns[w.Text] = near[0].text
	return true
}
