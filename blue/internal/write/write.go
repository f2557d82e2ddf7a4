// Package write has the steps of a write under the lock of a project: a note is made,
// changed, moved to the trash or brought back, and the notes that it supersedes are marked.
package write

import (
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
)

// Steps are what a write needs of its project, whose index is in line with the notes.
type Steps struct {
	Notes   catalog.Notes
	Store   storage.Notes
	Held    storage.Writer
	Project string // its id
	Writer  string // who writes
	Now     func() time.Time
	About   func() reply.About

	Find func(ref string) (index.Row, error) // the note that a caller means
	File func(ref string) (string, error)    // the path of the document that a caller means, "" for words that name none, with why a path does not
	Word func(ref string) string             // a reference without what a path has before and behind an id

	Cited    func() *anchor.Files
	Followed func() *anchor.Files // those that git follows to their new names

	Alike      func(n note.Text, private bool) (found Alike) // nil when it is looked for elsewhere
	NewPrivate func() ([]string, error)                      // private notes that the index does not have yet; nil when it has all

	IsOwn   func(name, revision string) bool                        // whether all of the text is this user's, written here
	Record  func(name, revision string, own bool)                   // enters a revision in the ledger
	Index   func()                                                  // brings what was written into the index
	Prepare func(name string, data []byte, own bool, before func()) // what follows from a note that is about to be written
}

// Alike waits for the notes that are like one.
type Alike = func() reply.Alike
