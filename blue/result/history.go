package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/errors"
)

// Past is the answer to a question for the revisions of a note.
type Past struct {
	About
	ID        string    `json:"id"`
	Trashed   bool      `json:"trashed,omitempty"`
	Revisions []Revised `json:"revisions"` // newest first; the first is the current one unless the note is in the trash
}

// Revised is one revision of a note.
type Revised struct {
	Revision string `json:"revision"`
	Saved    string `json:"saved"` // RFC 3339, UTC: when it was replaced; for the current one, when it was written
	Size     int64  `json:"size"`  // bytes
	Current  bool   `json:"current,omitempty"`
	Author   string `json:"author"` // author of the revision, [Unknown] if not known
	Client   string `json:"client,omitempty"`
}

// Who returns the author of a revision and the program.
func (v Revised) Who() string { return byWhom(v.Author, v.Client) }

// Text lists the revisions.
func (h Past) Text() string {
	var b writer
	for _, v := range h.Revisions {
		mark := ""
		if v.Current {
			mark = "  current"
		}
		b.line("%s  %s  %7d bytes  by %s%s", v.Revision, v.Saved, v.Size, v.Who(), mark)
	}
	b.lineIf(h.Trashed, "%s is in the trash", h.ID)
	return b.String() + h.Lines()
}

// Log is the answer to a question for who wrote what.
type Log struct {
	About
	Entries []Event `json:"entries"` // newest first
	Total   int     `json:"total"`
	More    int     `json:"more,omitempty"`
	Cursor  string  `json:"cursor,omitempty"`
}

// Event is one change of a note.
type Event struct {
	Time     string `json:"time"` // RFC 3339, UTC
	Age      string `json:"age"`
	What     string `json:"what"` // wrote, edited, moved, restored or removed
	ID       string `json:"id"`
	Title    string `json:"title,omitempty"`  // present title; empty if the note is gone
	Author   string `json:"author"`           // [Unknown] if not known
	Client   string `json:"client,omitempty"` // the program, as it names itself
	Revision string `json:"revision,omitempty"`
	Imported bool   `json:"-"` // the note was imported when it was written
}

// Unknown replaces the name of an author that is not known.
const Unknown = "unknown"

// Who returns what was done, by whom, and with which program.
func (e Event) Who() string {
	what := e.What
	if what == "wrote" {
		what = "written"
	}
	return what + " by " + byWhom(e.Author, e.Client)
}

// byWhom returns an author, and the program unless it is the author.
func byWhom(author, client string) string {
	if client == "" || client == author {
		return author
	}
	return author + " via " + client
}

// Text lists the events, one per line.
func (l Log) Text() string {
	var b writer
	for _, e := range l.Entries {
		b.line("%s  %s  %s  (%s)", e.Time, e.ID, e.Title, e.Who())
	}
	return b.String() + l.Tail()
}

// Tail returns what Text says after the events.
func (l Log) Tail() string {
	var b writer
	b.lineIf(len(l.Entries) == 0, "Nothing was written")
	return b.String() + l.moreLine(l.More, l.Total, l.Cursor) + l.Lines()
}

// Compared is the difference between two revisions of a note, or between two notes.
type Compared struct {
	About
	ID    string          `json:"id"`
	With  string          `json:"with,omitempty"` // the note of To, if that is another one
	From  string          `json:"from,omitempty"` // empty if To is the first kept revision
	To    string          `json:"to"`
	Lines []note.DiffLine `json:"lines"` // of the whole file; none if both are equal
}

// Text returns the difference in the unified format, which `patch` reads. It is empty if there
// is none.
func (c Compared) Text() string {
	if len(c.Lines) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\t%s\n+++ %s\t%s\n", c.ID, cmp.Or(c.From, "nothing"), cmp.Or(c.With, c.ID), c.To)
	from, to := 1, 1
	for rest := c.Lines; len(rest) > 0; {
		if rest[0].How == "gap" {
			from, to, rest = from+rest[0].Lines, to+rest[0].Lines, rest[1:]
			continue
		}
		end := 0
		for end < len(rest) && rest[end].How != "gap" {
			end++
		}
		text, gone, come := hunk(rest[:end])
		fmt.Fprintf(&b, "@@ -%s +%s @@\n%s", lineRange(from, gone), lineRange(to, come), text)
		from, to, rest = from+gone, to+come, rest[end:]
	}
	return b.String()
}

// hunk returns the text of adjacent lines, and their numbers in the older and in the newer
// file.
func hunk(lines []note.DiffLine) (text string, older, newer int) {
	var b strings.Builder
	for _, line := range lines {
		mark := " "
		switch line.How {
		case "gone":
			mark, older = "-", older+1
		case "new":
			mark, newer = "+", newer+1
		default:
			older, newer = older+1, newer+1
		}
		b.WriteString(mark + line.Text + "\n")
	}
	return b.String(), older, newer
}

// lineRange formats a range of lines. An empty range is named by the line before it.
func lineRange(start, count int) string {
	if count == 0 {
		start--
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// Choose completes the revisions that are compared from those of the note, which are sorted
// newest first. Each may be named by a prefix. To defaults to the newest, From to the one
// before To.
func (c *Compared) Choose(all []Revised) error {
	find := func(word *string, byDefault int) (at int, err error) {
		if *word == "" && byDefault < len(all) {
			*word = all[byDefault].Revision
		}
		at = slices.IndexFunc(all, func(r Revised) bool { return strings.HasPrefix(r.Revision, *word) })
		if at < 0 || *word == "" {
			return 0, errors.NoRevision(c.ID, *word)
		}
		*word = all[at].Revision
		return at, nil
	}
	at, err := find(&c.To, 0)
	if err == nil && (c.From != "" || at+1 < len(all)) {
		_, err = find(&c.From, at+1)
	}
	return err
}
