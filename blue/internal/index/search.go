package index

import (
	"context"
	"fmt"
	"slices"

	"blue/blue/internal/passage"
	"blue/blue/internal/segment"
)

// Search returns a page of the documents that match, best first. The order is
// total and depends on the documents alone. An error means that ctx is done;
// there is no query that is wrong.
func (x *Index) Search(ctx context.Context, q Query) (r Result, err error) {
	var p *queryPlan
	x.readSnapshot(func(v *snapshot) {
		p = v.planQuery(parseQuery(q.Text, v.holdsPhrase), q.Prefix, &x.stems)
		if q.Sure {
			p.asked = v.informativeWords(p)
		}
		r, err = x.answerPage(ctx, v, p, q)
	})
	if err != nil {
		return Result{}, fmt.Errorf("searching: %w", err)
	}
	x.choosePassages(p, q, r.Hits)
	return r, nil
}

// choosePassages adds what the hits show, by which it is told how sure they are.
func (x *Index) choosePassages(p *queryPlan, q Query, hits []Hit) {
	if q.Body == nil || len(hits) == 0 {
		return
	}
	f := p.newFinder()
	for i := range hits {
		h := &hits[i]
		if q.Sure && h.Sure < 1 {
			continue // no passage makes it an answer
		}
		room := passage.Bytes
		if q.Room != nil {
			room = q.Room(*h)
		}
		weight := 0.0
		if room > 0 {
			h.Snippet, h.Marks, weight = f.Choose(x.bodies.bodyOf(h.Row, q.Body), room)
		}
		if q.Sure {
			h.Sure *= p.passageShare(weight)
		}
	}
}

// newFinder returns what chooses the passages that hits show.
func (q *queryPlan) newFinder() *passage.Finder {
	terms := make([]passage.Term, len(q.terms))
	for i, t := range q.terms {
		terms[i] = passage.Term{Text: t.key[1:], IsStem: t.key[:1] == segment.StemTerm, Weight: t.textWeight}
	}
	return passage.NewFinder(terms, q.stems)
}

func (x *Index) answerPage(ctx context.Context, v *snapshot, p *queryPlan, q Query) (r Result, err error) {
	r = Result{Unmatched: p.unmatched, Repaired: p.repaired, Ignored: p.ignored}
	from := max(q.Offset, 0)
	best := topCandidates{v: v, limit: from + max(q.Limit, 0)}
	r.Searched, err = x.collectCandidates(ctx, p, q, &best)
	if err != nil {
		return Result{}, err
	}
	sorted := v.placeReplaced(p, q, &best)
	r.Total = best.total
	sorted = sorted[min(from, len(sorted)):min(best.limit, len(sorted))]
	r.Hits = make([]Hit, 0, len(sorted))
	for _, c := range sorted {
		r.Hits = append(r.Hits, v.hitOf(p, q, c))
	}
	return r, nil
}

// collectCandidates gives every document that passes to best, and returns how many were
// looked through.
func (x *Index) collectCandidates(ctx context.Context, q *queryPlan, query Query, best *topCandidates) (searched int, err error) {
	v := best.v
	named, follows := v.exactMatches(query.Text), query.Successor != nil
	for i, l := range v.segments {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		obeys := phraseTest(l, &q.parsedQuery)
		searched += query.Filter.countPassing(l)
		all := query.Filter.isZero() && len(named)+len(q.phrases)+len(q.excluded) == 0
		scores := x.scoreSegment(v, i, q, named)
		if all {
			v.addNearness(i, q, scores, best)
		} else {
			v.addNearness(i, q, scores, &topCandidates{})
		}
		if len(q.phrases)+len(q.excluded) > 0 {
			slices.Sort(scores.docs) // as obeys wants them
		}
		for _, doc := range scores.docs {
			score := scores.sums[doc]
			aside := follows && l.Superseded(doc)
			if all && score < best.leastScore && !aside { // as most
				if l.Lives(doc) {
					best.total++
				}
				continue
			}
			rank, isNamed := named[location{i, doc}]
			if !l.Lives(doc) || !query.Filter.matches(l, doc) || !isNamed && !obeys(doc) {
				continue
			}
			if !isNamed && !l.Superseded(doc) {
				rank = classActive
			}
			c := candidate{segment: i, doc: doc, class: rank, score: score}
			if aside {
				best.replaced = append(best.replaced, c)
				continue
			}
			best.addCandidate(c)
		}
		x.reuseScores(scores)
	}
	return searched, nil
}

// countPassing counts the living documents that pass.
func (f *Filter) countPassing(l *segment.Live) (n int) {
	if f.isZero() {
		return l.Living
	}
	for doc := range l.LivingDocs() {
		if f.matches(l, doc) {
			n++
		}
	}
	return n
}

func (v *snapshot) hitOf(q *queryPlan, query Query, c candidate) Hit {
	h := Hit{Row: v.segments[c.segment].Row(c.doc), Score: c.score}
	if query.Explain {
		h.Shares = v.scoreShares(c.segment, q, c.doc)
	}
	if query.Sure {
		h.Sure = v.confidence(q, c)
	}
	return h
}
