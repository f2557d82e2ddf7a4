// Package index is a full-text index of documents. It does not know about notes: the caller decides
// what a file means and whether it has changed, adds documents, drops those that are gone, and
// searches.
//
// blue/internal/words splits a text into terms, and blue/internal/segment stores documents in
// immutable segments: a base file and a delta file on top of it. On top of these are small segments
// in memory, one for each update. The segments, with a mark on each document that has since been
// replaced or dropped, form a snapshot (snapshot.go). A change creates a new snapshot; a search
// uses one snapshot from beginning to end and takes no lock. Segments in memory are merged when
// there are many, and written to disk when they hold many documents (compact.go): as a new delta,
// or as a new base if the delta would be more than a quarter of it.
//
// The index is derived from the caller's files. So damage of any kind has one cure: the files of
// the index are removed, and the next whole update reads what is missing (damage.go). Several
// processes may share a directory: each has its own snapshot that agrees with the caller's files.
// If a process is about to write and finds files that it has not opened, it starts over with those.
// A [Reading] updates the index in steps, and may outlive the call that started it.
//
// A query is any text (query.go). Its words are looked up and weighted (plan.go); the documents are
// scored (score.go), sorted in a total order and split into pages (search.go);
// blue/internal/snippet chooses the passages that hits show. The order depends on the documents
// alone, not on the order in which they were added: two processes give the same answer. The
// package's tests measure the quality of the order with judged query sets; its parameters are in
// weights.go.
package index

import (
	"sync"
	"sync/atomic"
	"time"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// Index is a full-text index. Its methods are safe for concurrent use.
type Index struct {
	dir     segment.Directory
	current atomic.Pointer[snapshot]
	mend    atomic.Pointer[func()]
	types   atomic.Pointer[typeCounts]

	writing         sync.Mutex // held while a snapshot is replaced; also guards the fields below
	saving          []*segment.Live
	savedAt         time.Time // when saving was last tried
	saveError       error     // the error of the last save
	closed          bool      // no more files are written
	backgroundSaves sync.WaitGroup

	changes  changes
	resting  *time.Timer // releases memory
	bodies   bodyCache   // of hits
	stems    words.Stemmer
	scores   sync.Pool // of *scores
	builders sync.Pool // of *segment.Builder
}

// typeCounts are the documents of a snapshot, or of a later one, by type.
type typeCounts struct {
	version uint64
	counts  map[string]int
}

// publishSnapshot makes a snapshot the current one. The caller holds writing.
func (x *Index) publishSnapshot(v *snapshot) {
	v.version = x.current.Load().version + 1
	v.markReplaced()
	x.current.Store(v)
}
