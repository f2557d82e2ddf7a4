package index

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
	Keys []string // exact words of the caller, see [Index.Keyed]

	prepared *segment // see [Document.Prepare]
}

// prepare makes the segment of the document alone: one that is built of it later, with
// another time and stamp, is the same but for these.
func (d *Document) prepare(build func([]Document) (*segment, error)) (err error) {
	d.prepared, err = build([]Document{*d})
	return err
}
