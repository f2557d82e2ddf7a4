package index

import (
	"context"
	"fmt"
	"slices"

	"blue/blue/internal/segment"
	"blue/blue/internal/snippet"
)

// Search returns a page of the documents that match, best first. The order is
// total and depends on the documents alone. An error means that ctx is done;
// there is no query that is wrong.
func (x *Index) Search(ctx context.Context, q Query) (r Result, err error) {
	var p *queryPlan
	var asked *prompt
	x.readSnapshot(func(v *snapshot) {
		p = v.planQuery(parseQuery(q.Text, v.holdsPhrase), q.Prefix, &x.stems)
		if q.Judge {
			asked = v.parsePrompt(q.Text, &x.stems)
		}
		r, err = x.answerPage(ctx, v, p, q)
	})
	if err != nil {
		return Result{}, fmt.Errorf("searching: %w", err)
	}
	x.choosePassages(p, asked, q, r.Hits)
	return r, nil
}

// choosePassages adds what the hits show. With a prompt all hits are judged first.
func (x *Index) choosePassages(p *queryPlan, asked *prompt, q Query, hits []Hit) {
	if q.Body == nil || len(hits) == 0 {
		return
	}
	for i := range hits {
		if h := &hits[i]; asked != nil {
			body := x.bodies.bodyOf(h.Row, q.Body)
			h.Bytes, h.Verdict = len(body), asked.judge(h.Title, body)
			if q.Favored != "" && h.Type == q.Favored {
				h.Verdict.Threshold -= favor
			}
		}
	}
	f := p.newFinder()
	for i := range hits {
		h, room := &hits[i], snippet.Bytes
		if q.Room != nil {
			room = q.Room(hits, i)
		}
		if room <= 0 {
			continue
		}
		h.Snippet, h.Marks = f.Choose(x.bodies.bodyOf(h.Row, q.Body), room)
		if len(h.Marks) == 0 && q.Around != nil {
			if text, marks := f.Choose(q.Around(h.Row), room); len(marks) > 0 || h.Snippet == "" {
				h.Snippet, h.Marks = text, marks
			}
		}
	}
}

// newFinder returns what chooses the passages that hits show.
func (q *queryPlan) newFinder() *snippet.Finder {
	terms := make([]snippet.Term, len(q.terms))
	for i, t := range q.terms {
		terms[i] = snippet.Term{Text: t.key[1:], IsStem: t.key[:1] == segment.StemTerm, Weight: t.textWeight}
	}
	return snippet.NewFinder(terms, q.stems)
}

func (x *Index) answerPage(ctx context.Context, v *snapshot, p *queryPlan, q Query) (r Result, err error) {
	r = Result{Unmatched: p.unmatched, Repaired: p.repaired, Ignored: p.ignored}
	from := max(q.Offset, 0)
	best := topCandidates{v: v, limit: from + max(q.Limit, 0)}
	if q.Group != nil || q.Lowered != nil {
		best.limit = max(best.limit, spreadPool)
	}
	r.Searched, err = x.collectCandidates(ctx, p, q, &best)
	if err != nil {
		return Result{}, err
	}
	sorted := v.placeReplaced(p, q, &best)
	v.lower(q, sorted[:min(spreadPool, len(sorted))])
	sorted = v.spread(q, sorted)
	r.Total = best.total
	sorted = sorted[min(from, len(sorted)):min(from+max(q.Limit, 0), len(sorted))]
	r.Hits = make([]Hit, 0, len(sorted))
	for _, c := range sorted {
		r.Hits = append(r.Hits, v.hitOf(p, q, c))
	}
	return r, nil
}

const (
	spreadFirst = 10  // hits in which no group has more than its share
	spreadPool  = 200 // of which they are chosen, whatever page is asked for

	loweredShare = 0.7 // of the score of a document that has been replaced
)

// lower takes from the scores of the best candidates that have been replaced, and puts all in
// order again.
func (v *snapshot) lower(q Query, pool []candidate) {
	if q.Lowered == nil {
		return
	}
	lowered := false
	for i, c := range pool {
		if q.Lowered(string(v.segments[c.segment].Name(c.doc))) {
			pool[i].score *= loweredShare
			lowered = true
		}
	}
	if lowered {
		slices.SortStableFunc(pool, v.compareCandidates)
	}
}

// spread moves those parts of a group behind the first hits that are too many among them.
func (v *snapshot) spread(q Query, sorted []candidate) []candidate {
	if q.Group == nil {
		return sorted
	}
	parts := map[string]int{}
	var first, later []candidate
	pool := sorted[:min(spreadPool, len(sorted))]
	for i, c := range pool {
		if len(first) == spreadFirst {
			later = append(later, pool[i:]...)
			break
		}
		group := q.Group(v.segments[c.segment].Row(c.doc))
		if parts[group]++; parts[group] > q.Each {
			later = append(later, c)
		} else {
			first = append(first, c)
		}
	}
	return slices.Concat(first, later, sorted[len(pool):])
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
		scores := x.takeScores(l)
		v.addScores(i, q, scores)
		scores.addNamed(i, named)
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
			if !isNamed && (query.Judge || !l.Superseded(doc)) {
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
	return h
}
