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

	OfBranch []string `json:"of_branch,omitempty"` // notes of the commit that is checked out, which the notebook does not know
}

// Text lists the notes, one a line.
func (r Rows) Text() string {
	var b strings.Builder
	b.WriteString(r.Head())
	b.WriteString(r.tellReading())
	for _, row := range r.Notes {
		fmt.Fprintf(&b, "%s\n", row.Line())
	}
	return b.String() + r.Tail()
}

// Tail is what Text says after the notes.
func (r Rows) Tail() string {
	var b strings.Builder
	if len(r.Notes) == 0 {
		fmt.Fprintf(&b, "No notes%s\n", r.yet())
	}
	b.WriteString(leftoverLine(r.OfBranch))
	b.WriteString(r.moreLine(r.More, r.Total, r.Cursor))
	return b.String() + r.Lines()
}
