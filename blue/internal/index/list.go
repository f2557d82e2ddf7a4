package index

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// Len returns the number of documents.
func (x *Index) Len() int { return x.current.Load().docs }

// Stamps returns the name and the stamp of every document.
func (x *Index) Stamps() (stamps map[string]Stamp) {
	x.readSnapshot(func(v *snapshot) {
		stamps = map[string]Stamp{}
		for _, l := range v.segments {
			for doc := range l.LivingDocs() {
				stamps[string(l.Name(doc))] = l.Stamp(doc)
			}
		}
	})
	return stamps
}

// Types counts all documents by type. The result is shared: it must not be changed.
func (x *Index) Types() map[string]int {
	version := x.Version()
	if known := x.types.Load(); known != nil && known.version == version {
		return known.counts
	}
	var counts map[string]int
	x.readSnapshot(func(v *snapshot) {
		counts = map[string]int{}
		for _, l := range v.segments {
			for doc := range l.LivingDocs() {
				counts[string(l.Type(doc))]++
			}
		}
	})
	x.types.Store(&typeCounts{version, counts})
	return counts
}

// Row returns the document of that name.
func (x *Index) Row(name string) (row Row, ok bool) {
	x.readSnapshot(func(v *snapshot) {
		at, found := v.locate(name)
		if row, ok = (Row{}), found; found {
			row = v.segments[at.segment].Row(at.doc)
		}
	})
	return row, ok
}

// Version returns the number of the current snapshot. While it is the same, no document has
// changed.
func (x *Index) Version() uint64 { return x.current.Load().version }

// Keyed returns the documents that were added with the key, sorted by name.
func (x *Index) Keyed(key string) (rows []Row) {
	x.readSnapshot(func(v *snapshot) {
		rows = v.holders(-1, func(l *segment.Live) [][]byte {
			return [][]byte{l.FindTerm(segment.KeyTerm + key)}
		})
	})
	return rows
}

// Replacing returns the documents that replace the one of that name, which need not exist, the newest
// first.
func (x *Index) Replacing(name string) (rows []Row) {
	x.readSnapshot(func(v *snapshot) { rows = v.replacing(name) })
	return rows
}

// CountKeys counts the documents by key, for the keys that begin with start. The result is keyed by
// the rest of the key.
func (x *Index) CountKeys(start string) (counts map[string]int) {
	beginning := segment.KeyTerm + start
	x.readSnapshot(func(v *snapshot) {
		counts = map[string]int{}
		for _, l := range v.segments {
			for w := l.TermsFrom(beginning); w.HasPrefix(beginning); w.NextTerm() {
				docs, _ := l.Holding(w.Data)
				counts[string(w.Key[len(beginning):])] += docs
			}
		}
	})
	return counts
}

// WithPrefix returns at most limit documents whose id begins with a text.
func (x *Index) WithPrefix(prefix string, limit int) (rows []Row) {
	beginning := segment.IDTerm + words.Fold(prefix)
	x.readSnapshot(func(v *snapshot) {
		rows = v.holders(limit, func(l *segment.Live) (terms [][]byte) {
			for w := l.TermsFrom(beginning); w.HasPrefix(beginning); w.NextTerm() {
				terms = append(terms, w.Data)
			}
			return terms
		})
	})
	return rows
}

// holders returns the living documents that hold one of the terms, sorted by name. The function
// terms returns the data of the terms of a segment. A limit of -1 means no limit.
func (v *snapshot) holders(limit int, terms func(l *segment.Live) [][]byte) (rows []Row) {
	for _, l := range v.segments {
		for _, term := range terms(l) {
			for doc := range l.Holders(term) {
				if len(rows) != limit {
					rows = append(rows, l.Row(doc))
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	return rows
}

// List returns a page of the documents that pass the filter, newest first or by title, and the
// total number of them.
func (x *Index) List(f Filter, byTitle bool, offset, limit int) (rows []Row, total int) {
	x.readSnapshot(func(v *snapshot) {
		from := min(max(offset, 0), v.docs)
		to := from + min(max(limit, 0), v.docs-from)
		var all []listEntry
		rows = nil
		all, total = v.listEntries(f, byTitle, to)
		for _, e := range all[min(from, len(all)):] {
			rows = append(rows, v.segments[e.segment].Row(e.doc))
		}
	})
	return rows, total
}

// listEntry is a document and its sort keys, which alias the memory of its segment.
type listEntry struct {
	location
	time        time.Time
	title, name []byte
}

// listEntries returns at most limit of the first documents that pass the filter, and the total
// number.
func (v *snapshot) listEntries(f Filter, byTitle bool, limit int) (all []listEntry, total int) {
	sortFirst := func() {
		slices.SortFunc(all, func(a, b listEntry) int {
			if byTitle {
				return cmp.Or(bytes.Compare(a.title, b.title), bytes.Compare(a.name, b.name))
			}
			return cmp.Or(b.time.Compare(a.time), bytes.Compare(a.name, b.name))
		})
		all = all[:min(limit, len(all))]
	}
	for i, l := range v.segments {
		for doc := range l.LivingDocs() {
			if !f.matches(l, doc) {
				continue
			}
			e := listEntry{location: location{i, doc}, time: l.Time(doc), name: l.Name(doc)}
			if byTitle {
				e.title = l.Title(doc)
			}
			all = append(all, e)
			if total++; len(all) >= 2*limit+listRoom {
				sortFirst()
			}
		}
	}
	sortFirst()
	return all, total
}

// listRoom is the number of entries, in addition to twice the page, that are collected before all
// but the page are dropped.
const listRoom = 100
