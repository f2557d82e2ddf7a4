package reply

import (
	"fmt"
	"strings"

	"blue/blue/internal/note"
)

// Alike are the notes that a new one is like.
type Alike struct {
	SetAside []SetAside `json:"set_aside,omitempty"` // those that are not in force
	Similar  []string   `json:"similar"`             // ids of notes that look like the same matter
	Related
}

// StatusRemoved stands in the place of a status for a note in the trash.
const StatusRemoved = "removed"

// SetAside is a note that was rejected, superseded, deprecated or removed.
type SetAside struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`         // empty, as the others that are text, when the note may not be told unasked
	Status  string `json:"status"`                  // its first word
	Since   string `json:"since,omitempty"`         // the day when it got that status
	Written string `json:"written,omitempty"`       // the day of the note, when nobody knows the other
	By      string `json:"superseded_by,omitempty"` // id of the note that replaces it now
	ByTitle string `json:"by_title,omitempty"`
	Why     string `json:"why,omitempty"` // the reason, else what the note says in short
	Same    bool   `json:"same_text,omitempty"`
}

// line says on one line what became of the note and why.
func (s SetAside) line() string {
	line := strings.ToUpper(s.Status[:1]) + s.Status[1:]
	if s.Since != "" {
		line += " on " + s.Since
	} else if s.Written != "" {
		line += " (note of " + s.Written + ")"
	}
	if s.By != "" {
		line += map[bool]string{true: "", false: ", replaced"}[s.Status == note.Superseded] + " by " + named(s.ByTitle, s.By)
	}
	line += ": " + named(s.Title, s.ID)
	if s.Same {
		line += ", of the same text"
	}
	if s.Why != "" {
		line += ": " + s.Why
	}
	return line + "\n"
}

// named is a title with an id, or the id alone.
func named(title, id string) string {
	if title == "" {
		return id
	}
	return fmt.Sprintf("\"%s\" (%s)", title, id)
}

// setAside names notes that are not in force, and says what to do about the first of them: id
// is the note that was written all the same, empty when there is none.
func setAside(all []SetAside, id string, terminal bool) string {
	var b strings.Builder
	for _, s := range all {
		b.WriteString(s.line())
	}
	if len(all) == 0 {
		return ""
	}
	edit, flag, first := "blue_edit ", " ", all[0]
	if terminal {
		edit, flag = "blue edit ", " --"
	}
	if id != "" {
		fmt.Fprintf(&b, "Written all the same. If it is another matter, give it a title of its own: %s\n", edit+id+flag+"title …")
	}
	switch {
	case first.Status == StatusRemoved:
		fmt.Fprintf(&b, "To take %s up again, bring it back: %s\n", first.ID, map[bool]string{true: "blue restore " + first.ID, false: "blue_remove " + first.ID + " restore"}[terminal])
	case first.By == "":
		fmt.Fprintf(&b, "To take %s up again, change its status: %s\n", first.ID, edit+first.ID+flag+"status active")
	case id != "":
		fmt.Fprintf(&b, "If it replaces %s: %s\n", first.By, edit+id+flag+"supersedes "+first.By)
	}
	return b.String()
}
