// Package segment stores documents and their words in immutable segments, and the segments in the
// files of a directory. It answers what one segment holds; its caller decides what a query means
// and which segments count.
//
// Documents become a segment (build.go): one sequence of bytes, the same in memory and in a file
// (format.go, rows.go, terms.go, encode.go), which a cursor reads in place (segment.go, cursor.go).
// A segment never changes: [Live] marks its documents that have since been replaced or dropped,
// several segments are merged into one (merge.go), and a directory holds a base and a delta on top
// of it (directory.go). A mapped file may be damaged while it is read (file.go): what was read
// counts only if [Live.IsIntact] returns true afterwards.
package segment

import "time"

// Stamp identifies the version of a file that was read. The index stores it for the caller and does
// not interpret it.
type Stamp struct {
	Size       int64
	ModTime    int64 // nanoseconds since 1970
	ChangeTime int64 // likewise; 0 if the system has none
	Inode      uint64
	Racy       bool // changed so shortly before it was read that an equal stamp proves nothing
}

// Row is the stored data of a document apart from its words.
type Row struct {
	Name       string // the key: the file name relative to .blue, with slashes
	ID         string
	Title      string
	Type       string
	Tags       []string
	Time       time.Time // sorts lists and equal scores; Filter.Since refers to it
	Superseded bool      // ranks below all documents that are not superseded
	Replaced   bool      // another document replaces it, which makes it superseded; not stored
	Stamp      Stamp
	Revision   string
	Extra      []byte // opaque data of the caller
}

// Document is a document to be indexed. Its body is not stored.
type Document struct {
	Row
	Body string
	Keys []string // exact terms of the caller, of kind [KeyTerm]

	Replaces []string // names of the documents that it replaces

	NoShingles bool // leave out the joined neighbours in longer identifiers
}
