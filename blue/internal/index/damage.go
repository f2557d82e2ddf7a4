package index

import (
	"runtime"
	"slices"
	"time"

	"blue/blue/internal/segment"
	"blue/errors"
)

// Nothing that a file says is believed before it has been read to the end and the file is
// found untouched; a fault of mapped memory and a number that does not fit mean the same as
// a wrong checksum. Everything is given up then, the caller's [Index.Mend] begins the index
// anew, and the question is asked again.

// ErrDamaged says that files of the index were not to be trusted. They are given up
// by then.
var ErrDamaged = errors.New("the index is damaged")

// readSnapshot asks the present state until the answer can be trusted.
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

// readGuarded runs a function that reads the snapshot, and fails when what it read is not to be
// trusted. A panic that no file can have caused goes on its way.
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

// giveUpFiles throws the files of a snapshot away, and all that the index has when it has them too.
// The caller holds writing.
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

// restAfter is how long after the last question the memory of mapped files and the texts of
// hits are given back: what is needed again comes from the system's cache.
// To bring it in anew for every search would make each a tenth slower.
const restAfter = time.Second

// release gives the memory back. [Index.readSnapshot] puts it off.
func (x *Index) release() {
	v := x.current.Load()
	segment.ReleaseMemory(v.segments)
	x.bodies.clear()
	runtime.KeepAlive(v) // a file is unmapped when its last snapshot is gone
}
