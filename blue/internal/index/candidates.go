package index

import (
	"cmp"
	"slices"
)

// candidate is a document that may be a hit.
type candidate struct {
	segment int
	doc     uint32
	class   int // one of the class constants
	score   float64
}

const (
	classSuperseded = iota
	classActive
	classBeginsID
	classExact
)

// topCandidates collects the first candidates in order, so that a search with many matches holds
// few of them.
type topCandidates struct {
	v          *snapshot
	limit      int
	total      int
	kept       []candidate // if limit is at most selectLimit, the best so far in order
	replaced   []candidate // superseded; [snapshot.placeReplaced] places them
	leastScore float64     // active documents with a lower score are not among the best
}

// selectLimit is the number of hits from which sorting all candidates is faster than keeping the
// best.
const selectLimit = 1000

func (b *topCandidates) addCandidate(c candidate) {
	b.total++
	if b.limit > selectLimit {
		b.kept = append(b.kept, c)
		return
	}
	n := len(b.kept)
	if n == b.limit && (n == 0 || b.v.compareCandidates(c, b.kept[n-1]) > 0) {
		return
	}
	at, _ := slices.BinarySearchFunc(b.kept, c, b.v.compareCandidates)
	b.kept = slices.Insert(b.kept, at, c)
	b.kept = b.kept[:min(b.limit, n+1)]
	if last := b.kept[len(b.kept)-1]; len(b.kept) == b.limit && last.class >= classActive {
		b.leastScore = last.score
	}
}

func (b *topCandidates) sorted() []candidate {
	if b.limit > selectLimit {
		slices.SortFunc(b.kept, b.v.compareCandidates)
	}
	return b.kept[:min(b.limit, len(b.kept))]
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
