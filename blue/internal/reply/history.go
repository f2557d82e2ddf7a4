package reply

import (
	"fmt"
	"strings"
)

// Past is the answer to "what was this note before".
type Past struct {
	About
	ID        string    `json:"id"`
	Trashed   bool      `json:"trashed,omitempty"`
	Revisions []Revised `json:"revisions"` // newest first; the first is the current one, unless the note is in the trash
}

// Revised is one revision of a note.
type Revised struct {
	Revision string `json:"revision"`
	Saved    string `json:"saved"` // RFC 3339, UTC: when it was replaced; for the current one, when it was written
	Size     int64  `json:"size"`  // bytes
	Current  bool   `json:"current,omitempty"`
	Author   string `json:"author"` // who has made it, [Unknown] when nobody knows
	Client   string `json:"client,omitempty"`
}

// Who names the author of a revision, and the program.
func (v Revised) Who() string { return byWhom(v.Author, v.Client) }

// Text lists the revisions.
func (h Past) Text() string {
	var b strings.Builder
	for _, v := range h.Revisions {
		mark := ""
		if v.Current {
			mark = "  current"
		}
		fmt.Fprintf(&b, "%s  %s  %7d bytes  by %s%s\n", v.Revision, v.Saved, v.Size, v.Who(), mark)
	}
	if h.Trashed {
		fmt.Fprintf(&b, "%s is in the trash\n", h.ID)
	}
	return b.String() + h.Lines()
}
