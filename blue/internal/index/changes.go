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

// Touched is a file that may have changed.
type Touched struct {
	Name  string // as in [Row]
	Stamp Stamp
	Gone  bool // or no regular file
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
