package reply

import (
	"fmt"
	"strings"
)

// TagList is the answer to "which tags are there".
type TagList struct {
	About
	Tags []Count `json:"tags"` // the one that most notes have first
}

// Count is a word, and how many notes have it.
type Count struct {
	Word  string `json:"word"`
	Notes int    `json:"notes"`
}

// Text lists the tags, one a line.
func (t TagList) Text() string {
	var b strings.Builder
	for _, c := range t.Tags {
		fmt.Fprintf(&b, "%5d  %s\n", c.Notes, c.Word)
	}
	if len(t.Tags) == 0 {
		b.WriteString("No tags\n")
	}
	return b.String() + t.Lines()
}
