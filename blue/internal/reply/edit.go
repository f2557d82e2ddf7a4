package reply

import (
	"fmt"

	"blue/blue/internal/note"
	"blue/errors"
)

// Edited is the answer to an edit.
type Edited struct {
	About
	ID        string `json:"id"`
	Path      string `json:"path"`
	Revision  string `json:"revision"`
	Previous  string `json:"previous,omitempty"`  // the revision that was replaced, kept in the history
	Unchanged bool   `json:"unchanged,omitempty"` // the content was already so
	Durable   bool   `json:"durable"`
	Related
}

// Text says what became of the note.
func (e Edited) Text() string { return e.render(false) }

// TerminalText is [Edited.Text] for a person at the terminal.
func (e Edited) TerminalText() string { return e.render(true) }

func (e Edited) render(terminal bool) string {
	text := fmt.Sprintf("Edited %s, revision %s (was %s)\n", e.ID, e.Revision, e.Previous)
	if e.Unchanged {
		text = fmt.Sprintf("Unchanged: %s has that content already, revision %s\n", e.ID, e.Revision)
	}
	text += e.line(e.ID, terminal)
	if !e.Durable {
		text += notDurable
	}
	return text + e.Lines()
}

// Current is a note's state, returned with a conflict so that it can be merged.
type Current struct {
	ID       string `json:"id"`
	Revision string `json:"revision"`
	Body     string `json:"body"`
	More     int    `json:"more,omitempty"` // bytes of the body left out
}

// Text shows the current body to the reader of a conflict.
func (c Current) Text() string {
	text := fmt.Sprintf("Current revision %s:\n%s", c.Revision, c.Body)
	if c.More > 0 {
		text += fmt.Sprintf("\n(%d bytes more: read it with its id)", c.More)
	}
	return text
}

// currentRoom is how many bytes of the current text a conflict shows.
const currentRoom = 8000

// StaleConflict returns the conflict of an edit or removal that names another revision.
func StaleConflict(name, given, now string, data []byte) error {
	n := note.ParseText(name, data)
	body, more := CutBytes(note.ShowHidden(n.Body), currentRoom)
	return errors.Stale(note.IDOf(name), given, now, Current{ID: note.IDOf(name), Revision: now, Body: body, More: more})
}
