package reply

import (
	"fmt"

	"blue/blue/internal/note"
)

// Conflict is a note of which two machines have changed the same lines, and the note that
// holds the other text.
type Conflict struct {
	About
	Clash
	Title        string          `json:"title"`
	Revision     string          `json:"revision"`
	WithRevision string          `json:"with_revision"`
	Merged       string          `json:"merged"` // both texts, with markers where they are in conflict
	Marks        int             `json:"marks"`  // places between markers
	Lines        []note.DiffLine `json:"lines"`  // from the note to the other text
	More         int             `json:"more,omitempty"`
}

// OtherText is the heading above the other text of a note that keeps both.
const OtherText = "## Other text of this note"

// Resolved is the answer to the resolving of a conflict.
type Resolved struct {
	About
	Clash
	Path      string `json:"path"`
	Revision  string `json:"revision"`
	Previous  string `json:"previous,omitempty"`
	Unchanged bool   `json:"unchanged,omitempty"` // the note has the text that it had
	Trash     string `json:"trash"`               // where the other note lies now
	More      int    `json:"more,omitempty"`      // further texts of the note
	Durable   bool   `json:"durable"`
}

// Text says what became of both notes.
func (r Resolved) Text() string {
	text := fmt.Sprintf("Resolved %s, revision %s (was %s)\n", Visible(r.ID), r.Revision, r.Previous)
	if r.Unchanged {
		text = fmt.Sprintf("Resolved %s: its text stays, revision %s\n", Visible(r.ID), r.Revision)
	}
	text += fmt.Sprintf("Moved to the trash: %s (%s)\n", Visible(r.With), r.Trash)
	if r.More > 0 {
		text += fmt.Sprintf("In conflict with %s still: blue resolve %s\n", Plural(r.More, "more note"), ShellWord(Visible(r.ID)))
	}
	if !r.Durable {
		text += notDurable
	}
	return text + r.Lines()
}
