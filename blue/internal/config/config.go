// Package config edits configuration files that belong to somebody else: JSON with and
// without comments, TOML, YAML, and a marked block in a Markdown text. An edit says which
// members an object is to have and changes nothing else: comments, order, indentation,
// unknown keys, line ends and the byte order mark stay, and so does what it cannot parse.
// The package also reads and replaces such files, so that a crash leaves the old or the
// new text whole. It knows no client.
//
// JSON is edited at the offsets that the parser of hujson gives. Its Patch takes
// out the comment behind a removed member and writes new ones without indentation.
// TOML is edited at the positions that the parser of go-toml gives. A library
// that writes the whole text anew, as tomledit does, changes blanks, blank
// lines and line ends that are the person's own.
// The YAML library does not keep blanks and line ends: its encoder serves for
// the new members alone, and the nodes' lines and columns for the rest.
package config

import "fmt"

// Language is the syntax of a file. Each keeps the bytes that it does not
// change. Put and Drop take text that Decode has taken.
type Language interface {
	// Decode returns maps with string keys, lists, texts, numbers, and nil
	// for a file without a value; a [Fault] when the text does not parse.
	Decode(src []byte) (any, error)
	// Put makes the value at path hold the members of want, and not those of
	// stale; what else is in it stays.
	Put(src []byte, path []string, want Object, stale []string) ([]byte, error)
	// Drop takes out the member at path, which is there, and the containers that
	// are empty then.
	Drop(src []byte, path []string) ([]byte, error)
}

// Fault says where and why a text cannot be edited; line 0 means all of it.
type Fault struct {
	Line int
	Text string
}

// Error is line and reason.
func (f Fault) Error() string { return fmt.Sprintf("line %d: %s", f.Line, f.Text) }
