package reply

import (
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// Written is the answer to a write.
type Written struct {
	About
	ID       string `json:"id"`
	Path     string `json:"path"` // relative to the root
	Revision string `json:"revision"`
	Created  bool   `json:"created"`           // false when that note exists already
	Trashed  bool   `json:"trashed,omitempty"` // it exists, in the trash
	Status   string `json:"status,omitempty"`  // of one that exists, when it is not active
	Durable  bool   `json:"durable"`           // the disk has confirmed the file and its directory
	Alike
}

// notDurable is said of what the disk has taken but not confirmed.
const notDurable = "Not durable: the disk did not confirm the directory; check the disk\n"

// Text says what was written, and where.
func (w Written) Text() string { return w.render(false) }

// TerminalText is [Written.Text] for a person at the terminal.
func (w Written) TerminalText() string { return w.render(true) }

func (w Written) render(terminal bool) string {
	var b strings.Builder
	written := ""
	if w.Created {
		written = w.ID
	}
	b.WriteString(setAside(w.SetAside, written, terminal))
	switch {
	case w.Trashed:
		fmt.Fprintf(&b, "That note exists already, and is in the trash: %s\n", w.ID)
	case w.Created:
		fmt.Fprintf(&b, "Wrote %s (%s), revision %s\n", w.ID, w.Path, w.Revision)
	case w.Status != "":
		fmt.Fprintf(&b, "That note exists already, with the status %s: %s (%s), revision %s\n", w.Status, w.ID, w.Path, w.Revision)
	default:
		fmt.Fprintf(&b, "That note exists already: %s (%s), revision %s\n", w.ID, w.Path, w.Revision)
	}
	isRelated := func(id string) bool { return slices.Contains(w.Related.Related, id) } // and is named there
	if similar := slices.DeleteFunc(slices.Clone(w.Similar), isRelated); len(similar) > 0 {
		fmt.Fprintf(&b, "Similar notes: %s\n", strings.Join(similar, ", "))
	}
	b.WriteString(w.line(w.ID, terminal))
	if !w.Durable {
		b.WriteString(notDurable)
	}
	return b.String() + w.Lines()
}

// PlacedAt names the file of the note and its revision.
func (w Written) PlacedAt(name, revision string) Written {
	w.ID, w.Path, w.Revision = note.IDOf(name), ".blue/"+name, revision
	return w
}
