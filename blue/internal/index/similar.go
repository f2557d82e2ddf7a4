package index

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// Parameters of the comparison.
const (
	similarTerms = 32   // number of the heaviest terms of a draft that are looked for
	similarLeast = 0.15 // of the weight that a copy of the draft would have, for a document that is looked at
	titledLeast  = 0.4  // of the weight of a draft's title, in the title of a document that is looked at
	alikeLooked  = 5    // number of documents that are looked at, by text and by title
	alikeMost    = 3    // number of documents that are named
	alikeShare   = 0.37 // of the information in the shorter text, for a document that is about the same matter
	titledShare  = 0.3  // the same if one title holds nearly all that the other says
	titledAll    = 0.9  // of the information in the shorter title
	alikeLeast   = 60.0 // nats; a shorter text counts as one that holds this
	titledHeavy  = 0.3  // of the information in the shorter title, for words of both titles to count more
	alikeTitled  = 3    // times that they count
	alikeWords   = 40   // words of a passage by which the information in a word is judged

	draftPostings  = 1 << 13 // read for a text or a title, those of its rarest terms
	draftFinalists = 32      // documents in which the other terms are looked up
)

// Draft is a text that is compared with the documents.
type Draft struct {
	Title, Body string
	MayReplace  func(Row) bool                    // reports whether the draft may replace a document; nil: none
	MayTell     func(Row) bool                    // reports whether a superseded document may be told; nil: none
	Read        func(Row) (body, revision string) // like [Passages.Body]
}

// FindAlike returns the documents that are about the same matter as a draft, the most similar first:
// those that it may replace, and superseded ones. It prefers to miss a document rather than to name an unrelated
// one, and finds more if the draft itself is not in the index yet.
func (x *Index) FindAlike(d Draft) (similar, aside []Row) {
	var looked []Row
	x.readSnapshot(func(v *snapshot) {
		looked = nil
		for _, c := range slices.Concat(x.findSimilar(v, v.compareText(d, &x.stems), d), x.findTitled(v, d)) {
			row := v.segments[c.segment].Row(c.doc)
			may := d.MayReplace
			if row.Superseded {
				may = d.MayTell
			}
			if may != nil && may(row) && !slices.ContainsFunc(looked, func(r Row) bool { return r.Name == row.Name }) {
				looked = append(looked, row)
			}
		}
	})
	type scored struct {
		row   Row
		share float64
	}
	var alike []scored
	bodies := make([]string, len(looked))
	for i, row := range looked {
		bodies[i] = x.bodies.bodyOf(row, d.Read)
	}
	x.readSnapshot(func(v *snapshot) {
		alike = nil
		c := &comparedTexts{v: v, stems: &x.stems, p: v.parsePrompt("", &x.stems), worth: map[string]float64{}}
		title, text := c.read(d.Title), c.read(d.Title+"\n"+d.Body)
		for i, row := range looked {
			share, ok := c.alike(title, text, c.read(row.Title), c.read(row.Title+"\n"+bodies[i]))
			if key := words.TitleKey(d.Title); key != "" && words.TitleKey(row.Title) == key {
				share, ok = 1, true
			}
			if ok {
				alike = append(alike, scored{row, share})
			}
		}
	})
	slices.SortStableFunc(alike, func(a, b scored) int { return cmp.Compare(b.share, a.share) })
	for _, a := range alike {
		switch {
		case a.row.Superseded && len(aside) < alikeMost:
			aside = append(aside, a.row)
		case !a.row.Superseded && len(similar) < alikeMost:
			similar = append(similar, a.row)
		}
	}
	return similar, aside
}

// comparedTexts compares texts by the information in their words.
type comparedTexts struct {
	v     *snapshot
	stems *words.Stemmer
	p     *prompt            // knows the number of documents
	worth map[string]float64 // nats, by the stem of a word
}

// comparedText holds the stems of a text, in order, and their terms.
type comparedText struct {
	keys []string
	term map[string]string
}

func (c *comparedTexts) read(text string) comparedText {
	t := comparedText{term: map[string]string{}}
	eachKey(text, c.stems, func(key, term string, _ words.Form) {
		if t.term[key] == "" {
			t.keys, t.term[key] = append(t.keys, key), term
		}
	})
	return t
}

// worthOf returns the information in a word of a text. To look it up is most of a comparison.
func (c *comparedTexts) worthOf(key string, t comparedText) float64 {
	worth, known := c.worth[key]
	if !known {
		holding, _ := c.v.holding(t.term[key])
		here, _ := c.p.chances(promptWord{share: everydayShare(key), holding: holding}, true, alikeWords)
		worth = -math.Log(here)
		c.worth[key] = worth
	}
	return worth
}

// alike reports whether two texts are about the same matter, and how much of the information in the shorter
// one the other holds too. Words that titles with much in common share count several times.
func (c *comparedTexts) alike(title, text, otherTitle, other comparedText) (share float64, ok bool) {
	titles := c.shared(title, otherTitle, leastShared, 0, func(string) float64 { return 1 })
	need := alikeShare
	if titles >= titledAll {
		need = titledShare
	}
	share = c.shared(text, other, alikeLeast, need, func(key string) float64 {
		if titles >= titledHeavy && title.term[key] != "" && otherTitle.term[key] != "" {
			return alikeTitled
		}
		return 1
	})
	return share, share >= need
}

// shared returns how much of the information in the shorter of two texts, at least that many nats, the other
// holds too, or 0 if that is less than is needed. A word counts as often as times says.
func (c *comparedTexts) shared(one, other comparedText, least, need float64, times func(key string) float64) float64 {
	shared := 0.0
	for _, key := range one.keys {
		if other.term[key] != "" {
			shared += times(key) * c.worthOf(key, one)
		}
	}
	limit := math.Inf(1)
	if need > 0 {
		limit = shared / need
	}
	weigh := func(t comparedText) (all float64) {
		for _, key := range t.keys {
			if all += times(key) * c.worthOf(key, t); all > limit {
				break
			}
		}
		return all
	}
	shorter := least
	if least <= limit {
		shorter = max(min(weigh(one), weigh(other)), least)
	}
	if shorter > limit {
		return 0
	}
	return shared / shorter
}

// findSimilar returns the documents that hold some of what is specific to a draft, or have its title:
// the best of the active ones, then the best of the superseded ones if the draft asks for them.
func (x *Index) findSimilar(v *snapshot, q *comparison, d Draft) []candidate {
	named := map[location]int{}
	if key := words.TitleKey(d.Title); key != "" {
		v.markHolders(named, segment.TitleTerm+key, classExact)
	}
	active, aside := x.compare(v, q, named, d.MayTell != nil)
	return slices.Concat(active[:min(alikeLooked, len(active))], aside[:min(alikeLooked, len(aside))])
}

// findTitled returns the documents whose titles have some of the weight of the draft's title.
func (x *Index) findTitled(v *snapshot, d Draft) []candidate {
	titled, _ := x.compare(v, v.compareTitle(d.Title, &x.stems), nil, false)
	return titled[:min(alikeLooked, len(titled))]
}

// comparison holds the terms of a draft that documents are compared by.
type comparison struct {
	terms  []draftTerm // the rarest first
	titles bool        // compare only the titles of documents
	least  float64     // least score of a similar document
}

// draftTerm is a term of a draft. It adds no more to the score of a document than it would to that
// of a copy of the draft, however often the document repeats it.
type draftTerm struct {
	key            string
	rarity, atMost float64
	holding        int // number of documents that hold it
}

// compareText returns the comparison by the heaviest terms of a draft. The least score is a
// share of what a copy of the draft would have.
func (v *snapshot) compareText(d Draft, stems *words.Stemmer) *comparison {
	times, length := countTerms(d.Title+"\n"+strings.TrimSpace(d.Body), stems)
	terms := v.draftTerms(times)
	for i, t := range terms {
		terms[i].atMost = t.rarity * termFrequency(float64(times[t.key]), float64(length), v.meanLength)
	}
	slices.SortFunc(terms, func(a, b draftTerm) int { return cmp.Or(cmp.Compare(b.atMost, a.atMost), cmp.Compare(a.key, b.key)) })
	return newComparison(terms[:min(len(terms), similarTerms)], similarLeast)
}

// compareTitle returns the comparison by the terms of a title.
func (v *snapshot) compareTitle(title string, stems *words.Stemmer) *comparison {
	times, _ := countTerms(title, stems)
	q := newComparison(v.draftTerms(times), titledLeast)
	q.titles = true
	return q
}

// draftTerms returns the terms of a draft sorted by key. New terms, which no document holds, count
// too.
func (v *snapshot) draftTerms(times map[string]uint32) []draftTerm {
	keys := slices.Sorted(maps.Keys(times))
	terms := make([]draftTerm, len(keys))
	for i, key := range keys {
		holding, _ := v.holding(key)
		rarity := v.rarity(max(holding, 1))
		terms[i] = draftTerm{key: key, rarity: rarity, atMost: rarity, holding: holding}
	}
	return terms
}

func newComparison(terms []draftTerm, share float64) *comparison {
	copied := 0.0
	slices.SortFunc(terms, func(a, b draftTerm) int { return cmp.Or(cmp.Compare(b.rarity, a.rarity), cmp.Compare(a.key, b.key)) })
	for _, t := range terms {
		copied += t.atMost
	}
	least := max(share*copied*(1-1e-9), math.SmallestNonzeroFloat64) // so that rounding does not lose an exact share
	return &comparison{terms: terms, least: least}
}

// termScore returns what a term adds to the score of the document at the cursor.
func (q *comparison) termScore(v *snapshot, l *segment.Live, t draftTerm, c *segment.Cursor) float64 {
	switch {
	case !q.titles:
		return min(t.atMost, t.rarity*termFrequency(float64(c.Frequency()), float64(l.Length(c.Doc())), v.meanLength))
	case c.TitleFrequency() > 0:
		return t.atMost
	}
	return 0
}

// compare returns the active documents, and the superseded ones if withAside is set, that reach the
// least score or are named, the best first. It reads at most draftPostings postings, those of the
// rarest terms, and looks up the other terms only in the documents that score best by these, so
// that the work does not grow with the number of documents.
func (x *Index) compare(v *snapshot, q *comparison, named map[location]int, withAside bool) (active, aside []candidate) {
	read, postings, least := 0, 0, q.least
	for read < len(q.terms) && postings+q.terms[read].holding <= draftPostings {
		postings += q.terms[read].holding
		read++
	}
	rest := q.terms[read:]
	for _, t := range rest {
		least -= t.atMost
	}
	inForce := topCandidates{v: v, limit: draftFinalists, leastScore: least}
	superseded := inForce
	for i, l := range v.segments {
		s := x.takeScores(l)
		q.addScores(v, l, q.terms[:read], s)
		s.addNamed(i, named)
		for _, doc := range s.docs {
			c := candidate{segment: i, doc: doc, class: max(named[location{i, doc}], classActive), score: s.sums[doc]}
			switch {
			case c.class != classExact && c.score < inForce.leastScore || !l.Lives(doc):
			case !l.Superseded(doc):
				inForce.addCandidate(c)
			case withAside:
				superseded.addCandidate(c)
			}
		}
		x.reuseScores(s)
	}
	finish := func(found []candidate) []candidate {
		v.lookUp(q, rest, found)
		found = slices.DeleteFunc(found, func(c candidate) bool { return c.class != classExact && c.score < q.least })
		slices.SortFunc(found, v.compareCandidates)
		return found
	}
	return finish(inForce.kept), finish(superseded.kept)
}

// addScores adds the scores of some terms for the documents of a segment.
func (q *comparison) addScores(v *snapshot, l *segment.Live, terms []draftTerm, s *scores) {
	c := &segment.Cursor{}
	for _, t := range terms {
		if term := l.FindTerm(t.key); term != nil {
			for c.OpenTerm(term); c.Next(); {
				s.addScore(c.Doc(), q.termScore(v, l, t, c))
			}
		}
	}
}

// lookUp adds the scores of some terms for a few documents.
func (v *snapshot) lookUp(q *comparison, terms []draftTerm, found []candidate) {
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.doc, b.doc)) })
	c := &segment.Cursor{}
	for _, t := range terms {
		var term []byte
		for i := range found {
			f := &found[i]
			l := v.segments[f.segment]
			if i == 0 || f.segment != found[i-1].segment {
				if term = l.FindTerm(t.key); term != nil {
					c.OpenTerm(term)
				}
			}
			if term != nil && c.Seek(f.doc) {
				f.score += q.termScore(v, l, t, c)
			}
		}
	}
}

// countTerms counts the terms of a text and its words.
func countTerms(text string, stems *words.Stemmer) (times map[string]uint32, length int) {
	times = map[string]uint32{}
	words.Scan(text, 0, func(t words.Word) {
		if t.Form != words.Whole {
			return
		}
		length = t.Position + 1
		if words.IsStopWord(t.Text) {
			return
		}
		key := segment.WordTerm + t.Text
		if stem := stems.Stem(t.Text); stem != "" {
			key = segment.StemTerm + stem
		}
		times[key]++
	})
	return times, length
}
