package index

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"blue/blue/internal/words"
)

// Len is the number of documents.
func (x *Index) Len() int { return x.current.Load().docs }

// Stamps returns the name and the stamp of every document.
func (x *Index) Stamps() (stamps map[string]Stamp) {
	x.readSnapshot(func(v *snapshot) {
		stamps = map[string]Stamp{}
		for _, l := range v.segments {
			for doc := range l.livingDocs() {
				stamps[string(l.name(doc))] = l.stamp(doc)
			}
		}
	})
	return stamps
}

// CountRevisions counts the documents of which the name and the revision pass.
func (x *Index) CountRevisions(pass func(name, revision string) bool) (count int) {
	x.readSnapshot(func(v *snapshot) {
		count = 0
		for _, l := range v.segments {
			for doc := range l.livingDocs() {
				if pass(l.revision(doc)) {
					count++
				}
			}
		}
	})
	return count
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

// Keyed returns the documents that were put in with the key, by name.
func (x *Index) Keyed(key string) (rows []Row) {
	x.readSnapshot(func(v *snapshot) {
		rows = v.holders(-1, func(l *liveSegment) [][]byte {
			return [][]byte{l.findTerm(keyTerm + key)}
		})
	})
	return rows
}

// WithPrefix returns documents whose id begins with a text, at most limit.
func (x *Index) WithPrefix(prefix string, limit int) (rows []Row) {
	beginning := idTerm + words.Fold(prefix)
	x.readSnapshot(func(v *snapshot) {
		rows = v.holders(limit, func(l *liveSegment) (terms [][]byte) {
			for w := l.termsFrom(beginning); w.hasPrefix(beginning); w.nextTerm() {
				terms = append(terms, w.data())
			}
			return terms
		})
	})
	return rows
}

// holders returns the living documents that hold one of the terms of their segment, of
// which it is given the data, sorted by name, at most limit of them; -1 is all.
func (v *snapshot) holders(limit int, terms func(l *liveSegment) [][]byte) (rows []Row) {
	for _, l := range v.segments {
		for _, term := range terms(l) {
			for doc := range l.holders(term) {
				if len(rows) != limit {
					rows = append(rows, l.row(doc))
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	return rows
}

// List returns a page of the documents that pass, newest first or by title, and
// how many there are.
func (x *Index) List(f Filter, byTitle bool, offset, limit int) (rows []Row, total int) {
	x.readSnapshot(func(v *snapshot) {
		all := v.listEntries(f, byTitle)
		rows, total = nil, len(all)
		from := min(max(offset, 0), total)
		for _, e := range all[from : from+min(max(limit, 0), total-from)] {
			rows = append(rows, v.segments[e.segment].row(e.doc))
		}
	})
	return rows, total
}

// listEntry is a document and what it is sorted by; both texts are in place.
type listEntry struct {
	location
	time        time.Time
	title, name []byte
}

func (v *snapshot) listEntries(f Filter, byTitle bool) (all []listEntry) {
	for i, l := range v.segments {
		for doc := range l.livingDocs() {
			if f.matches(l.segment, doc) {
				e := listEntry{location: location{i, doc}, time: l.time(doc), name: l.name(doc)}
				if byTitle {
					e.title = l.title(doc)
				}
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b listEntry) int {
		if byTitle {
			return cmp.Or(bytes.Compare(a.title, b.title), bytes.Compare(a.name, b.name))
		}
		return cmp.Or(b.time.Compare(a.time), bytes.Compare(a.name, b.name))
	})
	return all
}
