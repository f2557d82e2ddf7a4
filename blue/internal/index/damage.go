package index

import (
	"runtime"
	"slices"
	"time"

	"blue/blue/internal/segment"
	"blue/errors"
)

// The result of reading a file counts only if its checksum was right and the file has not changed
// since. Faults of mapped memory and invalid numbers are treated like a wrong checksum: the files
// are removed, the function set by [Index.Mend] rebuilds the index, and the query is repeated.

// ErrDamaged reports that files of the index were damaged. They have been removed.
var ErrDamaged = errors.New("the index is damaged")

// readSnapshot calls ask with the current snapshot and repeats it until the data it read was
// undamaged.
func (x *Index) readSnapshot(ask func(v *snapshot)) {
	for mended := false; ; mended = true {
		v := x.current.Load()
		err := v.readGuarded(func() { ask(v) })
		if err == nil && (mended || v.nextOrigin != lost) {
			x.resting.Reset(restAfter)
			return
		}
		if err != nil {
			x.writing.Lock()
			x.giveUpFiles(v)
			x.writing.Unlock()
		}
		if mend := x.mend.Load(); mend != nil {
			(*mend)()
		}
	}
}

// readGuarded calls a function that reads the snapshot. It fails if the data was damaged. If no
// segment of the snapshot is in a file, panics are passed on.
func (v *snapshot) readGuarded(read func()) error {
	if !slices.ContainsFunc(v.segments, (*segment.Live).IsInFile) {
		read()
		return nil
	}
	defer runtime.KeepAlive(v)
	err := segment.CatchFaults(func() error { read(); return nil })
	for _, l := range v.segments {
		if err == nil && !l.IsIntact() {
			err = ErrDamaged
		}
	}
	if err != nil {
		return ErrDamaged
	}
	return nil
}

// giveUpFiles removes the files of a snapshot. If the current snapshot uses one of them, the index
// becomes empty. The caller holds writing.
func (x *Index) giveUpFiles(bad *snapshot) {
	now := x.current.Load()
	shared := false
	for _, l := range bad.segments {
		if l.IsInFile() {
			x.dir.DiscardFile(l)
			shared = shared || l.IndexIn(now.segments) >= 0
		}
	}
	if shared {
		x.publishSnapshot(&snapshot{nextOrigin: lost})
	}
}

// restAfter is the time after the last query at which the memory of mapped files and the cached
// bodies are released. Loading them again for every search would make it a tenth slower.
const restAfter = time.Second

// release releases memory. Each call of [Index.readSnapshot] postpones it.
func (x *Index) release() {
	v := x.current.Load()
	segment.ReleaseMemory(v.segments)
	x.bodies.clear()
	runtime.KeepAlive(v) // a file is unmapped when its last snapshot is gone
}
