package index

import (
	"fmt"
	"slices"
	"time"

	"blue/blue/internal/segment"
	"blue/errors"
)

// Documents that come in one by one are a segment each, in memory. These are merged while
// they are few and small, as part of the update, and with the delta, or with all there is,
// into a file when they have become many.
const (
	wholeDocs = 1000 // brought by one update: written at once
	saveDocs  = 500  // gathered in memory: written beside the caller
	closeDocs = 16   // in memory when the process ends: worth a file
	mergeAt   = 16   // segments in memory: merged

	deltaShare = 4 // a delta is at most a quarter of its base
	saveAgain  = time.Second
)

// compactIfDue writes or merges what has become much by an update. The caller holds writing.
func (x *Index) compactIfDue(brought int, anew bool) {
	v := x.current.Load()
	unsaved := v.unsaved()
	switch {
	case x.saving != nil || x.saveError != nil && !anew && time.Since(x.savedAt) < saveAgain:
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

// mergeInMemory merges the segments at the end that have become many. The caller holds writing.
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

// dueInMemory are segments at the end that are to become one: mergeAt of less than mergeAt
// documents each, or of less than mergeAt times as many, and so on, with those that are
// smaller; but none that are being saved.
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

// toSave are the segments that become one file: without the base, unless the delta would be
// too large beside it.
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

// saveNow writes what no file holds yet. The caller holds writing.
func (x *Index) saveNow(v *snapshot) {
	sources := v.toSave()
	saved, err := x.saveSnapshot(v, sources)
	x.finishSave(sources, saved, err)
}

// saveInBackground is saveNow beside the caller; one at a time.
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

// finishSave puts the file in the place of its sources. The caller holds writing.
func (x *Index) finishSave(sources []*segment.Live, saved *segment.Live, err error) {
	x.saving, x.savedAt, x.saveError = nil, time.Now(), err
	switch {
	case errors.Is(err, segment.ErrForeign): // begin with them
		x.saveError = nil
		c := *x.current.Load()
		c.nextOrigin = max(c.nextOrigin, fromFiles)
		x.publishSnapshot(&c)
	case err == nil:
		x.replaceSegments(sources, saved)
	}
}

// replaceSegments puts a segment in the place of those that it was merged from, without the
// documents that have gone from them since. It does nothing when they are not there any
// more. The caller holds writing.
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

// Open returns the index in a directory, which need not be there. Files that are
// damaged or of another version are thrown away; what is missing then shows in
// [Update.Same], and the caller puts it in.
func Open(dir string) *Index {
	x := &Index{dir: segment.Directory(dir)}
	empty := &snapshot{}
	x.current.Store(empty.withSegments(x.dir.OpenSegments()))
	x.resting = time.AfterFunc(restAfter, x.release)
	return x
}

// Close writes what is worth it and gives back what the index holds.
func (x *Index) Close() error {
	x.changes.close()
	x.resting.Stop()
	x.backgroundSaves.Wait()
	x.writing.Lock()
	defer x.writing.Unlock()
	if v := x.current.Load(); v.unsaved() >= closeDocs {
		x.saveNow(v)
	}
	return nil
}

// Discard lets the next whole update begin with nothing and write its own files. Until that
// is committed the documents stay as they are.
func (x *Index) Discard() {
	x.backgroundSaves.Wait()
	x.writing.Lock()
	defer x.writing.Unlock()
	if c := *x.current.Load(); c.nextOrigin != lost {
		c.nextOrigin = fromNothing
		x.publishSnapshot(&c)
	}
}

// Mend says what brings the index in line with the files when damage has been
// found while answering. Without it the answer lacks what was lost.
func (x *Index) Mend(with func()) { x.mend.Store(&with) }

// State says in a few words what the index is.
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

// Save writes what no file holds yet, if that is possible: for a caller to whom it is
// dear to find the documents again.
func (x *Index) Save() {
	x.backgroundSaves.Wait()
	x.writing.Lock()
	defer x.writing.Unlock()
	if v := x.current.Load(); v.unsaved() > 0 {
		x.saveNow(v)
	}
}
