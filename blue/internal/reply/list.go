package reply

import (
	"fmt"
	"strings"
)

// Rows is the answer to a list.
type Rows struct {
	About
	Notes  []Row  `json:"notes"`
	Total  int    `json:"total"`
	More   int    `json:"more,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// Text lists the notes, one a line.
func (r Rows) Text() string {
	var b strings.Builder
	heading, trim := sharedOrigin(r.Notes)
	b.WriteString(heading)
	for _, row := range r.Notes {
		fmt.Fprintf(&b, "%s\n", trim(row.Line()))
	}
	return b.String() + r.Tail()
}

// Tail is what Text says after the notes.
func (r Rows) Tail() string {
	var b strings.Builder
	if len(r.Notes) == 0 {
		b.WriteString("No notes\n")
	}
	b.WriteString(r.moreLine(r.More, r.Total, r.Cursor))
	return b.String() + r.Lines()
}
