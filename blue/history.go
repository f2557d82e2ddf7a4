package blue

import (
	"context"
	"fmt"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/errors"
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
}

// Text lists the revisions.
func (h Past) Text() string {
	var b strings.Builder
	for _, v := range h.Revisions {
		mark := ""
		if v.Current {
			mark = "  current"
		}
		fmt.Fprintf(&b, "%s  %s  %7d bytes%s\n", v.Revision, v.Saved, v.Size, mark)
	}
	if h.Trashed {
		fmt.Fprintf(&b, "%s is in the trash\n", h.ID)
	}
	return b.String() + h.Lines()
}

// History lists the revisions of a note that are kept, of a trashed one too.
func (p *Project) History(ctx context.Context, ref string) (h Past, err error) {
	defer p.NameProject(&err)
	h = Past{About: p.About(), Revisions: []Revised{}}
	if err := p.sync(ctx); err != nil {
		return h, err
	}
	h.About = p.About()
	row, err := p.find(ref)
	name := row.Name
	if errors.Is(err, errors.NotFound) {
		var ok bool
		if name, _, ok = p.inTrash(ref); !ok {
			return h, err
		}
		h.Trashed, err = true, nil
	}
	if err != nil {
		return h, err
	}
	h.ID = note.IDOf(name)
	if !h.Trashed {
		h.Revisions = append(h.Revisions, Revised{Revision: row.Revision, Saved: rfc3339(time.Unix(0, row.Stamp.ModTime)), Size: row.Stamp.Size, Current: true})
	}
	past, err := p.store.Revisions(name)
	for _, rev := range past {
		h.Revisions = append(h.Revisions, Revised{Revision: rev.Revision, Saved: rfc3339(rev.Time), Size: rev.Size})
	}
	return h, err
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }
