package index

import (
	"fmt"
	"slices"
	"time"

	"blue/blue/internal/segment"
	"blue/errors"
)

// Each update adds a segment in memory. Updates also merge small segments. When the segments in
// memory hold many documents they are written to a file, merged with the delta or with everything
// else.
const (
	wholeDocs = 1000 // documents of one update that are written immediately
	saveDocs  = 500  // documents in memory that are written in the background
	closeDocs = 16   // documents in memory that are written when the process ends
	mergeAt   = 16   // segments in memory that are merged

	deltaShare = 4 // a delta is at most a quarter of its base
	saveAgain  = time.Second
)

// compactIfDue writes or merges segments after an update, if there are enough. The caller holds
// writing.
func (x *Index) compactIfDue(brought int, anew bool) {
	v := x.current.Load()
	unsaved := v.unsaved()
	switch {
	case x.closed || x.saving != nil || x.saveError != nil && !anew && time.Since(x.savedAt) < saveAgain:
	case anew:
		x.dir.RemoveFiles()
		x.saveNow(v)
	case unsaved >= saveDocs && brought >= wholeDocs:
		x.saveNow(v)
	case unsaved >= saveDocs:
		x.saveInBackground(v)
	}
	x.mergeInMemory()
}

// mergeInMemory merges the last segments if there are enough. The caller holds writing.
func (x *Index) mergeInMemory() {
	v := x.current.Load()
	due := v.dueInMemory(x.saving)
	if len(due) == 0 {
		return
	}
	var merged *segment.Live
	var err error
	if v.readGuarded(func() { merged, err = segment.Merge(due) }) == nil && err == nil {
		x.replaceSegments(due, merged)
	}
}

// dueInMemory returns the last segments if they should be merged: mergeAt segments of fewer than
// mergeAt documents each, or of fewer than mergeAt² documents, and so on, with the smaller ones
// behind them. Segments that are being saved are never due.
func (v *snapshot) dueInMemory(saving []*segment.Live) []*segment.Live {
	first := len(v.segments)
	isFree := func(l *segment.Live) bool { return !l.IsInFile() && l.IndexIn(saving) < 0 }
	for limit := mergeAt; first > 0 && isFree(v.segments[first-1]); limit *= mergeAt {
		begin := first
		for first > 0 && isFree(v.segments[first-1]) && v.segments[first-1].Living < limit {
			first--
		}
		if begin-first >= mergeAt {
			return v.segments[first:]
		}
	}
	return nil
}

// toSave returns the segments that become one file: all but the base, or all if the delta would be
// too large for that base.
func (v *snapshot) toSave() []*segment.Live {
	if len(v.segments) == 0 || !v.segments[0].IsPublished() {
		return v.segments
	}
	base := v.segments[0]
	if (v.docs-base.Living+len(base.Dead))*deltaShare <= base.Docs {
		return v.segments[1:]
	}
	return v.segments
}

// saveNow writes the segments that no file holds yet. The caller holds writing.
func (x *Index) saveNow(v *snapshot) {
	sources := v.toSave()
	saved, err := x.saveSnapshot(v, sources)
	x.finishSave(sources, saved, err)
}

// saveInBackground runs saveNow in another goroutine. Only one may run at a time.
func (x *Index) saveInBackground(v *snapshot) {
	sources := v.toSave()
	x.saving = sources
	x.backgroundSaves.Go(func() {
		saved, err := x.saveSnapshot(v, sources)
		x.writing.Lock()
		defer x.writing.Unlock()
		x.finishSave(sources, saved, err)
	})
}

func (x *Index) saveSnapshot(v *snapshot, sources []*segment.Live) (saved *segment.Live, err error) {
	damage := v.readGuarded(func() { saved, err = x.dir.PublishFile(v.segments, sources) })
	return saved, errors.Join(damage, err)
}

// finishSave replaces the sources of a file by the file. The caller holds writing.
func (x *Index) finishSave(sources []*segment.Live, saved *segment.Live, err error) {
	x.saving, x.savedAt, x.saveError = nil, time.Now(), err
	switch {
	case errors.Is(err, segment.ErrForeign): // start the next update with the other process's files
		x.saveError = nil
		c := *x.current.Load()
		c.nextOrigin = max(c.nextOrigin, fromFiles)
		x.publishSnapshot(&c)
	case err == nil:
		x.replaceSegments(sources, saved)
	}
}

// replaceSegments replaces segments by the one that they were merged into, without the documents
// that have been removed from them since. It does nothing if the snapshot no longer has all of
// them. The caller holds writing.
func (x *Index) replaceSegments(sources []*segment.Live, merged *segment.Live) {
	now := x.current.Load()
	var gone []uint32
	var rest []*segment.Live
	at, found := 0, 0
	damage := now.readGuarded(func() {
		for _, l := range now.segments {
			i := l.IndexIn(sources)
			if i < 0 {
				rest = append(rest, l)
				continue
			}
			if found++; found == 1 {
				at = len(rest)
			}
			for _, doc := range l.Dead {
				if n, ok := merged.DocumentNumber(string(l.Name(doc))); ok && sources[i].Lives(doc) {
					gone = append(gone, n)
				}
			}
		}
	})
	if damage == nil && found == len(sources) {
		x.publishSnapshot(now.withSegments(slices.Insert(rest, at, merged.Without(gone))))
	}
}

// Open returns the index in a directory, which need not exist. It removes files that are damaged
// or of another version; [Update.Same] then reports the documents as missing.
func Open(dir string) *Index {
	x := &Index{dir: segment.Directory(dir)}
	x.current.Store(&snapshot{})
	x.publishSnapshot(x.current.Load().withSegments(x.dir.OpenSegments()))
	x.resting = time.AfterFunc(restAfter, x.release)
	return x
}

// Close writes documents in memory, if they are many, and releases the resources of the index.
// Calls that still use the index continue in memory.
func (x *Index) Close() error {
	x.changes.close()
	x.resting.Stop()
	x.backgroundSaves.Wait()
	x.writing.Lock()
	defer x.writing.Unlock()
	if v := x.current.Load(); v.unsaved() >= closeDocs && !x.closed {
		x.saveNow(v)
	}
	x.closed = true
	return nil
}

// Discard makes the next whole update start with an empty index and write new files. Until it is
// committed the documents stay as they are.
func (x *Index) Discard() {
	x.backgroundSaves.Wait()
	x.writing.Lock()
	defer x.writing.Unlock()
	if c := *x.current.Load(); c.nextOrigin != lost {
		c.nextOrigin = fromNothing
		x.publishSnapshot(&c)
	}
}

// Mend sets the function that updates the index when a query finds it damaged. Without one, the
// answer lacks the lost documents.
func (x *Index) Mend(with func()) { x.mend.Store(&with) }

// State describes in a few words where the index is stored.
func (x *Index) State() string {
	x.writing.Lock()
	defer x.writing.Unlock()
	size := 0
	for _, l := range x.current.Load().segments {
		if l.IsPublished() {
			size += l.Size()
		}
	}
	switch unsaved := x.current.Load().unsaved(); {
	case size == 0 && x.saveError != nil:
		return fmt.Sprintf("in memory: %v", x.saveError)
	case size == 0:
		return "in memory"
	case unsaved == 0:
		return fmt.Sprintf("on disk, %.1f MB", float64(size)/1e6)
	default:
		return fmt.Sprintf("on disk, %.1f MB; newer documents in memory: %d", float64(size)/1e6, unsaved)
	}
}

// Save writes all documents that no file holds yet, if possible.
func (x *Index) Save() {
	x.backgroundSaves.Wait()
	x.writing.Lock()
	defer x.writing.Unlock()
	if v := x.current.Load(); v.unsaved() > 0 && !x.closed {
		x.saveNow(v)
	}
}
