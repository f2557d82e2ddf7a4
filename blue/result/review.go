package result

import (
	"slices"
	"strings"
)

// Reviewed is the answer to a review, which lists what deserves a look and changes nothing.
type Reviewed struct {
	About
	Review []Due  `json:"review"`
	Total  int    `json:"total"`
	Notes  int    `json:"notes"` // notes that were examined
	More   int    `json:"more,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// Reasons why a note deserves a look, the most urgent first.
const (
	DueConflict = "conflict"    // it holds another machine's text of a note
	DueWorktree = "worktree"    // git would delete private notes and history with it; no note
	DueChanged  = "changed"     // a file that it cites has changed
	DueLinked   = "linked"      // it is superseded, but notes in force link to it
	DueProposed = "proposed"    // it waits for a person to accept it
	DueBranch   = "branch"      // a checkpoint of a branch that is gone
	DueStill    = "still true?" // it cites nothing, and was told for long without being read
	DueUnread   = "unread"      // told again and again but never read
	DueUnfound  = "unfound"     // not told, found or read for a year
	DueOld      = "old"         // not changed for a year
)

// Due is one thing that deserves a look.
type Due struct {
	ID       string   `json:"id,omitempty"`
	Title    string   `json:"title"`
	Kind     string   `json:"kind"`
	Revision string   `json:"revision,omitempty"` // of a proposal
	Reason   string   `json:"reason"`
	With     string   `json:"with,omitempty"` // id of the other note that the reason concerns
	Diff     []string `json:"diff,omitempty"` // the lines of a cited file that changed and tell most, with - or +
	Look     string   `json:"look,omitempty"` // command that shows all of them
	Command  string   `json:"command"`        // for the terminal, once the note has been read
}

// Proposed reports whether it is a proposal.
func (d Due) Proposed() bool { return d.Kind == DueProposed }

// Urgency orders reasons: the lowest comes first.
func (d Due) Urgency() int {
	return slices.Index([]string{DueConflict, DueWorktree, DueChanged, DueLinked, DueProposed, DueBranch, DueStill, DueUnread, DueUnfound, DueOld}, d.Kind)
}

// Proposals returns those notes that wait for a person.
func (r Reviewed) Proposals() (all []Due) {
	for _, due := range r.Review {
		if due.Proposed() {
			all = append(all, due)
		}
	}
	return all
}

// toolForm turns a command into a call of a tool.
var toolForm = strings.NewReplacer("blue edit", "blue_edit", "blue remove", "blue_remove", "blue read", "blue_read", " --", " ")

// Text lists the reasons, each with a command or, for a model, a call of a tool.
func (r Reviewed) Text() string {
	var b writer
	for _, due := range r.Review {
		if due.ID != "" {
			due.Title = due.ID + "  " + due.Title
			if !r.Terminal {
				due.Command = toolForm.Replace(due.Command)
			}
		}
		b.line("%s\n    %s: %s", due.Title, due.Kind, due.Reason)
		for _, line := range due.Diff {
			b.line("      %s", line)
		}
		b.lineIf(due.Look != "", "    %s", due.Look)
		b.lineIf(r.Terminal || !due.Proposed(), "    %s", due.Command) // a model cannot accept
	}
	if proposals := r.Proposals(); len(proposals) > 1 && r.Terminal {
		accept := "blue accept"
		for _, due := range proposals {
			accept += strings.TrimPrefix(due.Command, "blue accept")
		}
		b.line("All of these %d proposals: %s", len(proposals), accept)
	}
	b.lineIf(r.Total == 0, "Nothing to review among %s", Plural(r.Notes, "note"))
	return b.String() + r.moreLine(r.More, r.Total, r.Cursor) + r.Lines()
}
