// Package index finds documents by their words. It knows documents, not notes:
// what a file means, and whether it has changed, is the business of the caller,
// which puts documents in, drops those that are gone and asks.
//
// A text becomes terms in blue/internal/words, and documents become immutable segments in
// blue/internal/segment, which keeps them in a base file and a delta file that is laid above
// it. Above these are small segments in memory, one for each update. Together, with a mark on each
// document that has been replaced or dropped since, they are a snapshot (snapshot.go). A
// change makes a new snapshot; a search works on one from beginning to end, and takes no
// lock. Memory is merged as it gathers, and written when there is much of it (compact.go):
// as a new delta, or as a new base when the delta would be more than a quarter of it.
//
// The index is derived from the caller's files. So whatever is wrong with its own has one
// cure: they are thrown away, and the next whole update reads what is missing (damage.go).
// Several processes may share a directory: each has a snapshot of its own that is in line
// with the caller's files. One that is about to write and finds files that it has not
// opened begins with those. A [Reading] brings it in line, in steps, and may outlive the call
// that has started it.
//
// A query is any text (query.go). Its words are looked up and weighted (plan.go),
// the documents scored (score.go), put in an order that is total, and cut into pages
// (search.go); blue/internal/snippet chooses what hits show. The order depends on the documents
// alone, never on how they came in: two processes give the same answer. How well the order serves
// is measured by the judged sets of the package's tests; the numbers that decide
// it are in weights.go.
//
// A file of the package uses what stands below it: list, search, similar, gate; update, batch,
// compact, damage; score, plan, phrase, exact; index, candidates, reading, changes, watch,
// bodycache, query, answer, weights; snapshot, group.
package index

import (
	"sync"
	"sync/atomic"
	"time"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// Index holds documents. Its methods may be called at the same time.
type Index struct {
	dir     segment.Directory
	current atomic.Pointer[snapshot]
	mend    atomic.Pointer[func()]

	writing         sync.Mutex // held while a snapshot is replaced, and for what follows
	saving          []*segment.Live
	savedAt         time.Time // when saving was last tried
	saveError       error     // why it failed
	closed          bool      // no file is written any more
	backgroundSaves sync.WaitGroup

	changes  changes
	resting  *time.Timer // gives back memory
	bodies   bodyCache   // of hits
	stems    words.Stemmer
	scores   sync.Pool // of *scores
	builders sync.Pool // of *builder
}

// publishSnapshot makes a snapshot the present one. The caller holds writing.
func (x *Index) publishSnapshot(v *snapshot) {
	v.version = x.current.Load().version + 1
	x.current.Store(v)
}
