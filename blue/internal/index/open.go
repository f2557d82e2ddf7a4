package index

import "blue/blue/internal/segment"

import "fmt"

// Open returns the index in a directory, which need not be there. Files that are
// damaged or of another version are thrown away; what is missing then shows in
// [Update.Same], and the caller puts it in.
func Open(dir string) *Index {
	x := &Index{dir: segment.Directory(dir)}
	empty := &snapshot{}
	x.current.Store(empty.withSegments(x.dir.OpenSegments()))
	return x
}

// Close writes what is worth it and gives back what the index holds.
func (x *Index) Close() error {
	x.changes.close()
	if t := x.resting.Load(); t != nil {
		t.Stop()
	}
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
