package index

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// On kep and beads, notes with half or two thirds of their words left out are all found,
// with 0.1 to 0.2 others each on kep and 1.1 to 1.4 on beads, whose notes repeat one
// another; with three tenths replaced, 81 and 97 of 100 are. At a share of 0.4: 94 and 100,
// with twice as many others.
const (
	similarTerms = 32  // the heaviest of a draft are compared
	similarShare = 0.5 // of the weight that a copy of the draft would have
)

// Similar returns the ids of documents that look like the same matter as a
// draft, the most alike first: those with its title, and those that hold much of
// what sets it apart. It would rather miss one than name a stranger. Superseded
// documents are left out.
func (x *Index) Similar(title, body string, limit int) []string {
	ids := []string{}
	x.readSnapshot(func(v *snapshot) {
		ids = ids[:0]
		for _, c := range x.findSimilar(v, title, body, max(limit, 0)) {
			ids = append(ids, v.segments[c.segment].Row(c.doc).ID)
		}
	})
	return ids
}

// SimilarTo begins [Index.Similar] beside the caller; the function that it returns waits
// for it. While the disk flushes the draft there is time for it.
func (x *Index) SimilarTo(title, body string, limit int) (wait func() []string) {
	var ids []string
	done := Beside(func() { ids = x.Similar(title, body, limit) })
	return func() []string {
		done()
		return ids
	}
}

func (x *Index) findSimilar(v *snapshot, title, body string, limit int) []candidate {
	q := v.planDraft(title, body, &x.stems)
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

// planDraft plans a query of the terms that set a text apart. None adds more than it would to
// a copy of the text, however often a document repeats it. Terms that nothing holds
// count: they are new.
func (v *snapshot) planDraft(title, body string, stems *words.Stemmer) (q *queryPlan) {
	counts, times := map[string]uint32{}, map[string]uint32{} // by word, by term
	length, copied := 0, 0.0
	words.Scan(title+"\n"+body, 0, func(t words.Token) {
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
	q = &queryPlan{}
	keys := slices.Sorted(maps.Keys(times))
	for i, holding := range v.holdings(keys) {
		t := weightedTerm{key: keys[i], textWeight: v.rarity(holding)}
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
	q.leastScore = max(similarShare*copied*(1-1e-9), math.SmallestNonzeroFloat64) // just half is not lost by rounding
	return q
}
