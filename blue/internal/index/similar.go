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

// Similar: on kep and beads, notes with half or two thirds of their words left out are all
// found, with 0.1 to 0.2 others each on kep and 1.1 to 1.4 on beads, whose notes repeat one
// another; with three tenths replaced, 81 and 97 of 100 are. At a share of 0.4: 94 and 100,
// with twice as many others. What is found of related ones, docs/benchmarks.md says.
const (
	similarTerms   = 32   // the heaviest of a draft are compared
	similarShare   = 0.5  // of the weight that a copy of the draft would have
	relatedShare   = 0.25 // the same for a document that a draft may amend
	relatedSure    = 2    // how surely that one answers the beginning of the draft
	relatedBytes   = 160  // of that beginning
	relatedPassage = 0.45 // how much of the draft its best passage says
	relatedRoom    = 500  // bytes of that passage
	alikeLooked    = 8    // of the most alike are looked at
	alikeMost      = 3    // are named
)

// Draft is a text that is compared with the documents.
type Draft struct {
	Title, Body string
	MayAmend    func(Row) bool                    // whether a document may be one of Related; nil: none
	Read        func(Row) (body, revision string) // as [Query.Body] does
}

// Alike are the documents that look like a draft, the most alike first; superseded ones are
// left out.
type Alike struct {
	Similar []string // ids of those on the same matter: with the draft's title, or with much of what sets it apart
	Related []string // names of those that it may amend: they hold less of that, but close together, and answer its beginning
}

// FindAlike compares a draft with the documents. It would rather miss one than name a
// stranger. It finds more while the draft is not in the index itself.
func (x *Index) FindAlike(d Draft) (a Alike) {
	var q *queryPlan
	var likely []Row
	x.readSnapshot(func(v *snapshot) {
		a, likely = Alike{Similar: []string{}}, nil
		q = v.planDraft(d, relatedShare, &x.stems)
		found := x.findSimilar(v, q, d.Title, alikeLooked)
		if len(found) == 0 {
			return
		}
		begin := v.planBeginning(d, &x.stems)
		for _, c := range found {
			row := v.segments[c.segment].Row(c.doc)
			if c.class == classExact || c.score >= q.leastScore*similarShare/relatedShare {
				a.Similar = append(a.Similar, row.ID)
			}
			if d.MayAmend != nil && d.MayAmend(row) && c.score >= q.leastScore && v.confidence(begin, c) >= relatedSure {
				likely = append(likely, row)
			}
		}
	})
	a.Similar = a.Similar[:min(len(a.Similar), alikeMost)]
	for _, row := range likely {
		_, _, said := q.newFinder().Choose(x.bodies.bodyOf(row, d.Read), relatedRoom)
		if q.passageShare(said) >= relatedPassage && len(a.Related) < alikeMost {
			a.Related = append(a.Related, row.Name)
		}
	}
	return a
}

// findSimilar returns the documents that reach the least score of a plan, or have the title.
func (x *Index) findSimilar(v *snapshot, q *queryPlan, title string, limit int) []candidate {
	named := map[location]int{}
	if key := words.TitleKey(title); key != "" {
		v.markHolders(named, segment.TitleTerm+key, classExact)
	}
	best := topCandidates{v: v, limit: limit}
	for i, l := range v.segments {
		scores := x.scoreSegment(v, i, q, named)
		for _, doc := range scores.docs {
			score := scores.sums[doc]
			if score < q.leastScore && len(named) == 0 { // as most
				continue
			}
			c := candidate{segment: i, doc: doc, class: max(named[location{i, doc}], classActive), score: score}
			if (c.class == classExact || score >= q.leastScore) && l.Lives(doc) && !l.Superseded(doc) {
				best.addCandidate(c)
			}
		}
		x.reuseScores(scores)
	}
	return best.sorted()
}

// planBeginning plans a query of the title and the beginning of a draft. Words that nothing
// holds have no stand-ins.
func (v *snapshot) planBeginning(d Draft, stems *words.Stemmer) *queryPlan {
	p := &queryPlan{stems: stems}
	body := strings.TrimSpace(d.Body)
	p.addText(strings.ToValidUTF8(d.Title+"\n"+body[:min(len(body), relatedBytes)], " "), 0, false)
	p.counting = v.rarestWords(p.countingWords(), &p.ignored)
	for _, w := range p.counting {
		p.addWord(v, w)
	}
	p.asked = v.informativeWords(p)
	return p
}

// planDraft plans a query of the terms that set a draft apart, the least score being a share
// of what a copy of the draft would have. None adds more than it would to a copy, however
// often a document repeats it. Terms that nothing holds count: they are new.
func (v *snapshot) planDraft(d Draft, share float64, stems *words.Stemmer) (q *queryPlan) {
	counts, times := map[string]uint32{}, map[string]uint32{} // by word, by term
	length, copied := 0, 0.0
	words.Scan(d.Title+"\n"+d.Body, 0, func(t words.Token) {
		if t.Form == words.Whole {
			counts[t.Text]++
			length = t.Position
		}
	})
	for word, n := range counts {
		if words.IsStopWord(word) {
			continue
		}
		key := segment.WordTerm + word
		if stem := stems.Stem(word); stem != "" {
			key = segment.StemTerm + stem
		}
		times[key] += n
	}
	q = &queryPlan{stems: stems}
	keys := slices.Sorted(maps.Keys(times))
	for i, holding := range v.holdings(keys) {
		t := weightedTerm{key: keys[i], textWeight: v.rarity(max(holding, 1))}
		t.atMost = t.textWeight * termFrequency(float64(times[t.key]), float64(length+1), v.meanLength)
		q.terms = append(q.terms, t)
	}
	heaviest := func(a, b weightedTerm) int { return cmp.Or(cmp.Compare(b.atMost, a.atMost), cmp.Compare(a.key, b.key)) }
	rarest := func(a, b weightedTerm) int {
		return cmp.Or(cmp.Compare(b.textWeight, a.textWeight), cmp.Compare(a.key, b.key))
	}
	slices.SortFunc(q.terms, heaviest)
	q.terms = q.terms[:min(len(q.terms), similarTerms)]
	slices.SortFunc(q.terms, rarest)
	for _, t := range q.terms {
		copied += t.atMost
	}
	q.leastScore = max(share*copied*(1-1e-9), math.SmallestNonzeroFloat64) // just the share is not lost by rounding
	return q
}
