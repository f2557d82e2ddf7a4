package index

import (
	"cmp"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"blue/blue/internal/segment"
	"blue/errors"
)

// Update is a change of an index. It excludes other updates until [Update.Commit] or
// [Update.Cancel] is called; one of them must be. Until Commit, searches see the former state.
//
// A whole update names every file that exists, with [Update.Same], [Update.Keep] or
// [Update.Load]; documents that it does not name are dropped. Any other update changes only
// the documents that it names.
type Update struct {
	x          *Index
	before     *snapshot
	whole      bool
	seen       [][]uint64 // by segment, a bit for each document that stays
	nextDocs   []uint32   // by segment, the document after the last one looked up
	drops      []string
	unreadable []string // documents that stay

	batch   []unread
	size    int64
	slots   chan struct{}
	group   group
	mu      sync.Mutex
	made    []*segment.Live
	docs    int
	doubted bool
	failed  error
	over    bool
}

// unread is a document that still has to be read.
type unread struct {
	name string
	read func() (Document, bool, error)
}

const (
	batchBytes = 256 << 10 // text that becomes one segment
	batchDocs  = 4096
	batches    = 2       // built concurrently on any number of processors, to bound memory
	spillBytes = 5 << 20 // size of the segments kept in memory while more are built
)

// Load adds the document that read returns. Another goroutine may call read at any time until
// Commit returns. If read reports false, the file is gone and the document is dropped; if it fails,
// the document stays as it is. The size, in bytes, limits how many texts are held in memory.
func (u *Update) Load(name string, size int64, read func() (Document, bool, error)) {
	u.batch = append(u.batch, unread{name, read})
	if u.size += size; u.size >= batchBytes || len(u.batch) >= batchDocs {
		u.startBatch()
	}
}

// startBatch builds a segment from the batch in another goroutine.
func (u *Update) startBatch() {
	batch := u.batch
	u.batch, u.size = nil, 0
	u.slots <- struct{}{}
	u.group.Go(func() {
		defer func() { <-u.slots }()
		u.readBatch(batch)
	})
}

// readBatch reads a batch of documents and builds a segment from them.
func (u *Update) readBatch(batch []unread) {
	var docs []Document
	var gone, kept []string
	var failed error
	for _, l := range batch {
		d, ok, err := l.read()
		switch {
		case err != nil:
			failed, kept = errors.Join(failed, err), append(kept, l.name)
		case ok:
			docs = append(docs, d)
		default:
			gone = append(gone, l.name)
		}
	}
	slices.SortFunc(docs, func(a, b Document) int { return cmp.Compare(a.Name, b.Name) })
	s, err := u.x.build(docs)
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failed = errors.Join(u.failed, failed, err)
	u.drops = append(u.drops, gone...)
	u.unreadable = append(u.unreadable, kept...)
	if err == nil && len(docs) > 0 {
		u.docs += len(docs)
		u.made = append(u.made, s)
		u.spillToFile()
	}
}

// build builds a segment from documents that are sorted by name.
func (x *Index) build(docs []Document) (*segment.Live, error) {
	b, ok := x.builders.Get().(*segment.Builder)
	if !ok {
		b = &segment.Builder{}
	}
	s, err := b.Build(docs)
	x.builders.Put(b) // skipped if Build panics
	return s, err
}

// Keep retains a document as it is and reports whether the index has it.
func (u *Update) Keep(name string) (kept bool) {
	_ = segment.CatchFaults(func() error { // Commit detects damage
		at, ok := u.before.locate(name)
		if ok {
			u.markSeen(at)
		}
		kept = ok
		return nil
	})
	return kept
}

// markSeen retains a document in a whole update. Other updates retain all documents anyway.
func (u *Update) markSeen(at location) {
	if u.whole {
		u.seen[at.segment][at.doc/64] |= 1 << (at.doc % 64)
	}
}

// spillToFile merges the segments in memory into an unlinked file when they are large.
func (u *Update) spillToFile() {
	size := 0
	for _, l := range u.made {
		if !l.IsInFile() {
			size += l.Size()
		}
	}
	if size < spillBytes {
		return
	}
	first := slices.IndexFunc(u.made, func(l *segment.Live) bool { return !l.IsInFile() })
	if l, err := u.x.dir.Spill(u.made[first:]); err == nil {
		u.made = append(u.made[:first:first], l)
		segment.ReleaseMemory(u.made)
	}
}

// endBuild releases the memory of the builders after a large build, before the segments are
// merged.
func (u *Update) endBuild() {
	if slices.ContainsFunc(u.made, (*segment.Live).IsInFile) {
		runtime.GC() // the pool gives its builders up at the second collection
		debug.FreeOSMemory()
	}
}
