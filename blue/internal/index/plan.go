package index

import (
	"cmp"
	"maps"
	"slices"
	"unicode/utf8"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// queryPlan holds the weighted terms and pairs that a query looks up in the segments.
type queryPlan struct {
	parsedQuery
	terms []weightedTerm
	pairs []wordPair
	near  []nearWord

	unmatched []string
	repaired  []Repair
	standIns  map[string]string // by unknown word, the most common of its stand-ins
	ignored   int
	stems     *words.Stemmer
	counting  []queryWord // the rarest, if there are many

	first, second segment.Cursor // for the two words of a pair; too large for the stack
}

// weightedTerm is a term that adds to the score of the documents that hold it.
type weightedTerm struct {
	key                     string
	textWeight, titleWeight float64 // multiplied by the term's rarity in texts and in titles
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

// markLastAsPrefix makes the last word also match the words that begin with it.
func markLastAsPrefix(asked []queryWord) {
	for i := len(asked) - 1; i >= 0; i-- {
		if asked[i].Form == words.Whole {
			asked[i].isPrefix = true
			return
		}
	}
}

// rarestWords returns the rarest words of a long query, in their order, and counts the others.
// Words that no document holds are dropped first because they add nothing.
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

// addWord adds a word and its stem. It returns false if no document holds either.
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

// addGroup adds words that replace one word of the query. All get the rarity of the whole group, so
// that none counts more for being rare.
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

// addNearWords adds the most similar words for a word that no document holds.
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

type knownWord struct {
	text              string
	inTexts, inTitles int // number of documents
}

// nearWords returns at most repairWords words at edit distance 1, which includes transpositions.
// Words that more documents hold come first.
func (v *snapshot) nearWords(word string) []knownWord {
	found := map[string]bool{}
	for _, l := range v.segments {
		l.FindNear(word, func(word string) { found[word] = true })
	}
	return v.mostHeld(slices.Collect(maps.Keys(found)), repairWords)
}

func (v *snapshot) mostHeld(words []string, most int) []knownWord {
	var all []knownWord
	for _, w := range words {
		if n, titles := v.holding(segment.WordTerm + w); n > 0 {
			all = append(all, knownWord{w, n, titles})
		}
	}
	slices.SortFunc(all, func(a, b knownWord) int {
		return cmp.Or(cmp.Compare(b.inTexts, a.inTexts), cmp.Compare(a.text, b.text))
	})
	return all[:min(len(all), most)]
}

// longerWords returns at most prefixWords longer words that begin with a text. Words that more
// documents hold come first.
func (v *snapshot) longerWords(text string) []knownWord {
	found := map[string]bool{}
	for _, l := range v.segments {
		for w := l.TermsFrom(segment.WordTerm + text); w.HasPrefix(segment.WordTerm + text); w.NextTerm() {
			if word := string(w.Key[1:]); word != text {
				found[word] = true
			}
		}
	}
	return v.mostHeld(slices.Collect(maps.Keys(found)), prefixWords)
}

// wordPair is two consecutive words of a query, and the documents in which they occur next to one
// another.
type wordPair struct {
	weight float64       // multiplied by the rarity of the pair
	counts [][]pairCount // by segment
}

// pairCount is the number of times that a pair occurs in a document.
type pairCount struct{ doc, times uint32 }

// wordDistance is two words and the distance from the first to the second.
type wordDistance struct {
	first, second string
	distance      uint32
}

// addPairs adds the pairs of consecutive words of a query that count. Stop words between them are
// part of the distance, as they are in a document. A word that no document holds is replaced by its
// stand-in.
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

// countPair returns, by segment, the documents in which two words occur at their distance in the
// query, and the number of these documents.
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

// countPairs counts the positions of the first word for which the second word is at the same
// position, as two pieces of one identifier are, or at the distance after it.
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
