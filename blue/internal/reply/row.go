package reply

import (
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// Row is a note in a list.
type Row struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Type       string   `json:"type"`
	Tags       []string `json:"tags,omitempty"`
	MoreTags   int      `json:"more_tags,omitempty"` // that have no room in a list
	Age        string   `json:"age"`
	Stale      bool     `json:"stale,omitempty"` // a cited file has changed
	Origin     string   `json:"origin"`
	Superseded bool     `json:"superseded,omitempty"`
	Private    bool     `json:"private,omitempty"`
}

// Line is a row on one line. A type that is not named is that of a plain note.
func (r Row) Line() string {
	words := []string{r.Type, r.Age}
	if r.Type == note.TypeNote {
		words = words[1:]
	}
	if len(r.Tags) > 0 {
		words = append(words, "#"+strings.Join(r.Tags, " #"))
	}
	if r.MoreTags > 0 {
		words = append(words, Plural(r.MoreTags, "more tag"))
	}
	return fmt.Sprintf("%s  %s  (%s)", r.ID, r.Title, strings.Join(append(words, r.Remarks()...), ", "))
}

// sharedOrigin is a heading that says the origin of several rows once, when none of them
// is of this user and all have the same; trim then takes it out of the line of each.
func sharedOrigin(rows []Row) (heading string, trim func(line string) string) {
	whole := func(line string) string { return line }
	if len(rows) < 2 || rows[0].Origin == "local" || slices.ContainsFunc(rows, func(r Row) bool { return r.Origin != rows[0].Origin }) {
		return "", whole
	}
	end := ", " + rows[0].Origin + ")"
	return "All of origin " + rows[0].Origin + ", not reviewed here:\n", func(line string) string { return strings.TrimSuffix(line, end) + ")" }
}

// Remarks are what is to be said of a note that is not like most.
func (r Row) Remarks() (words []string) {
	remark := func(on bool, word string) {
		if on {
			words = append(words, word)
		}
	}
	remark(r.Superseded, "superseded")
	remark(r.Private, "private")
	remark(r.Stale, "stale: a cited file changed")
	remark(r.Origin != "local", r.Origin)
	return words
}
