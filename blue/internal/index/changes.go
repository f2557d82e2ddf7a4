package index

import (
	"path/filepath"
	"sync"
	"time"
)

// changes is what an index knows of the files that its documents are made of: as
// little as possible. On Linux the kernel queues a note of each change at the moment
// it happens, so that the call that empties the queue at its beginning has seen
// every change made before. Elsewhere, and whenever there is any doubt, the answer
// is that a listing must be made.
type changes struct {
	mu     sync.Mutex
	calls  int
	listed time.Time // when a listing was last asked for
	watch  *watch
	blind  bool // there is nothing to watch with
	inLine bool // the index was in line with the files when they were last looked at
}

const (
	watchFrom  = 3      // the call from which a process counts as a server
	scanAlways = 10_000 // documents up to which each call may list the files where nothing can watch
	scanEvery  = time.Second
)

// Touched is a file that may have changed.
type Touched struct {
	Name  string // as in [Row]
	Stamp Stamp
	Gone  bool // or no regular file
}

// Changes says which files of the sub-directories of dir have been touched since the
// last call; all means that only a listing tells. What it has said counts as done
// when an [Update] that began afterwards has been committed. With now, a listing is
// not put off.
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

func (f *changes) stampTouched(dir string, names []string) (touched []Touched) {
	for _, name := range names {
		f.inLine = false
		t := Touched{Name: name}
		t.Stamp, t.Gone = stampOf(filepath.Join(dir, filepath.FromSlash(name)))
		touched = append(touched, t)
	}
	return touched
}

func (f *changes) setInLine(inLine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.inLine = inLine
}

func (f *changes) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watch != nil {
		f.watch.close()
		f.watch = nil
	}
}
