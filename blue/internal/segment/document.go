// Package segment keeps documents and their words in immutable segments, and these in the
// files of a directory. It answers what one segment holds; what a query means, and which
// segments count, is the business of its caller.
//
// Documents become a segment (build.go): one run of bytes, the same in memory and in a file
// (format.go, rows.go, terms.go, encode.go), which a cursor reads in place (segment.go,
// cursor.go). A segment never changes: [Live] marks documents of it that have been replaced or
// dropped since, several are merged into one (merge.go), and a directory holds a base and the
// delta that is laid above it (directory.go). A mapped file may be damaged under its reader
// (file.go): what was read counts when [Live.IsIntact] says so afterwards.
package segment

import "time"

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
	Keys []string // exact words of the caller, each a term of [KeyTerm]
}
