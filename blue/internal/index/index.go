// Package index finds documents by their words. It knows documents, not notes:
// what a file means, and whether it has changed, is the business of the caller,
// which puts documents in, drops those that are gone and asks.
//
// A text becomes terms in blue/internal/words, and documents become segments (segment.go,
// build.go): immutable, sorted, with the numbers that ranking needs, one run of bytes that
// is the same in memory and in a file (format.go).
//
// There is one base file and one delta file, which is laid above it (directory.go), and
// above these small segments in memory, one for each update. Together, with a mark on each
// document that has been replaced or dropped since, they are a snapshot (snapshot.go). A
// change makes a new snapshot; a search works on one from beginning to end, and takes no
// lock. Memory is merged as it gathers, and written when there is much of it (compact.go):
// as a new delta, or as a new base when the delta would be more than a quarter of it.
//
// The index is derived from the caller's files. So whatever is wrong with its own has one
// cure: they are thrown away, and the next whole update reads what is missing (damage.go).
// Several processes may share a directory: each has a snapshot of its own that is in line
// with the caller's files. One that is about to write and finds files that it has not
// opened begins with those.
//
// A query is any text (query.go). Its words are looked up and weighted (plan.go),
// the documents scored (score.go, pairs.go), put in an order that is total, and
// cut into pages (search.go). The order depends on the documents alone, never on
// how they came in: two processes give the same answer. How well the order serves
// is measured by the judged sets of the package's tests; the numbers that decide
// it are in weights.go.
package index

import (
	"sync"
	"sync/atomic"
	"time"

	"blue/blue/internal/words"
)

// Stamp tells whether a file is the one that was read. The index keeps it for
// the caller and does not look into it.
type Stamp struct {
	Size       int64
	ModTime    int64 // nanoseconds since 1970
	ChangeTime int64 // likewise; 0 where the system has none
	Inode      uint64
	Racy       bool // touched so shortly before it was read that an equal stamp proves nothing
}

// Row is what is kept of a document besides its words.
type Row struct {
	Name       string // the key: the file name relative to .blue, with slashes
	ID         string
	Title      string
	Type       string
	Tags       []string
	Time       time.Time // orders equal scores and lists; what since asks for
	Superseded bool      // ranks below all documents that are not
	Stamp      Stamp
	Revision   string
	Extra      []byte // the caller's own
}

// Document is one document to be found. The body is not kept.
type Document struct {
	Row
	Body string
	Keys []string // exact words of the caller, see [Index.Keyed]

	prepared *segment // by [Index.Prepare]
}

// Index holds documents. Its methods may be called at the same time.
type Index struct {
	dir     directory
	current atomic.Pointer[snapshot]
	mend    atomic.Pointer[func()]

	writing         sync.Mutex // held while a snapshot is replaced, and for what follows
	saving          []*liveSegment
	savedAt         time.Time // when saving was last tried
	saveError       error     // why it failed
	backgroundSaves sync.WaitGroup

	changes  changes
	resting  atomic.Pointer[time.Timer] // gives back memory
	bodies   bodyCache                  // of hits
	stems    words.Stemmer
	scores   sync.Pool // of *scores
	builders sync.Pool // of *builder
}

// Open returns the index in a directory, which need not be there. Files that are
// damaged or of another version are thrown away; what is missing then shows in
// [Update.Same], and the caller puts it in.
func Open(dir string) (*Index, error) {
	x := &Index{dir: directory(dir)}
	empty := &snapshot{}
	x.current.Store(empty.withSegments(x.dir.openSegments()))
	return x, nil
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

// Stamps returns the name and the stamp of every document.
func (x *Index) Stamps() (stamps map[string]Stamp) {
	x.readSnapshot(func(v *snapshot) {
		stamps = map[string]Stamp{}
		for _, l := range v.segments {
			for doc := range uint32(l.docs) {
				if l.lives(doc) {
					stamps[string(l.name(doc))] = l.stamp(doc)
				}
			}
		}
	})
	return stamps
}

// Row returns the document with the name.
func (x *Index) Row(name string) (row Row, ok bool) {
	x.readSnapshot(func(v *snapshot) {
		row, ok = Row{}, false
		for _, l := range v.segments {
			if doc, there := l.numberOf(name); there {
				row, ok = l.row(doc), true
			}
		}
	})
	return row, ok
}

// Version counts the snapshots so far: the same one, and no document has changed.
func (x *Index) Version() uint64 { return x.current.Load().version }

// publishSnapshot makes a snapshot the present one. The caller holds writing.
func (x *Index) publishSnapshot(v *snapshot) {
	v.version = x.current.Load().version + 1
	x.current.Store(v)
}
