package index

import (
	"fmt"
	"slices"
	"time"

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

// compact does what has become due after an update. The caller holds writing.
func (x *Index) compact(brought int, anew bool) {
	v := x.now.Load()
	if due := v.dueInMemory(x.saving); len(due) > 0 {
		if merged, err := v.merge(due); err == nil {
			x.replace(due, merged)
			v = x.now.Load()
		}
	}
	unsaved := v.unsaved()
	switch {
	case x.saving != nil || x.trouble != nil && !anew && time.Since(x.tried) < saveAgain:
	case anew:
		x.dir.clear()
		x.save(v)
	case brought >= wholeDocs && unsaved >= saveDocs:
		x.save(v)
	case unsaved >= saveDocs:
		x.saving = v.toSave()
		x.behind.Go(func() {
			saved, err := x.dir.save(v)
			x.writing.Lock()
			defer x.writing.Unlock()
			x.finishSave(v.toSave(), saved, err)
		})
	}
}

// dueInMemory are segments at the end that are to become one: mergeAt of less than mergeAt
// documents each, or of less than mergeAt times as many, and so on, with those that are
// smaller; but none that are being saved.
func (v *snapshot) dueInMemory(saving []*liveSegment) []*liveSegment {
	first := len(v.segments)
	isFree := func(l *liveSegment) bool { return l.file == nil && l.indexIn(saving) < 0 }
	for limit := mergeAt; first > 0 && isFree(v.segments[first-1]); limit *= mergeAt {
		begin := first
		for first > 0 && isFree(v.segments[first-1]) && v.segments[first-1].living < limit {
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
func (v *snapshot) toSave() []*liveSegment {
	if len(v.segments) == 0 || !v.segments[0].isPublished() {
		return v.segments
	}
	base := v.segments[0]
	if (v.docs-base.living+len(base.dead))*deltaShare <= base.docs {
		return v.segments[1:]
	}
	return v.segments
}

// save writes what no file holds yet. The caller holds writing.
func (x *Index) save(v *snapshot) {
	saved, err := x.dir.save(v)
	x.finishSave(v.toSave(), saved, err)
}

func (d directory) save(v *snapshot) (saved *liveSegment, err error) {
	damage := v.try(func() { saved, err = d.publish(v.segments, v.toSave()) })
	return saved, errors.Join(damage, err)
}

// finishSave puts the file in the place of its sources. The caller holds writing.
func (x *Index) finishSave(sources []*liveSegment, saved *liveSegment, err error) {
	x.saving, x.tried, x.trouble = nil, time.Now(), err
	switch {
	case errors.Is(err, errForeign): // begin with them
		x.trouble = nil
		c := *x.now.Load()
		c.next = max(c.next, fromFiles)
		x.publish(&c)
	case err == nil:
		x.replace(sources, saved)
	}
}

// merge makes one segment in memory of some of the snapshot.
func (v *snapshot) merge(sources []*liveSegment) (merged *liveSegment, err error) {
	damage := v.try(func() { merged, err = merge(sources) })
	return merged, errors.Join(damage, err)
}

// replace puts a segment in the place of those that it was merged from, without the documents
// that have gone from them since; it does nothing when they are not there any more. The
// caller holds writing.
func (x *Index) replace(sources []*liveSegment, merged *liveSegment) {
	now := x.now.Load()
	var gone []uint32
	var rest []*liveSegment
	at, found := 0, 0
	damage := now.try(func() {
		for _, l := range now.segments {
			i := l.indexIn(sources)
			if i < 0 {
				rest = append(rest, l)
				continue
			}
			if found++; found == 1 {
				at = len(rest)
			}
			for _, doc := range l.dead {
				if n, ok := merged.number(string(l.name(doc))); ok && sources[i].lives(doc) {
					gone = append(gone, n)
				}
			}
		}
	})
	if damage == nil && found == len(sources) {
		x.publish(now.with(slices.Insert(rest, at, merged.without(gone))))
	}
}

// indexIn is the place of the segment among others, -1 for none.
func (l *liveSegment) indexIn(others []*liveSegment) int {
	return slices.IndexFunc(others, func(o *liveSegment) bool { return o.segment == l.segment })
}

// State says in a few words what the index is.
func (x *Index) State() string {
	x.writing.Lock()
	defer x.writing.Unlock()
	size := 0
	for _, l := range x.now.Load().segments {
		if l.isPublished() {
			size += len(l.file.bytes)
		}
	}
	switch unsaved := x.now.Load().unsaved(); {
	case size == 0 && x.trouble != nil:
		return fmt.Sprintf("in memory: %v", x.trouble)
	case size == 0:
		return "in memory"
	case unsaved == 0:
		return fmt.Sprintf("on disk, %.1f MB", float64(size)/1e6)
	default:
		return fmt.Sprintf("on disk, %.1f MB; %d documents since then in memory", float64(size)/1e6, unsaved)
	}
}
