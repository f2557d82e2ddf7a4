package index

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// queryPlan is what a query asks of the segments: terms and pairs with weights.
type queryPlan struct {
	parsedQuery
	terms []weightedTerm
	pairs []wordPair
	near  []nearWord

	unmatched []string
	repaired  []Repair
	standIns  map[string]string // for each repaired word the commonest
	ignored   int
	stems     *words.Stemmer
	counting  []queryWord // the rarest, if there are many

	first, second segment.Cursor // along the two words of a pair: they are large for a stack
}

// weightedTerm is a term that adds to the score of the documents that hold it.
type weightedTerm struct {
	key                     string
	textWeight, titleWeight float64 // weights with the term's rarity in texts and in titles
	share                   int
}

// Parts of a score.
const (
	wordShare = iota
	stemShare
	repairShare
	pairShare
	nearShare
	titleShare
	shares
)

func (v *snapshot) planQuery(s parsedQuery, prefix bool, stems *words.Stemmer) *queryPlan {
	p := &queryPlan{stems: stems, parsedQuery: s, unmatched: s.unheldPhrases, standIns: map[string]string{}}
	asked := v.rarestWords(s.countingWords(), &p.ignored)
	p.counting = asked
	if prefix {
		markLastAsPrefix(asked)
	}
	met := map[int]bool{} // positions of the query that have a match
	var unmet []queryWord
	for _, w := range asked {
		found := p.addWord(v, w)
		if found = p.addLongerWords(v, w) || found; found || p.addNearWords(v, w) {
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
	p.addPairs(v)
	p.near = v.nearWordsOf(p.counting, p)
	return p
}

// markLastAsPrefix lets the last word also stand for those that begin with it.
func markLastAsPrefix(asked []queryWord) {
	for i := len(asked) - 1; i >= 0; i-- {
		if asked[i].Form == words.Whole {
			asked[i].isPrefix = true
			return
		}
	}
}

// rarestWords keeps the rarest words of a long query, in their order, and counts the
// others. Words that no note holds go first: they could add nothing.
func (v *snapshot) rarestWords(asked []queryWord, ignored *int) []queryWord {
	if len(asked) <= maxQueryWords {
		return asked
	}
	holding := map[string]int{}
	for _, w := range asked {
		if holding[w.Text], _ = v.holding(segment.WordTerm + w.Text); holding[w.Text] == 0 {
			holding[w.Text] = v.docs + 1
		}
	}
	order := slices.Clone(asked)
	slices.SortStableFunc(order, func(a, b queryWord) int { return cmp.Compare(holding[a.Text], holding[b.Text]) })
	for _, w := range order[maxQueryWords:] {
		if w.Form == words.Whole || w.Form == words.Last {
			*ignored++
		}
		delete(holding, w.Text)
	}
	return slices.DeleteFunc(asked, func(w queryWord) bool { return holding[w.Text] == 0 })
}

// addWord adds a word and its stem; false when nothing holds either.
func (p *queryPlan) addWord(v *snapshot, w queryWord) bool {
	times := 1 + repeatWeight*float64(min(w.times, repeatsMost)-1)
	if w.Form == words.Compound {
		return p.addTerm(v, segment.WordTerm+w.Text, times*compoundWeight, wordShare)
	}
	found := p.addTerm(v, segment.WordTerm+w.Text, times, wordShare)
	if stem := p.stems.Stem(w.Text); stem != "" {
		found = p.addTerm(v, segment.StemTerm+stem, times*stemWeight, stemShare) || found
	}
	return found
}

func (p *queryPlan) addTerm(v *snapshot, key string, weight float64, share int) bool {
	texts, titles := v.holding(key)
	if texts > 0 {
		p.terms = append(p.terms, weightedTerm{key, weight * v.rarity(texts), weight * titleWeight * v.rarity(titles), share})
	}
	return texts > 0
}

// addGroup adds words that stand for one, all with the rarity of the whole
// group, so that none counts more for being rare.
func (p *queryPlan) addGroup(v *snapshot, known []knownWord, weight float64, share int) {
	texts, titles := 0, 0
	for _, k := range known {
		texts, titles = texts+k.inTexts, titles+k.inTitles
	}
	for _, k := range known {
		p.terms = append(p.terms, weightedTerm{segment.WordTerm + k.text, weight * v.rarity(texts), weight * titleWeight * v.rarity(titles), share})
	}
}

func (p *queryPlan) addLongerWords(v *snapshot, w queryWord) bool {
	if !w.isPrefix {
		return false
	}
	longer := v.longerWords(w.Text)
	p.addGroup(v, longer, prefixWeight, wordShare)
	return len(longer) > 0
}

// addNearWords adds the nearest words for one that no document holds.
func (p *queryPlan) addNearWords(v *snapshot, w queryWord) bool {
	if w.inPhrase || w.Form == words.Compound || utf8.RuneCountInString(w.Text) < repairLetters {
		return false
	}
	near := v.nearWords(w.Text)
	if len(near) == 0 {
		return false
	}
	p.addGroup(v, near, repairWeight, repairShare)
	r := Repair{Word: w.typed}
	for _, k := range near {
		r.StandIns = append(r.StandIns, k.text)
	}
	p.repaired = append(p.repaired, r)
	p.standIns[w.Text] = near[0].text
	return true
}
