package reply

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/errors"
)

// Compared is what changed from one revision of a note to another, or from one note to another.
type Compared struct {
	About
	ID    string          `json:"id"`
	With  string          `json:"with,omitempty"` // the note of To, when that is another one
	From  string          `json:"from,omitempty"` // empty: To is the first one that is kept
	To    string          `json:"to"`
	Lines []note.DiffLine `json:"lines"` // of the whole file; none when both are equal
}

// Text is the change in the unified format, which `patch` reads; empty when there is none.
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

// hunk returns lines that stand together, and how many of the older and of the newer text
// they are.
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

// lineRange names lines of a text; no lines are named by the one before.
func lineRange(start, count int) string {
	if count == 0 {
		start--
	}
	return fmt.Sprintf("%d,%d", start, count)
}

// Choose completes the revisions that are compared, of which each may be named by its start,
// from those of the note, the newest first: To is else the newest, and From the one before.
func (c *Compared) Choose(all []Revised) error {
	if c.To == "" && len(all) > 0 {
		c.To = all[0].Revision
	}
	at, err := c.find(all, c.To)
	if err != nil {
		return err
	}
	c.To = all[at].Revision
	if c.From == "" && at+1 < len(all) {
		c.From = all[at+1].Revision
	}
	if c.From != "" {
		if at, err = c.find(all, c.From); err != nil {
			return err
		}
		c.From = all[at].Revision
	}
	return nil
}

// find returns the place of the revision that a word begins, the newest of several.
func (c *Compared) find(all []Revised, word string) (int, error) {
	at := slices.IndexFunc(all, func(r Revised) bool { return strings.HasPrefix(r.Revision, word) })
	if at < 0 || word == "" {
		return 0, errors.NoRevision(c.ID, word)
	}
	return at, nil
}
