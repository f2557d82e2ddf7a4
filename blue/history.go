package blue

import (
	"cmp"
	"context"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/past"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/errors"
)

// Past is the answer to "what was this note before".
type Past = reply.Past

// Revised is one revision of a note.
type Revised = reply.Revised

// History lists the revisions of a note that are kept, of a trashed one too.
func (p *Project) History(ctx context.Context, ref string) (h Past, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return h, err
	}
	row, trashed, err := p.findAnywhere(ref)
	if err != nil {
		return h, err
	}
	h = Past{About: p.About(), ID: row.ID, Trashed: trashed, Revisions: []Revised{}}
	if !trashed {
		h.Revisions = append(h.Revisions, Revised{Revision: row.Revision, Saved: reply.FormatTime(time.Unix(0, row.Stamp.ModTime)), Size: row.Stamp.Size, Current: true})
	}
	former, err := p.store.Revisions(row.Name)
	for _, rev := range former {
		h.Revisions = append(h.Revisions, Revised{Revision: rev.Revision, Saved: reply.FormatTime(rev.Time), Size: rev.Size})
	}
	var r past.Record
	changes, _ := p.store.Journal() // without them nobody is known
	r.AddChanges(changes)
	for i := range h.Revisions {
		v := &h.Revisions[i]
		isFirst := i == len(h.Revisions)-1
		by := r.By(row.Name, v.Revision, isFirst)
		if isFirst {
			by.Author = cmp.Or(by.Author, catalog.ExtraOf(row).Author)
		}
		v.Author, v.Client = note.ShowWord(cmp.Or(by.Author, reply.Unknown)), note.ShowWord(by.Client)
	}
	return h, err
}

// Revisions are the former revisions of a note that begin so, newest first.
func (p *Project) Revisions(ctx context.Context, id, start string) []Choice {
	return storage.CompleteRevisions(ctx, p.store, id, start)
}

// findAnywhere returns the note that a caller means, looked for in the trash when it is not
// among the others; of a trashed one only name and id are known.
func (p *Project) findAnywhere(ref string) (row index.Row, trashed bool, err error) {
	row, err = p.findNote(ref)
	if !errors.Is(err, errors.NotFound) {
		return row, false, err
	}
	name, _, ok := p.steps(nil).FindTrashed(ref)
	if !ok {
		return row, false, err
	}
	return index.Row{Name: name, ID: note.IDOf(name)}, true, nil
}
