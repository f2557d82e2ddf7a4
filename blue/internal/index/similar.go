package index

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"blue/blue/internal/gate"
	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// Similar: on kep and beads, notes with half or two thirds of their words left out are all
// found, with 0.1 to 0.2 others each on kep and 1.1 to 1.4 on beads, whose notes repeat one
// another; with three tenths replaced, 81 and 97 of 100 are. At a share of 0.4: 94 and 100,
// with twice as many others. What is found of related ones, docs/benchmarks.md says.
const (
	similarTerms  = 32   // the heaviest of a draft are compared
	similarShare  = 0.5  // of the weight that a copy of the draft would have
	relatedShare  = 0.15 // the same for a short document that a draft may amend
	relatedLong   = 0.4  // and for a long one, which shares much with any other
	relatedTitle  = 0.75 // of the weight of a draft's title, in the title of one that a search for it finds
	relatedMargin = 0.6  // above the threshold of the gate, of one that the draft answers
	relatedBytes  = 600  // of the draft's body that the gate reads
	alikeLooked   = 5    // of the most alike are looked at
	alikeMost     = 3    // are named
)

// Draft is a text that is compared with the documents.
type Draft struct {
	Title, Body string
	MayAmend    func(Row) bool                    // whether a document may be one of Related, or of SetAside; nil: none
	SetAside    bool                              // look for superseded documents too
	Read        func(Row) (body, revision string) // as [Query.Body] does
}

// Alike are the documents that look like a draft, the most alike first.
type Alike struct {
	Similar  []string // ids of those on the same matter: with the draft's title, or with much of what sets it apart
	Related  []string // names of those that it may amend: they hold less of that, or have most of its title, and the draft's beginning answers to them as a prompt does
	SetAside []Row    // superseded ones that are either
}

// FindAlike compares a draft with the documents. It would rather miss one than name a
// stranger. It finds more while the draft is not in the index itself.
func (x *Index) FindAlike(d Draft) (a Alike) {
	var prompt *gate.Prompt
	var likely []Row
	x.readSnapshot(func(v *snapshot) {
		a, likely = Alike{Similar: []string{}}, nil
		q := v.planDraft(d, relatedShare, &x.stems)
		for _, c := range x.findSimilar(v, q, d, alikeLooked) {
			row := v.segments[c.segment].Row(c.doc)
			isSimilar := c.class == classExact || c.score >= q.leastScore*similarShare/relatedShare
			if isSimilar && !row.Superseded {
				a.Similar = append(a.Similar, row.ID)
			}
			least := q.leastScore
			if gate.IsLong(int(v.segments[c.segment].Length(c.doc))) {
				least *= relatedLong / relatedShare
			}
			switch mayName := d.MayAmend != nil && d.MayAmend(row); {
			case mayName && isSimilar && row.Superseded:
				a.SetAside = append(a.SetAside, row)
			case mayName && c.score >= least:
				likely = append(likely, row)
			}
		}
		for _, row := range x.findTitled(v, d) {
			if !slices.Contains(a.Similar, row.ID) && !slices.ContainsFunc(likely, func(r Row) bool { return r.Name == row.Name }) {
				likely = append(likely, row)
			}
		}
		if len(likely) > 0 {
			prompt = v.gate(&x.stems).Parse(d.Title + "\n" + d.Body[:min(len(d.Body), relatedBytes)])
		}
	})
	a.Similar = a.Similar[:min(len(a.Similar), alikeMost)]
	for _, row := range likely {
		verdict := prompt.Judge(row.Title, x.bodies.bodyOf(row, d.Read))
		switch {
		case verdict.Score-verdict.Native < verdict.Threshold+relatedMargin: // any draft speaks of the project
		case row.Superseded:
			a.SetAside = append(a.SetAside, row)
		case len(a.Related) < alikeMost:
			a.Related = append(a.Related, row.Name)
		}
	}
	a.SetAside = a.SetAside[:min(len(a.SetAside), alikeMost)]
	return a
}

// findSimilar returns the documents that reach the least score of a plan, or have the title of
// a draft: up to a limit of those that are not superseded, and of the others.
func (x *Index) findSimilar(v *snapshot, q *queryPlan, d Draft, limit int) []candidate {
	named := map[location]int{}
	if key := words.TitleKey(d.Title); key != "" {
		v.markHolders(named, segment.TitleTerm+key, classExact)
	}
	best, aside := topCandidates{v: v, limit: limit}, topCandidates{v: v, limit: limit}
	for i, l := range v.segments {
		scores := x.scoreSegment(v, i, q, named)
		for _, doc := range scores.docs {
			score := scores.sums[doc]
			if score < q.leastScore && len(named) == 0 { // as most
				continue
			}
			c := candidate{segment: i, doc: doc, class: max(named[location{i, doc}], classActive), score: score}
			if c.class != classExact && score < q.leastScore || !l.Lives(doc) {
				continue
			}
			if !l.Superseded(doc) {
				best.addCandidate(c)
			} else if d.SetAside {
				aside.addCandidate(c)
			}
		}
		x.reuseScores(scores)
	}
	return append(best.sorted(), aside.sorted()...)
}

// findTitled searches for the title of a draft. It returns those of the first hits that the
// draft may amend and whose titles share most of its weight.
func (x *Index) findTitled(v *snapshot, d Draft) (rows []Row) {
	if d.MayAmend == nil {
		return nil
	}
	weights, all := map[string]float64{}, 0.0
	terms, _ := countTerms(Draft{Title: d.Title}, &x.stems)
	for key := range terms {
		holding, _ := v.holding(key)
		weights[key] = v.rarity(max(holding, 1))
		all += weights[key]
	}
	found, _ := x.answerPage(context.Background(), v, v.planQuery(parseQuery(d.Title, v.holdsPhrase), false, &x.stems), Query{Limit: alikeMost})
	for _, h := range found.Hits {
		shared := 0.0
		terms, _ := countTerms(Draft{Title: h.Title}, &x.stems)
		for key := range terms {
			shared += weights[key]
		}
		if !h.Superseded && shared >= relatedTitle*all && d.MayAmend(h.Row) {
			rows = append(rows, h.Row)
		}
	}
	return rows
}

// planDraft plans a query of the terms that set a draft apart, the least score being a share
// of what a copy of the draft would have. None adds more than it would to a copy, however
// often a document repeats it. Terms that nothing holds count: they are new.
func (v *snapshot) planDraft(d Draft, share float64, stems *words.Stemmer) (q *queryPlan) {
	times, length := countTerms(d, stems)
	keys := slices.Sorted(maps.Keys(times))
	rarity, copied := map[string]float64{}, 0.0
	for i, holding := range v.holdings(keys) {
		rarity[keys[i]] = v.rarity(max(holding, 1))
	}
	q = &queryPlan{stems: stems}
	for key, n := range times {
		most := rarity[key] * termFrequency(float64(n), float64(length), v.meanLength)
		q.terms = append(q.terms, weightedTerm{key: key, textWeight: rarity[key], atMost: most})
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

// countTerms counts the terms of a draft and its words.
func countTerms(d Draft, stems *words.Stemmer) (times map[string]uint32, length int) {
	times = map[string]uint32{}
	words.Scan(d.Title+"\n"+strings.TrimSpace(d.Body), 0, func(t words.Token) {
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
