package notebook

import (
	"cmp"
	"context"
	"time"

	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// History lists the kept revisions of a note, which may be in the trash.
func (nb *Notebook) History(ctx context.Context, ref string) (h result.Past, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return h, err
	}
	row, trashed, err := nb.findAnywhere(ref)
	if err != nil {
		return h, err
	}
	h = result.Past{About: nb.About(), ID: row.ID, Trashed: trashed, Revisions: []result.Revised{}}
	if !trashed {
		h.Revisions = append(h.Revisions, result.Revised{Revision: row.Revision, Saved: result.FormatTime(time.Unix(0, row.Stamp.ModTime)), Size: row.Stamp.Size, Current: true})
	}
	former, err := nb.store.Revisions(row.Name)
	for _, rev := range former {
		h.Revisions = append(h.Revisions, result.Revised{Revision: rev.Revision, Saved: result.FormatTime(rev.Time), Size: rev.Size})
	}
	var r activity
	changes, _ := nb.store.Journal() // on failure no author is known
	r.addChanges(changes)
	for i := range h.Revisions {
		v := &h.Revisions[i]
		isFirst := i == len(h.Revisions)-1
		by := r.madeBy(row.Name, v.Revision, isFirst)
		if isFirst {
			by.Author = cmp.Or(by.Author, ExtraOf(row).Author)
		}
		v.Author, v.Client = note.ShowWord(cmp.Or(by.Author, result.Unknown)), note.ShowWord(by.Client)
	}
	return h, err
}

// Comparing names two revisions of a note, or two notes.
type Comparing struct {
	ID   string
	To   string // empty for the newest
	From string // empty for the one before To; without To it may also name another note, to compare with
}

// Compare returns the difference between two revisions of a note, trashed or not, or between two
// notes.
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
	after, err := nb.readRevision(c.ID, out.To)
	if err != nil {
		return out, err
	}
	before, err := nb.readRevision(c.ID, out.From)
	if err == nil {
		err = nb.recordComparison(c.ID)
	}
	out.Lines = note.DiffLines(before, after)
	return out, err
}

// readRevision returns a revision of a note, trashed or not, safe to show. The empty revision,
// which precedes the first one, has no text.
func (nb *Notebook) readRevision(ref, revision string) (text string, err error) {
	row, trashed, err := nb.findAnywhere(ref)
	if err != nil || revision == "" {
		return "", err
	}
	data, now, err := nb.store.Read(row.Name)
	if trashed || err != nil || now != revision {
		if data, err = nb.store.ReadPast(row.Name, revision); err != nil {
			return "", errors.NoRevision(row.ID, revision)
		}
	}
	return note.ShowHidden(string(data)), nil
}

// recordComparison records a comparison of notes if one of them is private.
func (nb *Notebook) recordComparison(refs ...string) error {
	for _, ref := range refs {
		if row, _, err := nb.findAnywhere(ref); err != nil || note.IsPrivate(row.Name) {
			return cmp.Or(err, nb.store.RecordPrivate("compare"))
		}
	}
	return nil
}

// compareNotes returns the difference between the texts of two notes.
func (nb *Notebook) compareNotes(ref, other string) (out result.Compared, err error) {
	out.About = nb.About()
	var before, after string
	if out.ID, out.From, before, err = nb.readAnywhere(ref); err != nil {
		return out, err
	}
	out.With, out.To, after, err = nb.readAnywhere(other)
	if err == nil {
		err = nb.recordComparison(ref, other)
	}
	out.Lines = note.DiffLines(before, after)
	return out, err
}

// readAnywhere returns a note, or the newest one in the trash, safe to show.
func (nb *Notebook) readAnywhere(ref string) (id, revision, text string, err error) {
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
