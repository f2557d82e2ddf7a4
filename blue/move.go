package blue

import (
	"context"
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/note"
	"blue/blue/internal/rename"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
)

// Moved is the answer to a move.
type Moved = reply.Moved

// Move gives a note another title, with "" the one it has, and the id that goes with it. The
// links of other notes follow, and the former id stays valid.
func (p *Project) Move(ctx context.Context, ref, title string) (m Moved, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return m, err
	}
	err = p.write(ctx, "mv", func(held Writer) error {
		if err := p.refreshWhole(ctx); err != nil {
			return err
		}
		files, ok := held.(*store.Held)
		if !ok {
			return errors.New("a note in a database keeps its id")
		}
		row, err := p.findNote(ref)
		if err != nil {
			return err
		}
		m, err = p.renaming(files).Move(row, title, p.writer())
		return err
	})
	p.showPath(&m.Path)
	m.About = p.About()
	return m, err
}

// renaming are the steps of a move in this project.
func (p *Project) renaming(held *store.Held) rename.Steps {
	return rename.Steps{
		Notes: p.index, Project: p.found.ID, Held: held, Read: p.store.Read,
		Replace:  p.steps(held).ReplaceMarked,
		HadTitle: p.hadTitle,
		Label:    func(from, to, revision string) { p.recordWritten(to, revision, p.isOwn(from, revision)) },
		Index:    func() { p.indexWritten(catalog.Document) },
	}
}

// hadTitle reports whether a former text of a note has a title.
func (p *Project) hadTitle(name, title string) bool {
	past, _ := p.store.Revisions(name)
	return slices.ContainsFunc(past, func(rev store.Past) bool {
		data, err := p.store.ReadPast(name, rev.Revision)
		return err == nil && note.ParseText(name, data).Title == title
	})
}
