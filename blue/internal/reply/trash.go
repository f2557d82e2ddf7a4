package reply

import (
	"fmt"
	"strings"
)

// TrashList is the answer to "what is in the trash".
type TrashList struct {
	About
	Notes []Trashed `json:"notes"` // removed last first
}

// Trashed is a note in the trash.
type Trashed struct {
	ID      string `json:"id"`
	Ref     string `json:"ref"`  // what a removal with Restore names it by
	Path    string `json:"path"` // where it lies
	Title   string `json:"title"`
	Type    string `json:"type"`
	Removed string `json:"removed"` // RFC 3339, UTC
	Size    int64  `json:"size"`    // bytes
	Private bool   `json:"private,omitempty"`
	Older   bool   `json:"older,omitempty"` // another one of its name was removed later, and comes back first
}

// Text lists the notes, the one that was removed last first.
func (t TrashList) Text() string {
	var b strings.Builder
	for _, n := range t.Notes {
		words := []string{"removed " + n.Removed}
		if n.Private {
			words = append(words, "private")
		}
		if n.Older {
			words = append(words, "older")
		}
		fmt.Fprintf(&b, "%s  %s  (%s)\n", n.ID, n.Title, strings.Join(words, ", "))
	}
	if len(t.Notes) == 0 {
		b.WriteString("The trash is empty\n")
	}
	return b.String() + t.Lines()
}
