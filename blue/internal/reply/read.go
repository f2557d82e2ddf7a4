package reply

import (
	"fmt"
	"strings"
)

// Page is the answer to a reading.
type Page struct {
	About
	Notes   []Note   `json:"notes"`
	Missing []string `json:"missing,omitempty"` // ids of several that are no notes
	More    int      `json:"more,omitempty"`    // bytes of text that did not fit
	Cursor  string   `json:"cursor,omitempty"`  // where the rest begins

	cutLast bool // the last note is not whole
}

// Text shows the notes as a person would want to read them.
func (p Page) Text() string { return p.NoteText() + p.Tail() }

// NoteText is what Text says of the notes themselves.
func (p Page) NoteText() string {
	var b strings.Builder
	for i, n := range p.Notes {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(n.render())
	}
	return b.String()
}

// Tail is what Text says after the notes.
func (p Page) Tail() string {
	var b strings.Builder
	if len(p.Missing) > 0 {
		fmt.Fprintf(&b, "No such notes: %s\n", strings.Join(p.Missing, ", "))
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "%d bytes more: cursor %s\n", p.More, p.Cursor)
	}
	return b.String() + p.Lines()
}

// Fill puts as much of the notes on the page as there is room for, beginning at
// the place of the cursor, and counts the rest.
func (p *Page) Fill(notes []Note, at []int, room int) {
	for i, n := range notes[min(at[0], len(notes)):] {
		if i == 0 && at[1] > 0 && at[1] <= len(n.Body) {
			n.Body, n.Offset = n.Body[at[1]:], at[1]
		}
		if room <= 0 {
			p.More += len(n.Body)
			continue
		}
		var more int
		least := min(room, leastBody)
		room -= n.boundLists(room)
		n.Body, more = CutBytes(n.Body, max(room, least))
		room -= len(n.Body)
		p.More += more
		p.Notes = append(p.Notes, n)
		if more > 0 {
			room, p.cutLast = 0, true
		}
	}
}

// NextPlace returns where the page after this one begins.
func (p *Page) NextPlace(at []int) []int {
	last := p.Notes[len(p.Notes)-1]
	if p.cutLast {
		return []int{at[0] + len(p.Notes) - 1, last.Offset + len(last.Body)}
	}
	return []int{at[0] + len(p.Notes), 0}
}
