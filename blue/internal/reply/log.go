package reply

import (
	"fmt"
	"strings"
)

// Log is the answer to "who wrote what".
type Log struct {
	About
	Entries []Event `json:"entries"` // newest first
	Total   int     `json:"total"`
	More    int     `json:"more,omitempty"`
	Cursor  string  `json:"cursor,omitempty"`
}

// Event is what became of a note at one time.
type Event struct {
	Time     string `json:"time"` // RFC 3339, UTC
	Age      string `json:"age"`
	What     string `json:"what"` // wrote, edited, moved, restored or removed
	ID       string `json:"id"`
	Title    string `json:"title,omitempty"`  // as it is now; empty when the note is gone
	Author   string `json:"author"`           // [Unknown] when nobody knows
	Client   string `json:"client,omitempty"` // the program, as it says itself
	Revision string `json:"revision,omitempty"`
}

// Unknown stands in the place of an author whom nobody knows.
const Unknown = "unknown"

// Who says what was done, by whom, and with which program.
func (e Event) Who() string { return e.What + " by " + byWhom(e.Author, e.Client) }

// byWhom names an author, and the program unless that is the author.
func byWhom(author, client string) string {
	if client == "" || client == author {
		return author
	}
	return author + " via " + client
}

// Text lists the events, one a line.
func (l Log) Text() string {
	var b strings.Builder
	for _, e := range l.Entries {
		fmt.Fprintf(&b, "%s  %s  %s  (%s)\n", e.Time, e.ID, e.Title, e.Who())
	}
	return b.String() + l.Tail()
}

// Tail is what Text says after the events.
func (l Log) Tail() string {
	text := ""
	if len(l.Entries) == 0 {
		text = "Nothing was written\n"
	}
	return text + l.moreLine(l.More, l.Total, l.Cursor) + l.Lines()
}
