// Package result has what verbs answer: plain structs, whose JSON `--json` prints and a tool
// returns, each with a method Text for people and models. It bounds what a reply may say,
// and makes the cursors to the rest. It knows no project, file or index: package blue fills
// the structs in, and names them for the doors.
package result

import (
	"fmt"
	"strings"

	"blue/errors"
	"blue/marker"
)

// Ref names a project in a reply.
type Ref struct {
	marker.Address
	Source   string `json:"source"`
	Worktree string `json:"worktree,omitempty"`
	Nearest  string `json:"nearest,omitempty"` // existing directory that decided, when the one that was named does not exist yet
}

// About is what every reply carries.
type About struct {
	Project    *Ref     `json:"project,omitempty"`
	OtherRoots []string `json:"other_roots,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	Reading    []string `json:"reading,omitempty"`   // how far what the reply is made of has been read
	Untrusted  bool     `json:"untrusted,omitempty"` // nothing of the project is told unasked but what the user wrote there

	Unfetched bool `json:"unfetched,omitempty"` // the notes of others have never come to this clone

	Unnamed  bool `json:"-"` // the reader stands in the project: the text does not name it
	Terminal bool `json:"-"` // the reader types commands: the text names flags, not arguments
	told     bool // the text has said how far the reading is
}

// tellReading returns the lines that say how far the reading is, once.
func (a *About) tellReading() string {
	var b writer
	for _, text := range a.Reading {
		b.lineIf(!a.told, "%s", strings.ToUpper(text[:1])+text[1:])
	}
	a.told = true
	return b.String()
}

// yet qualifies that there is nothing, while not everything has been read.
func (a About) yet() string {
	if len(a.Reading) > 0 {
		return " yet"
	}
	return ""
}

// moreLine says how to get at what had no room in a reply.
func (a About) moreLine(more, total int, cursor string) string {
	how := "cursor "
	if a.Terminal {
		how = "--limit N, or --cursor "
	}
	if more == 0 {
		return ""
	}
	return fmt.Sprintf("%d more of %d: %s%s\n", more, total, how, cursor)
}

// NotTrusted is what a reply says of a project that is not trusted.
const NotTrusted = "not trusted: run blue trust to have these notes told unasked"

// Head is what a list of notes begins with.
func (a About) Head() string {
	var b writer
	b.lineIf(a.Unfetched, Unfetched)
	b.lineIf(a.Untrusted, NotTrusted)
	return b.String()
}

// Lines are the lines of a reply's text that name the project and what to be warned of.
func (a About) Lines() string {
	if a.Project == nil {
		return ""
	}
	var b writer
	if !a.Unnamed {
		b.WriteString(a.Project.line())
	}
	b.list("Other projects", listSome(ShowLabels(a.OtherRoots, PathShown, TailRoom)))
	b.WriteString(a.tellReading())
	for _, w := range a.Warnings {
		b.line("Warning: %s", w)
	}
	return b.String()
}

func (r Ref) line() string {
	source := r.Source
	if r.Nearest != "" {
		source += ", by the nearest existing directory " + errors.Visible(r.Nearest)
	}
	place := "at " + errors.Visible(r.Root)
	if r.Root == "" {
		place = "on this server"
	}
	return fmt.Sprintf("Project: %s %s (source: %s)\n", r.Name, place, source)
}
