package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"blue/blue/internal/segment"
	"blue/blue/internal/snippet"
)

// Search returns a page of the documents that match, best first. The order is total and depends on
// the documents alone. An error means that ctx is done; every query is valid.
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
	if q.Body != nil && len(r.Hits) > 0 {
		r.finder = p.newFinder()
		x.choosePassages(r.finder, asked, q, r.Hits)
	}
	return r, nil
}

// Judge fills in how well hits answer a query.
func (x *Index) Judge(query string, hits []Hit, body func(Row) (body, revision string)) {
	var asked *prompt
	x.readSnapshot(func(v *snapshot) { asked = v.parsePrompt(query, &x.stems) })
	x.judge(asked, hits, body)
}

func (x *Index) judge(asked *prompt, hits []Hit, read func(Row) (body, revision string)) {
	for i := range hits {
		h := &hits[i]
		body := x.bodies.bodyOf(h.Row, read)
		h.Bytes, h.Verdict = len(body), asked.judge(h.Title, body)
	}
}

// favorHits lowers the thresholds of the favored type, and of the hit of the titled type that comes
// nearest to its threshold then.
func favorHits(q Query, hits []Hit) {
	best, least := -1, math.Inf(-1)
	for i := range hits {
		h := &hits[i]
		if q.Favored != "" && h.Type == q.Favored {
			h.Verdict.Threshold -= favor
		}
		if above := h.Verdict.Score - h.Verdict.Threshold + h.Verdict.Titled; q.Titled != "" && h.Type == q.Titled && above > least {
			best, least = i, above
		}
	}
	if best >= 0 {
		hits[best].Verdict.Threshold -= hits[best].Verdict.Titled
	}
}

// choosePassages fills in the snippets of the hits. If there is a prompt, it judges all hits first.
func (x *Index) choosePassages(f *snippet.Finder, asked *prompt, q Query, hits []Hit) {
	if asked != nil {
		x.judge(asked, hits, q.Body)
	}
	favorHits(q, hits)
	for i := range hits {
		h, room := &hits[i], snippet.Bytes
		if q.Parts != nil {
			body := x.bodies.bodyOf(h.Row, q.Body)
			h.Weights = f.WeighParts(body, q.Parts(h.Row, body))
			continue
		}
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

// newFinder returns the finder that chooses the passages of hits.
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
	if q.Group != nil || q.Factor != nil {
		best.limit = max(best.limit, spreadPool)
	}
	r.Searched, err = x.collectCandidates(ctx, p, q, &best)
	if err != nil {
		return Result{}, err
	}
	sorted := v.placeReplaced(p, q, &best)
	v.applyFactor(q, sorted[:min(spreadPool, len(sorted))])
	sorted = v.spread(q, sorted)
	r.Total = best.total
	sorted = sorted[min(from, len(sorted)):min(from+max(q.Limit, 0), len(sorted))]
	r.Hits = make([]Hit, 0, len(sorted))
	for _, c := range sorted {
		h := Hit{Row: v.segments[c.segment].Row(c.doc), Score: c.score}
		if q.Explain {
			h.Shares = v.scoreShares(c.segment, p, c.doc)
		}
		r.Hits = append(r.Hits, h)
	}
	return r, nil
}

const (
	spreadFirst = 10  // hits in which no group has more than Query.Each members
	spreadPool  = 200 // candidates that these are chosen from, for every page
)

// applyFactor multiplies the scores of the best candidates and sorts them again.
func (v *snapshot) applyFactor(q Query, pool []candidate) {
	if q.Factor == nil {
		return
	}
	for i, c := range pool {
		l := v.segments[c.segment]
		pool[i].score *= q.Factor(string(l.Name(c.doc)), l.Stamp(c.doc).Size)
	}
	slices.SortStableFunc(pool, v.compareCandidates)
}

// spread moves surplus members of a group behind the first hits.
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

// collectCandidates adds every document that passes the filter to best, and returns the number of
// documents that were searched.
func (x *Index) collectCandidates(ctx context.Context, q *queryPlan, query Query, best *topCandidates) (searched int, err error) {
	v := best.v
	named, follows := v.exactMatches(query.Text), query.Follow
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
			slices.Sort(scores.docs) // the phrase test needs them in ascending order
		}
		for _, doc := range scores.docs {
			score := scores.sums[doc]
			aside := follows && l.Superseded(doc)
			if all && score < best.leastScore && !aside { // true for most documents
				if l.Lives(doc) {
					best.total++
				}
				continue
			}
			rank, isNamed := named[location{i, doc}]
			if !l.Lives(doc) || !query.Filter.matches(l, doc) || !isNamed && !obeys(doc) {
				continue
			}
			if !isNamed && (query.Flat || !l.Superseded(doc)) {
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

// countPassing counts the living documents that pass the filter.
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

// replacedNote is a superseded document that matches a query, with its replacements.
type replacedNote struct {
	candidate
	heirs []location // its replacement, the replacement of that, and so on
}

// heirsMost bounds how far a chain of replacements is followed.
const heirsMost = 100

// placeReplaced returns the best candidates in order, each followed by the documents that it
// replaces. Such a group is ranked by its best member: a query in the words of a superseded
// document finds its replacement.
func (v *snapshot) placeReplaced(q *queryPlan, query Query, best *topCandidates) []candidate {
	var replaced []replacedNote
	for _, c := range best.replaced {
		r := replacedNote{c, v.heirsOf(c)}
		if len(r.heirs) == 0 || !v.canHead(q, query, r.heirs[len(r.heirs)-1]) {
			best.addCandidate(c)
			continue
		}
		replaced = append(replaced, r)
	}
	for _, r := range replaced {
		best.raise(v.headOf(q, r, best))
	}
	placed := best.sorted()
	slices.SortFunc(replaced, func(a, b replacedNote) int {
		return cmp.Or(cmp.Compare(len(a.heirs), len(b.heirs)), v.compareCandidates(b.candidate, a.candidate))
	})
	best.total += len(replaced)
	for _, r := range replaced {
		placed = r.insertBelow(placed)
	}
	return placed
}

// insertBelow inserts the document after the nearest of its heirs that is in placed.
func (r replacedNote) insertBelow(placed []candidate) []candidate {
	for _, heir := range r.heirs {
		at := slices.IndexFunc(placed, func(c candidate) bool { return c.segment == heir.segment && c.doc == heir.doc })
		if at >= 0 {
			return slices.Insert(placed, at+1, r.candidate)
		}
	}
	return placed // its head is beyond the limit
}

// heirsOf returns the chain of replacements of a document, which may be empty.
func (v *snapshot) heirsOf(c candidate) (heirs []location) {
	own := location{c.segment, c.doc}
	for at, ok := v.heirs[own]; ok && at != own && len(heirs) < heirsMost && !slices.Contains(heirs, at); at, ok = v.heirs[at] {
		heirs = append(heirs, at)
	}
	return heirs
}

// canHead reports whether a document may be placed above one that it replaces, even if it does not
// match itself.
func (v *snapshot) canHead(q *queryPlan, query Query, at location) bool {
	l := v.segments[at.segment]
	return query.Filter.matches(l, at.doc) && phraseTest(l, &parsedQuery{excluded: q.excluded})(at.doc)
}

// headOf returns the candidate that is placed above a replaced document, with the better score of
// the two.
func (v *snapshot) headOf(q *queryPlan, r replacedNote, best *topCandidates) (head candidate, known bool) {
	at := r.heirs[len(r.heirs)-1]
	i := slices.IndexFunc(best.kept, func(c candidate) bool { return c.segment == at.segment && c.doc == at.doc })
	if i >= 0 {
		head = best.kept[i]
		best.kept = slices.Delete(best.kept, i, i+1)
	} else {
		s := v.scoreShares(at.segment, q, at.doc)
		head = candidate{segment: at.segment, doc: at.doc, class: classActive, score: s.Word + s.Stem + s.Pair + s.Near + s.Title + s.Repair}
		if v.segments[at.segment].Superseded(at.doc) {
			head.class = classSuperseded
		}
	}
	known = head.score > 0
	head.class, head.score = max(head.class, r.class), max(head.score, r.score)
	return head, known
}

// raise adds a candidate. If it is known, it has already been counted.
func (b *topCandidates) raise(c candidate, known bool) {
	if known {
		b.total--
	}
	b.addCandidate(c)
}
