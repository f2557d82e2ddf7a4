package reply

import "blue/blue/internal/note"

// Compared is what changed from one revision of a note to another.
type Compared struct {
	About
	ID    string          `json:"id"`
	From  string          `json:"from,omitempty"` // empty: To is the first one that is kept
	To    string          `json:"to"`
	Lines []note.DiffLine `json:"lines"` // of the whole file; none when both are equal
}
