package blue

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/errors"
)

// Comparing names two revisions of a note, or two notes.
type Comparing struct {
	ID   string
	To   string // empty for the newest
	From string // empty for the one before To; without To it may also name another note, to compare with
}

// DiffLine is a line of a comparison.
type DiffLine = note.DiffLine

// Compared is what changed from one revision of a note to another.
type Compared = reply.Compared

// Diff compares two texts line by line. It is empty when they have the same lines.
func Diff(before, after string) []DiffLine { return note.DiffLines(before, after) }

// Compare says what changed between two revisions, or how another note differs; of trashed
// notes too.
func (p *Project) Compare(ctx context.Context, c Comparing) (out Compared, err error) {
	defer p.NameProject(&err)
	h, err := p.History(ctx, c.ID)
	if err != nil {
		return out, err
	}
	out = Compared{About: h.About, ID: h.ID, From: c.From, To: c.To}
	if err := out.Choose(h.Revisions); err != nil {
		if _, _, fault := p.findAnywhere(c.From); c.From != "" && c.To == "" && fault == nil {
			return p.compareNotes(c.ID, c.From)
		}
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

// compareNotes says how the text of another note differs from that of a note.
func (p *Project) compareNotes(ref, other string) (out Compared, err error) {
	out.About = p.About()
	before, after := "", ""
	if out.ID, out.From, before, err = p.readPresent(ref); err != nil {
		return out, err
	}
	if out.With, out.To, after, err = p.readPresent(other); err != nil {
		return out, err
	}
	out.Lines = Diff(before, after)
	return out, nil
}

// readPresent returns the file of a note as it is now, or in the trash, made safe to show.
func (p *Project) readPresent(ref string) (id, revision, text string, err error) {
	row, trashed, err := p.findAnywhere(ref)
	if err != nil {
		return "", "", "", err
	}
	var data []byte
	if trashed {
		data, revision, _, err = storage.ReadTrashed(p.store, row.Name)
	} else {
		data, revision, err = p.store.Read(row.Name)
	}
	return row.ID, revision, note.ShowHidden(string(data)), err
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
