package result

import (
	"fmt"
	"strings"

	"blue/errors"
)

// Stats is the answer to the question whether the notes helped: what agents were told of them,
// and what became of it.
type Stats struct {
	About
	Since   string `json:"since"`             // beginning of the counted time, in RFC 3339
	Nothing string `json:"nothing,omitempty"` // why nothing is counted
	Usage
	Notes     int           `json:"notes"` // of the project now; the next three are of them
	ToldNotes int           `json:"notes_told"`
	ReadNotes int           `json:"notes_read"`
	Never     int           `json:"notes_never_told"`
	Named     int           `json:"notes_named"` // notes that were never told but named in a digest
	Clients   []ClientUsage `json:"clients"`
	Days      []DayUsage    `json:"days"`   // days with any event, oldest first
	Useful    []NoteUse     `json:"useful"` // the most useful notes

	// For the page.
	Unused []NoteUse    `json:"-"` // notes in force that were never told, read or cited, oldest first
	Idle   int          `json:"-"` // number of all such notes
	Months []MonthNotes `json:"-"` // from the first note to the last, oldest first
}

// MonthNotes counts the notes that were written in a month, by type.
type MonthNotes struct {
	Month string // as in 2026-01
	Count int
	Types map[string]int
}

// Usage counts what was told, and what became of it.
type Usage struct {
	Sessions int `json:"sessions"`
	Prompts  int `json:"prompts"`
	Answered int `json:"prompts_answered"` // prompts that a note answers
	Missed   int `json:"prompts_missed"`   // that got nothing, though a search in the session then found a note that was read
	Told     int `json:"told"`             // times that a note was told
	Used     int `json:"used"`             // times that it was then read or cited in the same session, or a file that it cites changed
	Read     int `json:"read"`             // times that a note was read
	Bytes    int `json:"bytes"`            // bytes that models were told
}

// ClientUsage is the usage of one client.
type ClientUsage struct {
	Client string `json:"client"`
	Usage
}

// DayUsage is the usage of one day.
type DayUsage struct {
	Day string `json:"day"`
	Usage
}

// NoteUse counts the uses of one note.
type NoteUse struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Told  int    `json:"told"`
	Used  int    `json:"used"` // as in [Usage]
	Read  int    `json:"read"`
	Cited int    `json:"cited"` // in writes
	Named int    `json:"named"` // in digests, by its title
}

// row returns a line of the table.
func (u Usage) row(name string) string {
	return fmt.Sprintf("%-15s %8d %8d %9d %7d %5d %5d %5d %8d\n", errors.Cut(name, 15), u.Sessions, u.Prompts, u.Answered, u.Missed, u.Told, u.Used, u.Read, u.Bytes)
}

// Text returns the table and the lists for a person.
func (s Stats) Text() string {
	since, _, _ := strings.Cut(s.Since, "T")
	if s.Nothing != "" {
		return s.Nothing + "\n" + s.Lines()
	}
	var b writer
	fmt.Fprintf(&b, "Since %s, by client:\n\n%-15s %8s %8s %9s %7s %5s %5s %5s %8s\n", since, "", "sessions", "prompts", "answered", "missed", "told", "used", "read", "bytes")
	for _, c := range s.Clients {
		b.WriteString(c.row(c.Client))
	}
	if len(s.Clients) > 1 {
		b.WriteString(s.row("all"))
	}
	b.lineIf(s.Sessions == 0, "\nNo hook of a client has run since, see blue setup CLIENT.")
	b.WriteString(`
answered  prompts that a note answers, told then or earlier in the session
missed    prompts that got nothing, though a search found a note that was read
told      times that a note was told
used      times that it was then read or cited in the same session, or a file
          that it cites was changed
`)
	named := ""
	if s.Named > 0 {
		named = fmt.Sprintf(" (%d of them named in a digest)", s.Named)
	}
	b.line("\n%s: %d told, %d read, %d never told%s", Plural(s.Notes, "note"), s.ToldNotes, s.ReadNotes, s.Never, named)
	b.lineIf(len(s.Useful) > 0, "\nMost useful:")
	for _, n := range s.Useful {
		b.line("  %s\n    told %d, used %d, read %d, cited %d: %s", errors.Cut(n.Title, 78), n.Told, n.Used, n.Read, n.Cited, errors.Cut(n.ID, 40))
	}
	return b.String() + s.Lines()
}
