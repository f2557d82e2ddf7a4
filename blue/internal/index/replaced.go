package index

import (
	"cmp"
	"slices"
)

// replacedNote is a document that answers a query and that another one replaces.
type replacedNote struct {
	candidate
	heirs []location // what replaces it, what replaces that, and so on
}

// heirsMost bounds how far a chain of replacements is followed.
const heirsMost = 100

// placeReplaced returns the best candidates in order, each with the documents that it
// replaces directly below it. Such a group stands where the best of it would: somebody who
// asks in the words of a document that was replaced is shown what replaces it.
func (v *snapshot) placeReplaced(q *queryPlan, query Query, best *topCandidates) []candidate {
	var replaced []replacedNote
	for _, c := range best.replaced {
		r := replacedNote{c, v.heirsOf(c, query)}
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

// insertBelow puts the document below the nearest of its heirs that is among those placed.
func (r replacedNote) insertBelow(placed []candidate) []candidate {
	for _, heir := range r.heirs {
		at := slices.IndexFunc(placed, func(c candidate) bool { return c.segment == heir.segment && c.doc == heir.doc })
		if at >= 0 {
			return slices.Insert(placed, at+1, r.candidate)
		}
	}
	return placed // its head is beyond the limit
}

// heirsOf follows what replaces a document, none when nothing does.
func (v *snapshot) heirsOf(c candidate, query Query) (heirs []location) {
	at := location{c.segment, c.doc}
	for range heirsMost {
		next, ok := v.locate(query.Successor(v.segments[at.segment].Row(at.doc)))
		if !ok || slices.Contains(heirs, next) || next == (location{c.segment, c.doc}) {
			break
		}
		heirs = append(heirs, next)
		at = next
	}
	return heirs
}

// locate finds a living document by its name.
func (v *snapshot) locate(name string) (location, bool) {
	for i, l := range v.segments {
		if doc, ok := l.NumberOf(name); ok {
			return location{i, doc}, true
		}
	}
	return location{}, false
}

// canHead reports whether a document that may not match itself can stand above one that does.
func (v *snapshot) canHead(q *queryPlan, query Query, at location) bool {
	l := v.segments[at.segment]
	return query.Filter.matches(l, at.doc) && phraseTest(l, &parsedQuery{excluded: q.excluded})(at.doc)
}

// headOf is the candidate that stands above a replaced document, with the score of the
// better one.
func (v *snapshot) headOf(q *queryPlan, r replacedNote, best *topCandidates) (head candidate, known bool) {
	at := r.heirs[len(r.heirs)-1]
	i := slices.IndexFunc(best.kept, func(c candidate) bool { return c.segment == at.segment && c.doc == at.doc })
	if i >= 0 {
		head = best.kept[i]
		best.kept = slices.Delete(best.kept, i, i+1)
	} else {
		head = candidate{segment: at.segment, doc: at.doc, class: classActive, score: v.scoreOf(at, q)}
		if v.segments[at.segment].Superseded(at.doc) {
			head.class = classSuperseded
		}
	}
	known = head.score > 0
	head.class, head.score = max(head.class, r.class), max(head.score, r.score)
	return head, known
}

func (v *snapshot) scoreOf(at location, q *queryPlan) float64 {
	s := v.scoreShares(at.segment, q, at.doc)
	return s.Word + s.Stem + s.Pair + s.Near + s.Title + s.Repair
}

// raise adds a candidate; one that is known already counts once.
func (b *topCandidates) raise(c candidate, known bool) {
	if known {
		b.total--
	}
	b.addCandidate(c)
}
