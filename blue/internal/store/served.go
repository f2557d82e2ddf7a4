package store

import (
	"io/fs"
	"time"
)

// Limit is the size in bytes up to which a file is read as a note.
const Limit = 1 << 20

// Mark names one change of a project in a database. After a loss, as when a backup is put
// back, the numbers of changes are used again; what names the line of the audit is not.
type Mark struct {
	Seq       uint64
	At, Entry int64 // of the line
}

// maxTries bounds how often a file that was replaced meanwhile is opened again.
const maxTries = 20

// File is one entry of notes/ or private/ as a listing saw it. A change of the
// file shows in its size, times or inode.
type File struct {
	Name       string // "notes/ID.md" or "private/ID.md"
	Size       int64  // in bytes
	ModTime    time.Time
	ChangeTime time.Time // when content or attributes changed; zero where the system does not say
	Inode      uint64    // 0 where the system does not say
	Problem    string    // why it is not served, "" when it is
}

// notServedReason says why a file is not served.
type notServedReason string

const tooLarge notServedReason = "it is larger than 1 MiB"

// whyNotServed says why a file of this kind or size is not served, "" when it is.
func whyNotServed(mode fs.FileMode, size int64) notServedReason {
	switch {
	case mode.IsRegular() && size > Limit:
		return tooLarge
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "it is a directory"
	case mode&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "it is a FIFO"
	}
	return "it is not a regular file"
}

// timeLayout is the time in the name of a trashed note, in UTC. Of one length, so
// that the order of names is that of times.
const timeLayout = "20060102T150405.000000000Z"
