package notebook

import (
	"cmp"
	"context"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/errors"
)

// History lists the revisions of a note that are kept, of a trashed one too.
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
	changes, _ := nb.store.Journal() // without them nobody is known
	r.addChanges(changes)
	for i := range h.Revisions {
		v := &h.Revisions[i]
		isFirst := i == len(h.Revisions)-1
		by := r.By(row.Name, v.Revision, isFirst)
		if isFirst {
			by.Author = cmp.Or(by.Author, ExtraOf(row).Author)
		}
		v.Author, v.Client = note.ShowWord(cmp.Or(by.Author, result.Unknown)), note.ShowWord(by.Client)
	}
	return h, err
}

// findAnywhere returns the note that a caller means, looked for in the trash when it is not
// among the others; of a trashed one only name and id are known.
func (nb *Notebook) findAnywhere(ref string) (row index.Row, trashed bool, err error) {
	row, err = nb.findNote(ref)
	if !errors.Is(err, errors.NotFound) {
		return row, false, err
	}
	name, _, ok := nb.findTrashed(ref)
	if !ok {
		return row, false, err
	}
	return index.Row{Name: name, ID: note.IDOf(name)}, true, nil
}
