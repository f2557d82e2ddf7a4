package blue

import (
	"blue/blue/internal/note"
	"blue/blue/internal/notebook"
	"blue/blue/internal/notesync"
	"blue/blue/internal/screen"
)

// Constants of the language of notes that the doors need. Package note has the rest.
const (
	BodyLimit    = note.BodyLimit // bytes of a body
	TypeNote     = note.TypeNote  // type of a note that names none
	TypeDecision = note.TypeDecision
	Done         = note.Done
	Deprecated   = note.Deprecated
)

// How much of a note an agent has seen.
const (
	SeenNone  = notebook.SeenNone
	SeenPart  = notebook.SeenPart
	SeenWhole = notebook.SeenWhole
)

// NoteTypes returns the types of notes with a special meaning, beginning with the default.
func NoteTypes() []string { return note.Types() }

// Statuses returns the statuses that have a meaning, beginning with the default.
func Statuses() []string { return note.Statuses() }

// StatusesOf returns the statuses that a person chooses from for a note of a type.
func StatusesOf(kind string) []string { return note.StatusesOf(kind) }

// IsProposed reports whether a status says that a note waits for a person to accept it.
func IsProposed(status string) bool { return note.IsProposed(status) }

// Label makes a text fit on one line of a list: at most n characters, or three times as many if
// hidden characters are escaped.
func Label(text string, n int) string { return note.ShowLabel(text, n) }

// Screen rejects text that must not be stored: hidden characters and likely secrets in what a
// write adds to the former text. See package screen.
func Screen(field, before, after string, allow bool) error {
	return screen.Refuse(field, before, after, allow)
}

// AllowSecrets marks lines that look like secrets as allowed if allow is set, on the word of a
// person.
func AllowSecrets(text string, allow bool) string { return screen.AllowSecrets(text, allow) }

// HoldsSecret reports whether a text appears to contain a secret, which no log or reply may
// repeat.
func HoldsSecret(text string) bool { return len(screen.Secrets(text)) > 0 }

// Arguments of the verbs and of [New].
type (
	Call         = notebook.Call
	Change       = notebook.Change
	Choice       = notebook.Choice
	Comparing    = notebook.Comparing
	Draft        = notebook.Draft
	Facts        = notebook.Facts
	Filter       = notebook.Filter
	Hosted       = notebook.Hosted
	HostedNotes  = notebook.HostedNotes
	Incoming     = notebook.Incoming
	Intake       = notebook.Intake
	Moment       = notebook.Moment
	Seen         = notebook.Seen
	Notes        = notebook.Reader
	Offered      = notebook.Offered
	Options      = notebook.Options
	Paging       = notebook.Paging
	Place        = notebook.Place
	Publication  = notebook.Publication
	Published    = notebook.Published
	Query        = notebook.Query
	Reading      = notebook.Reading
	Removal      = notebook.Removal
	Proposal     = notebook.Proposal
	Resolving    = notebook.Resolving
	Selection    = notebook.Selection
	Settled      = notebook.Settled
	Source       = notebook.Resource
	Texts        = notebook.Texts
	Writer       = notebook.Writer
	Syncing      = notesync.Options
	HostedChange = notebook.HostedChange
)

// DiffLine is a line of the difference of two texts.
type DiffLine = note.DiffLine

// Diff compares two texts line by line. It is empty if they have the same lines.
func Diff(before, after string) []DiffLine { return note.DiffLines(before, after) }
