package index

import (
	"bytes"
	"runtime"
	"slices"
	"time"

	"blue/blue/internal/segment"
)

const (
	watchFrom  = 3      // number of the call from which a process counts as a server
	scanAlways = 10_000 // documents up to which every call lists the files if they cannot be watched
	scanEvery  = time.Second
)

// Changes returns the files in the subdirectories of dir that have been touched since the last
// call. If all is true, the touched files are unknown, and the caller has to list the files. The
// changes count as handled when an [Update] that began afterwards is committed. If now is true, a
// listing is never postponed.
func (x *Index) Changes(now bool, dir string, subs ...string) (touched []Touched, all bool) {
	f := &x.changes
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	known := f.inLine && x.current.Load().nextOrigin == fromHere
	if f.watch != nil {
		names, ok := f.watch.drainEvents()
		if known && ok {
			return f.stampTouched(dir, names), false
		}
		if !ok {
			f.watch.close()
			f.watch = nil
		}
	} else if known && !now && f.blind && x.current.Load().docs > scanAlways && time.Since(f.listed) < scanEvery {
		return nil, false
	}
	if f.watch == nil && f.calls >= watchFrom && !f.blind {
		f.watch = startWatching(dir, subs)
		f.blind = f.watch == nil
	}
	f.listed = time.Now()
	f.inLine = false
	return nil, true
}

// Update starts an update. It waits until the previous one has ended.
func (x *Index) Update(whole bool) *Update {
	x.writing.Lock()
	u := &Update{x: x, before: x.current.Load(), whole: whole, slots: make(chan struct{}, min(batches, runtime.GOMAXPROCS(0)))}
	if !whole {
		return u
	}
	switch u.before.nextOrigin {
	case fromFiles, lost:
		u.before = u.before.withSegments(x.dir.OpenSegments())
	case fromNothing:
		u.before = u.before.withSegments(nil)
	}
	u.nextDocs = make([]uint32, len(u.before.segments))
	u.seen = make([][]uint64, len(u.before.segments))
	for i, l := range u.before.segments {
		u.seen[i] = make([]uint64, (l.Docs+63)/64)
	}
	return u
}

// Same reports, in a whole update, whether the index has the document with that stamp and the stamp
// proves that the file has not changed. It is fastest if names ascend from call to call.
func (u *Update) Same(name string, stamp Stamp) (same bool) {
	err := segment.CatchFaults(func() error { // Commit detects damage
		same = false
		for i, l := range u.before.segments {
			if doc, ok := u.numberOf(i, name); ok {
				if same = !stamp.Racy && l.Stamp(doc) == stamp; same {
					u.markSeen(location{i, doc})
				}
				break
			}
		}
		return nil
	})
	return same && err == nil
}

// numberOf is like [segment.Live.NumberOf], but tries the document after the last one first.
func (u *Update) numberOf(i int, name string) (uint32, bool) {
	l := u.before.segments[i]
	doc := u.nextDocs[i]
	ok := doc < uint32(l.Docs) && string(l.Name(doc)) == name
	if !ok {
		doc, ok = l.DocumentNumber(name)
		u.nextDocs[i] = doc
	}
	if ok {
		u.nextDocs[i]++
	}
	return doc, ok && l.Lives(doc)
}

// Doubt records that some files could not be read, so that the next call to Changes asks for a
// listing.
func (u *Update) Doubt() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.doubted = true
}

// Drop removes a document.
func (u *Update) Drop(name string) { u.drops = append(u.drops, name) }

// Cancel ends the update without changes. It does nothing if the update has ended.
func (u *Update) Cancel() {
	if !u.over {
		u.over = true
		u.group.waiting.Wait()
		u.x.writing.Unlock()
	}
}

// Commit publishes all changes at once. It returns ErrDamaged if files of the index were damaged;
// the update must then be repeated. Any other error is about documents that could not be read; all
// others have been updated.
func (u *Update) Commit() error {
	defer u.Cancel()
	if len(u.batch) > 0 {
		u.readBatch(u.batch)
	}
	u.group.Wait()
	for _, name := range u.unreadable {
		u.Keep(name)
	}
	u.endBuild()
	var stay []*segment.Live
	all := u.before.withSegments(slices.Concat(u.before.segments, u.made))
	err := all.readGuarded(func() {
		stay = u.staying()
		slices.SortFunc(u.made, func(a, b *segment.Live) int { return bytes.Compare(a.Name(0), b.Name(0)) }) // merging is faster in order
	})
	if err != nil {
		u.x.giveUpFiles(all)
		return ErrDamaged
	}
	after := u.before.withSegments(append(stay, u.made...))
	anew := u.whole && u.before.nextOrigin == fromNothing
	if u.whole {
		after.nextOrigin = fromHere
	}
	u.x.publishSnapshot(after)
	u.x.changes.setInLine(u.failed == nil && !u.doubted)
	u.x.compactIfDue(u.docs, anew)
	if u.whole {
		segment.ReleaseMemory(all.segments)
	}
	return u.failed
}

// staying returns the segments of before without the documents that the update replaces or drops.
func (u *Update) staying() (stay []*segment.Live) {
	names := u.drops
	for _, l := range u.made {
		for doc := range uint32(l.Docs) {
			names = append(names, string(l.Name(doc)))
		}
	}
	for i, l := range u.before.segments {
		var gone []uint32
		if u.whole {
			gone = unseenDocuments(l, u.seen[i])
		} else {
			gone = numbersOfNames(l, names)
		}
		stay = append(stay, l.Without(gone))
	}
	return stay
}

func unseenDocuments(l *segment.Live, seen []uint64) (docs []uint32) {
	for doc := range l.LivingDocs() {
		if seen[doc/64]&(1<<(doc%64)) == 0 {
			docs = append(docs, doc)
		}
	}
	return docs
}

func numbersOfNames(l *segment.Live, names []string) (docs []uint32) {
	for _, name := range names {
		if doc, ok := l.NumberOf(name); ok {
			docs = append(docs, doc)
		}
	}
	return docs
}
