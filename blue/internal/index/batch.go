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

// Update brings an index in line with the files that there are. It keeps every
// other change away until [Update.Commit] or [Update.Cancel], one of which must be
// called; searches go on and see the state before.
//
// A whole update names every file that there is, with [Update.Same], [Update.Keep] or
// [Update.Load], and what it does not name is dropped. Any other changes what it
// names.
type Update struct {
	x        *Index
	before   *snapshot
	whole    bool
	seen     [][]uint64 // by segment: the documents that stay
	nextDocs []uint32   // by segment: the document after the last one asked for
	drops    []string

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

// unread is a document that is still to be read.
type unread struct {
	name string
	read func() (Document, bool, error)
}

const (
	batchBytes = 256 << 10 // of text that is made a segment at once
	batchDocs  = 4096
	batches    = 2       // made at once on any number of processors, so that memory is bounded
	spillBytes = 5 << 20 // of segments that are kept in memory while more are made
)

// Load puts in the document that read returns. It is called in a goroutine of its
// own, at the latest by Commit, and reports false when the file is gone; the document
// is dropped then. One that cannot be read stays as it is. The size, in bytes, bounds
// how many are held at once.
func (u *Update) Load(name string, size int64, read func() (Document, bool, error)) {
	u.batch = append(u.batch, unread{name, read})
	if u.size += size; u.size >= batchBytes || len(u.batch) >= batchDocs {
		u.startBatch()
	}
}

// startBatch makes a segment of the batch beside the caller.
func (u *Update) startBatch() {
	batch := u.batch
	u.batch, u.size = nil, 0
	u.slots <- struct{}{}
	u.group.Go(func() {
		defer func() { <-u.slots }()
		u.readBatch(batch)
	})
}

// readBatch reads a batch of documents and makes a segment of them.
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
	for i := 0; u.whole && i < len(kept); i++ {
		u.Keep(kept[i])
	}
	if err == nil && len(docs) > 0 {
		u.docs += len(docs)
		u.made = append(u.made, s)
		u.spillToFile()
	}
}

// build makes a segment of documents that are in order.
func (x *Index) build(docs []Document) (*segment.Live, error) {
	b, ok := x.builders.Get().(*segment.Builder)
	if !ok {
		b = &segment.Builder{}
	}
	s, err := b.Build(docs)
	x.builders.Put(b) // but for one that panicked
	return s, err
}

// Keep lets a document stay as it is, read or not, and reports whether there is one.
func (u *Update) Keep(name string) (kept bool) {
	_ = segment.CatchFaults(func() error { // whether it is to be trusted, Commit finds out
		for i, l := range u.before.segments {
			if doc, ok := l.NumberOf(name); ok {
				u.seen[i][doc/64] |= 1 << (doc % 64)
				kept = true
			}
		}
		return nil
	})
	return kept
}

// spillToFile merges what has gathered in memory into a file that has no name any more.
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

// endBuild gives up what only builders need: to make so many segments that they were spilled
// took more memory than to merge them will.
func (u *Update) endBuild() {
	if slices.ContainsFunc(u.made, (*segment.Live).IsInFile) {
		runtime.GC() // the pool gives its builders up at the second collection
		debug.FreeOSMemory()
	}
}
