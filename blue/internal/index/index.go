// Package index finds documents by their words. It knows documents, not notes:
// what a file means, and whether it has changed, is the business of the caller,
// who puts documents in, drops those that are gone and asks.
//
// A text becomes terms in blue/internal/words. Documents become segments (segment.go,
// build.go), immutable and sorted, with the numbers that ranking needs. An index
// is a short list of segments and a mark on each document that has been replaced
// since (view.go); a change makes a new list, so that a search, which works on
// one list from beginning to end, takes no lock and sees one state. Small
// segments are merged as they gather (merge.go).
//
// A query is any text (parse.go). Its words are looked up and weighted (plan.go),
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

	made *segment // by [Index.Prepare]
}

// Index holds documents. Its methods may be called at the same time.
type Index struct {
	disk    disk
	writing sync.Mutex // held while a list is replaced
	now     atomic.Pointer[view]
	version atomic.Uint64          // of the list
	era     int                    // counts the times that files were given up or taken anew; under writing
	scores  atomic.Pointer[scores] // while no call has them; a pool would keep several, of a number a document each
	stems   words.Stemmer
	bodies  bodies                  // of hits
	builder atomic.Pointer[builder] // while nobody has it
	mend    atomic.Pointer[func()]
	tending sync.Mutex     // held by who merges
	behind  sync.WaitGroup // who merges behind the caller's back
	fresh   freshness
	resting atomic.Pointer[time.Timer] // gives back memory
}

// Open returns the index in a directory, which need not be there. Files that are
// damaged or of another version are thrown away; what is missing then shows in
// [Update.Same], and the caller puts it in.
func Open(dir string) (*Index, error) {
	x := &Index{disk: disk{dir: dir}}
	v := &view{parts: x.disk.load()}
	v.count()
	x.now.Store(v)
	return x, nil
}

// Close writes what is worth it and gives back what the index holds.
func (x *Index) Close() error {
	x.fresh.close()
	if t := x.resting.Load(); t != nil {
		t.Stop()
	}
	x.behind.Wait()
	if x.now.Load().unsaved() >= closeDocs {
		x.tending.Lock()
		defer x.tending.Unlock()
		x.tend(true)
	}
	return nil
}

// Discard removes the files of the index, and lets the next whole update begin with
// nothing. Until that is committed the documents stay as they are.
func (x *Index) Discard() {
	x.writing.Lock()
	defer x.writing.Unlock()
	x.fresh.anew = true
	x.disk.clear()
}

// Mend says what brings the index in line with the files when damage has been
// found while answering. Without it the answer lacks what was lost.
func (x *Index) Mend(with func()) { x.mend.Store(&with) }

// Stamps returns the name and the stamp of every document.
func (x *Index) Stamps() (stamps map[string]Stamp) {
	x.read(func(v *view) {
		stamps = map[string]Stamp{}
		for _, p := range v.parts {
			for doc := range uint32(p.docs) {
				if p.lives(doc) {
					stamps[string(p.name(doc))] = p.stamp(doc)
				}
			}
		}
	})
	return stamps
}

// Row returns the document with the name.
func (x *Index) Row(name string) (row Row, ok bool) {
	x.read(func(v *view) {
		row, ok = Row{}, false
		for _, p := range v.parts {
			if doc, there := p.number(name); there && p.lives(doc) {
				row, ok = p.row(doc), true
			}
		}
	})
	return row, ok
}

// Version counts the lists so far: the same one, and no document has changed.
func (x *Index) Version() uint64 { return x.version.Load() }

func (x *Index) publish(v *view) {
	v.count()
	x.now.Store(v)
	x.version.Add(1)
}
