package index

import (
	"cmp"
	"slices"
)

// candidate is a document that may be a hit.
type candidate struct {
	segment int
	doc     uint32
	class   int // exact, the beginning of an id, active, superseded
	score   float64
}

const (
	classSuperseded = iota
	classActive
	classBeginsID
	classExact
)

// topList keeps the first of many values in an order. Its zero value keeps none.
type topList[T any] struct {
	limit   int
	compare func(a, b T) int
	kept    []T
	isFull  bool
	last    T // when it is full: what comes behind it is not kept
}

// topRoom is how many values beyond twice the limit are gathered before they are sorted.
const topRoom = 20

func (t *topList[T]) add(value T) {
	if t.isFull && t.compare(value, t.last) > 0 {
		return
	}
	if t.kept = append(t.kept, value); len(t.kept) >= 2*t.limit+topRoom {
		t.sorted()
	}
}

// sorted returns the first values in order.
func (t *topList[T]) sorted() []T {
	slices.SortFunc(t.kept, t.compare)
	t.kept = t.kept[:min(t.limit, len(t.kept))]
	if t.isFull = t.limit > 0 && len(t.kept) == t.limit; t.isFull {
		t.last = t.kept[t.limit-1]
	}
	return t.kept
}

// topCandidates keeps the best candidates of a search.
type topCandidates struct {
	topList[candidate]
	total    int
	replaced []candidate // set aside, and to be placed by [snapshot.placeReplaced]
}

func (v *snapshot) topCandidates(limit int) *topCandidates {
	return &topCandidates{topList: topList[candidate]{limit: limit, compare: v.compareCandidates}}
}

func (b *topCandidates) addCandidate(c candidate) {
	b.total++
	b.add(c)
}

// leastScore returns a score below which no active document is one of the best.
func (b *topCandidates) leastScore() float64 {
	if b.isFull && b.last.class >= classActive {
		return b.last.score
	}
	return 0
}

// compareCandidates puts better candidates first: by class, score, age, id and name.
func (v *snapshot) compareCandidates(a, b candidate) int {
	if c := cmp.Or(cmp.Compare(b.class, a.class), cmp.Compare(b.score, a.score)); c != 0 {
		return c
	}
	first, second := v.segments[a.segment], v.segments[b.segment]
	if c := second.Time(b.doc).Compare(first.Time(a.doc)); c != 0 {
		return c
	}
	x, y := first.Row(a.doc), second.Row(b.doc)
	return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Name, y.Name))
}
