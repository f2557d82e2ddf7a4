package index

import (
	"fmt"
	"slices"
	"time"
)

// Documents come in one by one, each a segment of its own. They are merged behind
// the caller's back, and written to the disk when they have become many.
const (
	wholeDocs = 1000 // brought by one update: written at once
	saveDocs  = 500  // gathered in memory: written soon
	closeDocs = 16   // in memory when the process ends: worth a file
	mergeAt   = 16   // segments in memory: merged
	mergeNow  = 128  // at once

	deltaShare = 4 // a file above another is at most a quarter of that
	saveAgain  = time.Second
)

// unsaved is how many documents no file holds.
func (v *view) unsaved() (docs int) {
	for _, p := range v.parts {
		if p.file == nil || p.file.generation == 0 {
			docs += p.living
		}
	}
	return docs
}

// settle does what has become due. The caller holds writing.
func (x *Index) settle(brought int) {
	v := x.now.Load()
	from, to := v.due()
	unsaved, anew := v.unsaved(), x.fresh.anew
	x.fresh.anew = false
	if !anew && unsaved < saveDocs && from == to || !x.tending.TryLock() {
		return
	}
	if anew || brought >= wholeDocs || to-from >= mergeNow {
		x.tendLocked(anew || unsaved >= saveDocs)
		x.tending.Unlock()
		return
	}
	x.behind.Go(func() {
		defer x.tending.Unlock()
		x.tend(unsaved >= saveDocs)
	})
}

// tend merges, to the disk if save and that is possible. The caller holds tending
// but not writing.
func (x *Index) tend(save bool) {
	x.writing.Lock()
	v, era := x.now.Load(), x.era
	x.writing.Unlock()
	from, to, merged := x.merged(v, save)
	x.writing.Lock()
	defer x.writing.Unlock()
	if merged != nil && era == x.era {
		x.splice(v.parts[from:to], merged)
	}
}

// tendLocked is tend for who holds writing too.
func (x *Index) tendLocked(save bool) {
	v := x.now.Load()
	if from, to, merged := x.merged(v, save); merged != nil {
		x.splice(v.parts[from:to], merged)
	}
}

// merged returns one part in place of a run of the parts of a view, nil when there
// is nothing to do.
func (x *Index) merged(v *view, save bool) (from, to int, merged *part) {
	err := v.try(func() {
		merged = nil
		if save {
			from, to, merged = x.save(v)
		}
		if merged == nil {
			if from, to = v.due(); to > from {
				if s, err := merge(v.parts[from:to]); err == nil {
					merged = newPart(s)
				}
			}
		}
	})
	if err != nil {
		return 0, 0, nil // the next reader finds out and gives the files up
	}
	return from, to, merged
}

// due is the run of parts at the end that are to become one: mergeAt in memory of less
// than mergeAt documents each, or of less than mergeAt times as many, and so on, with
// those that are smaller.
func (v *view) due() (from, to int) {
	to = len(v.parts)
	from = to
	for limit := mergeAt; from > 0 && v.parts[from-1].file == nil; limit *= mergeAt {
		begin := from
		for from > 0 && v.parts[from-1].file == nil && v.parts[from-1].living < limit {
			from--
		}
		if begin-from >= mergeAt {
			return from, to
		}
	}
	return to, to
}

// save writes the parts that no file holds yet: above the file that is there, or
// with it when they have become many.
func (x *Index) save(v *view) (from, to int, saved *part) {
	d := &x.disk
	d.mu.Lock()
	defer d.mu.Unlock()
	if time.Since(x.fresh.tried) < saveAgain && d.trouble != nil {
		return 0, 0, nil
	}
	x.fresh.tried = time.Now()
	release, err := d.hold()
	if d.trouble = err; err != nil {
		return 0, 0, nil
	}
	defer release()
	if all := d.generations(); len(all) > 0 && all[0] > d.newest {
		x.fresh.newer.Store(true) // another process has written: take that
		return 0, 0, nil
	}
	var base *part
	if len(v.parts) == 0 {
		return 0, 0, nil
	}
	if first := v.parts[0]; first.file != nil && first.file.generation > 0 && first.parent.generation == 0 &&
		(v.docs-first.living+len(first.dead))*deltaShare <= first.docs {
		base, from = first, 1
	}
	saved, d.trouble = d.save(v.parts[from:], base)
	return from, len(v.parts), saved
}

// splice puts a part in the place of those that it was merged from, without the
// documents that have gone from them since. The caller holds writing.
func (x *Index) splice(sources []*part, merged *part) {
	now := x.now.Load().clone()
	at := len(now.parts)
	read := &view{parts: append(slices.Clone(sources), merged)}
	var gone []uint32
	if read.try(func() { gone = since(sources, now, merged) }) != nil {
		return
	}
	for _, source := range sources {
		if i := now.at(source.segment); i >= 0 {
			at = min(at, i)
			now.parts = slices.Delete(now.parts, i, i+1)
		}
	}
	if len(gone) > 0 {
		merged = merged.without(gone)
	}
	now.parts = slices.Insert(now.parts, min(at, len(now.parts)), merged)
	x.publish(now)
}

// since returns the documents of a merged part that have gone from its sources.
func since(sources []*part, now *view, merged *part) (gone []uint32) {
	for _, source := range sources {
		i := now.at(source.segment)
		for doc := range uint32(source.docs) {
			if !source.lives(doc) || i >= 0 && now.parts[i].lives(doc) {
				continue
			}
			if n, ok := merged.number(string(source.name(doc))); ok {
				gone = append(gone, n)
			}
		}
	}
	return gone
}

func (v *view) at(s *segment) int {
	return slices.IndexFunc(v.parts, func(p *part) bool { return p.segment == s })
}

// adopt takes the newest generation in place of what the process has, when another
// process has written one. The caller holds writing, and compares with the files.
func (x *Index) adopt(v *view) *view {
	if x.fresh.anew {
		x.era++
		return &view{}
	}
	if !x.fresh.newer.Swap(false) {
		return v
	}
	taken := &view{parts: x.disk.load()}
	if taken.try(taken.count) != nil || len(taken.parts) == 0 {
		return v
	}
	x.era++
	return taken
}

// State says in a few words what the index is.
func (x *Index) State() string {
	v := x.now.Load()
	size := 0
	for _, p := range v.parts {
		if p.file != nil && p.file.generation > 0 {
			size += len(p.file.bytes)
		}
	}
	x.disk.mu.Lock()
	defer x.disk.mu.Unlock()
	switch unsaved := v.unsaved(); {
	case size == 0 && x.disk.trouble != nil:
		return fmt.Sprintf("in memory: %v", x.disk.trouble)
	case size == 0:
		return "in memory"
	case unsaved == 0:
		return fmt.Sprintf("on disk, %.1f MB", float64(size)/1e6)
	default:
		return fmt.Sprintf("on disk, %.1f MB; %d documents since then in memory", float64(size)/1e6, unsaved)
	}
}
