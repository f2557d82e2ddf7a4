// Package index finds documents by their words. It knows documents, not notes:
// what a file means, and whether it has changed, is the business of the caller,
// who puts documents in, drops those that are gone and asks.
//
// A text becomes words (words.go, fold.go): folded, identifiers whole and in
// pieces, unspaced scripts as pairs. Documents become segments (segment.go,
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
	"cmp"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"
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
}

// Index holds documents. Its methods may be called at the same time.
type Index struct {
	writing sync.Mutex // held while a list is replaced
	now     atomic.Pointer[view]
	stems   stemmer   // likewise
	scores  sync.Pool // of *[]float64
}

// Open returns the index in a directory.
func Open(dir string) (*Index, error) {
	x := &Index{}
	x.now.Store(&view{})
	return x, nil
}

// Close gives back what the index holds.
func (x *Index) Close() error { return nil }

// Stamps yields the name and the stamp of every document, in no order.
func (x *Index) Stamps() iter.Seq2[string, Stamp] {
	return func(yield func(string, Stamp) bool) {
		for _, p := range x.now.Load().parts {
			for i, row := range p.rows {
				if p.lives(uint32(i)) && !yield(row.Name, row.Stamp) {
					return
				}
			}
		}
	}
}

// Row returns the document with the name.
func (x *Index) Row(name string) (Row, bool) {
	for _, p := range x.now.Load().parts {
		if i, ok := p.number(name); ok && p.lives(i) {
			return p.rows[i], true
		}
	}
	return Row{}, false
}

// Put adds documents; each takes the place of one with the same name. Of two
// with one name in a call the later counts.
func (x *Index) Put(docs ...Document) error {
	if len(docs) == 0 {
		return nil
	}
	docs = slices.Clone(docs)
	slices.Reverse(docs)
	slices.SortStableFunc(docs, func(a, b Document) int { return cmp.Compare(a.Name, b.Name) })
	docs = slices.CompactFunc(docs, func(a, b Document) bool { return a.Name == b.Name })
	x.writing.Lock()
	defer x.writing.Unlock()
	s := build(docs, &x.stems)
	v := x.now.Load().clone()
	names := make([]string, len(s.rows))
	for i, row := range s.rows {
		names[i] = row.Name
	}
	v.drop(names)
	v.parts = append(v.parts, newPart(s))
	x.publish(v)
	return nil
}

// Drop removes documents. Names that are not there are passed over.
func (x *Index) Drop(names ...string) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	v := x.now.Load().clone()
	v.drop(names)
	x.publish(v)
	return nil
}

func (x *Index) publish(v *view) {
	v.compact()
	v.count()
	x.now.Store(v)
}
