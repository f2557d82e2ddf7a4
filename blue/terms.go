package blue

import (
	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// What the doors need of the language of notes. Package note has the rest.
const (
	BodyLimit = note.BodyLimit // bytes of a body
	TypeNote  = note.TypeNote  // the type of a note that says none
	Active    = note.Active    // the status of a note that says none
)

// NoteTypes returns the types of notes that have a meaning of their own, the default
// one first; any other word is a type too.
func NoteTypes() []string { return note.Types() }

// Statuses returns the words for a status that have a meaning, the default one first.
func Statuses() []string { return note.Statuses() }

// Label makes a text fit for a list or a heading: on one line, at most n characters of
// it, and three times as many where hidden ones are spelled out.
func Label(text string, n int) string { return note.ShowLabel(text, n) }

// ShowName quotes the name of a project or a branch, at most 40 characters of it.
func ShowName(name string) string { return result.ShowName(name) }

// Plural is a count with the word for what is counted.
func Plural(n int, word string) string { return result.Plural(n, word) }
