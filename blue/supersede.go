package blue

import (
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/storage"
	"blue/blue/internal/store"
	"blue/errors"
)

// A note says in its front matter which notes it supersedes, and each of those has the
// status superseded. Both files are changed under one lock, and in such an order that a
// writer that is stopped between them leaves one state behind: a note says that it
// supersedes another one that is not marked so. The next writer marks it.

// findSuperseded finds the notes that a note is to supersede; name is its file, or just the
// directory of one that is to be written.
func (p *Project) findSuperseded(ids []string, name string) (rows []index.Row, err error) {
	self := note.IDOf(name)
	for _, id := range ids {
		row, err := p.findNote(id)
		if _, _, trashed := p.findTrashed(id); trashed && errors.Is(err, errors.NotFound) {
			return nil, errors.CannotSupersede(id, "it is in the trash")
		}
		switch {
		case err != nil:
			return nil, err
		case row.Name == name:
			return nil, errors.CannotSupersede(row.ID, "it is the note itself")
		case note.IsPrivate(row.Name) && !note.IsPrivate(name):
			return nil, errors.CannotSupersede(row.ID, "it is private, and this note is not")
		case self != "" && p.index.Supersedes(row, self):
			return nil, errors.CannotSupersede(row.ID, "it supersedes "+self+" itself, so that none would be the newer")
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// markSuperseded gives the notes of those ids the status superseded.
func (p *Project) markSuperseded(held Writer, ids []string) (durable bool, err error) {
	durable = true
	for _, row := range p.index.NamedRows(ids) {
		if catalog.IsSuperseded(row) {
			continue
		}
		confirmed, err := p.setStatus(held, row.Name, note.Superseded)
		if err != nil {
			return false, err
		}
		durable = durable && confirmed
	}
	return durable, nil
}

// unmarkSuperseded gives the notes of those ids the status back that they had before, unless
// another note than by supersedes them too.
func (p *Project) unmarkSuperseded(held Writer, ids []string, by string) error {
	for _, row := range p.index.NamedRows(ids) {
		others := slices.DeleteFunc(p.index.Successors(row), func(other index.Row) bool { return other.Name == by })
		if !catalog.IsSuperseded(row) || len(others) > 0 {
			continue
		}
		if _, err := p.setStatus(held, row.Name, storage.FormerStatus(p.store, row.Name)); err != nil {
			return err
		}
	}
	return nil
}

// setStatus changes the status of a note; one whose front matter is broken is left.
func (p *Project) setStatus(held Writer, name string, status any) (durable bool, err error) {
	data, revision, err := p.store.Read(name)
	if err != nil {
		return false, err
	}
	n := note.ParseText(name, data)
	if n.Problem != "" || n.Conflicted {
		return true, nil
	}
	if err := n.SetKey("status", status); err != nil {
		return false, err
	}
	saved, err := p.replaceUnreviewed(held, name, revision, n.Bytes())
	return saved.Durable, err
}

// replaceUnreviewed gives a note other bytes that its writer has not looked at: to mark a
// note, or to let its links follow, is not to review it.
func (p *Project) replaceUnreviewed(held Writer, name, revision string, data []byte) (store.Saved, error) {
	own := p.isLocal(name, revision)
	held.WhenNamed(func(now string) {
		if own {
			p.recordWritten(name, now)
		}
		p.indexWritten(catalog.Document)
	})
	defer held.WhenNamed(nil)
	return held.Replace(name, revision, data)
}

// mendSuperseded marks what a writer that was stopped has left unmarked.
func (p *Project) mendSuperseded(held Writer) error {
	for _, row := range p.index.Superseding() {
		if _, err := p.markSuperseded(held, catalog.ExtraOf(row).Supersedes); err != nil {
			return err
		}
	}
	return nil
}
