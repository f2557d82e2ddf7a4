package blue

import (
	"context"

	"blue/blue/internal/catalog"
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
		if err := p.refresh(ctx); err != nil {
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
	m.About = p.About()
	return m, err
}

// renaming are the steps of a move in this project.
func (p *Project) renaming(held *store.Held) rename.Steps {
	return rename.Steps{
		Notes: p.index, Project: p.found.ID, Held: held, Read: p.store.Read,
		Replace: p.steps(held).ReplaceUnreviewed,
		Label:   p.copyLabel,
		Index:   func() { p.indexWritten(catalog.Document) },
	}
}

// copyLabel gives a file that is to be made the label of another one, so that it does not
// count as a note that the user has typed.
func (p *Project) copyLabel(from, to, revision string) {
	if p.isLocal(from, revision) {
		p.recordWritten(to, revision)
	} else if err := p.ledger.RecordUnreviewed(to); err != nil {
		p.b.o.Log.Warn("ledger not written", "project", p.found.Root, "err", err)
	}
}
