package notebook

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/errors"
)

// Comparing names two revisions of a note, or two notes.
type Comparing struct {
	ID   string
	To   string // empty for the newest
	From string // empty for the one before To; without To it may also name another note, to compare with
}

// Compare says what changed between two revisions, or how another note differs; of trashed
// notes too.
func (nb *Notebook) Compare(ctx context.Context, c Comparing) (out result.Compared, err error) {
	defer nb.NameProject(&err)
	h, err := nb.History(ctx, c.ID)
	if err != nil {
		return out, err
	}
	out = result.Compared{About: h.About, ID: h.ID, From: c.From, To: c.To}
	if err := out.Choose(h.Revisions); err != nil {
		if _, _, fault := nb.findAnywhere(c.From); c.From != "" && c.To == "" && fault == nil {
			return nb.compareNotes(c.ID, c.From)
		}
		return out, err
	}
	before, after := "", ""
	if after, err = nb.readRevision(c.ID, out.To); err != nil {
		return out, err
	}
	if out.From != "" {
		if before, err = nb.readRevision(c.ID, out.From); err != nil {
			return out, err
		}
	}
	out.Lines = note.DiffLines(before, after)
	return out, nil
}

// compareNotes says how the text of another note differs from that of a note.
func (nb *Notebook) compareNotes(ref, other string) (out result.Compared, err error) {
	out.About = nb.About()
	before, after := "", ""
	if out.ID, out.From, before, err = nb.readPresent(ref); err != nil {
		return out, err
	}
	if out.With, out.To, after, err = nb.readPresent(other); err != nil {
		return out, err
	}
	out.Lines = note.DiffLines(before, after)
	return out, nil
}

// readPresent returns the file of a note as it is now, or in the trash, made safe to show.
func (nb *Notebook) readPresent(ref string) (id, revision, text string, err error) {
	row, trashed, err := nb.findAnywhere(ref)
	if err != nil {
		return "", "", "", err
	}
	var data []byte
	if trashed {
		data, revision, _, err = readTrashed(nb.store, row.Name)
	} else {
		data, revision, err = nb.store.Read(row.Name)
	}
	return row.ID, revision, note.ShowHidden(string(data)), err
}

// readRevision returns the file of a note at a revision, made safe to show.
func (nb *Notebook) readRevision(ref, revision string) (string, error) {
	row, trashed, err := nb.findAnywhere(ref)
	if err != nil {
		return "", err
	}
	if data, now, err := nb.store.Read(row.Name); !trashed && err == nil && now == revision {
		return note.ShowHidden(string(data)), nil
	}
	data, err := nb.store.ReadPast(row.Name, revision)
	if err != nil {
		return "", errors.NoRevision(row.ID, revision)
	}
	return note.ShowHidden(string(data)), nil
}
