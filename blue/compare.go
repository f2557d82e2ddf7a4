package blue

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/errors"
)

// Comparing names two revisions of a note.
type Comparing struct {
	ID   string
	To   string // empty for the newest
	From string // empty for the one before To
}

// DiffLine is a line of a comparison.
type DiffLine = note.DiffLine

// Compared is what changed from one revision of a note to another.
type Compared = reply.Compared

// Diff compares two texts line by line. It is empty when they have the same lines.
func Diff(before, after string) []DiffLine { return note.DiffLines(before, after) }

// Compare says what changed between two revisions, of a trashed note too.
func (p *Project) Compare(ctx context.Context, c Comparing) (out Compared, err error) {
	defer p.NameProject(&err)
	h, err := p.History(ctx, c.ID)
	if err != nil {
		return out, err
	}
	out = Compared{About: h.About, ID: h.ID, From: c.From, To: c.To}
	if err := out.Choose(h.Revisions); err != nil {
		return out, err
	}
	before, after := "", ""
	if after, err = p.readRevision(c.ID, out.To); err != nil {
		return out, err
	}
	if out.From != "" {
		if before, err = p.readRevision(c.ID, out.From); err != nil {
			return out, err
		}
	}
	out.Lines = Diff(before, after)
	return out, nil
}

// readRevision returns the file of a note at a revision, made safe to show.
func (p *Project) readRevision(ref, revision string) (string, error) {
	row, trashed, err := p.findAnywhere(ref)
	if err != nil {
		return "", err
	}
	if data, now, err := p.store.Read(row.Name); !trashed && err == nil && now == revision {
		return note.ShowHidden(string(data)), nil
	}
	data, err := p.store.ReadPast(row.Name, revision)
	if err != nil {
		return "", errors.NoRevision(row.ID, revision)
	}
	return note.ShowHidden(string(data)), nil
}
