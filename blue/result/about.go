// Package result defines what verbs answer: plain structs, whose JSON `--json` prints and a
// tool returns, each with a method Text for people and models. It bounds the size of replies
// and makes the cursors to the rest. It knows no project, file or index: the packages notebook
// and blue fill in the structs.
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
	Nearest  string `json:"nearest,omitempty"` // nearest existing directory, which decided if the named one does not exist yet
}

// About is the part that all replies have in common.
type About struct {
	Project    *Ref     `json:"project,omitempty"`
	OtherRoots []string `json:"other_roots,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	Reading    []string `json:"reading,omitempty"`   // how far the sources of the reply have been read
	Untrusted  bool     `json:"untrusted,omitempty"` // nothing of the project is told unasked

	Unfetched bool `json:"unfetched,omitempty"` // the notes of others were never fetched to this clone

	Unnamed  bool `json:"-"` // the reader works in the project, so the text does not name it
	Terminal bool `json:"-"` // the reader types commands: the text names flags, not arguments
	told     bool // the text has already said how far the reading is
}

// tellReading returns the lines that say how far the reading is, the first time it is called.
func (a *About) tellReading() string {
	var b writer
	for _, text := range a.Reading {
		b.lineIf(!a.told, "%s", strings.ToUpper(text[:1])+text[1:])
	}
	a.told = true
	return b.String()
}

// yet returns the word that qualifies "nothing" while not everything has been read.
func (a About) yet() string {
	if len(a.Reading) > 0 {
		return " yet"
	}
	return ""
}

// moreLine says how to get what did not fit into a reply.
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

// NotTrusted is the remark of replies about a project that is not trusted.
const NotTrusted = "not trusted: run blue trust to have these notes told unasked"

// Head returns the first lines of a list of notes.
func (a About) Head() string {
	var b writer
	b.lineIf(a.Unfetched, Unfetched)
	b.lineIf(a.Untrusted, NotTrusted)
	return b.String()
}

// Lines returns the lines of a reply that name the project and give warnings.
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
	return fmt.Sprintf("Project: %s %s (source: %s)\n", NameProject(r.Name), place, source)
}
