package blue

import (
	"context"

	"blue/blue/internal/draft"
	"blue/blue/internal/reply"
)

// Change is an edit of one note: at most one way to change the body, and any of the keys of
// its front matter.
type Change = draft.Change

// Edited is the answer to an edit.
type Edited = reply.Edited

// Current is a note's state, returned with a conflict so that it can be merged.
type Current = reply.Current

// Edit changes a note. The former text is in the history before the new one is in
// place; a stale revision changes nothing and is answered with the current text.
func (p *Project) Edit(ctx context.Context, c Change) (e Edited, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return e, err
	}
	if err := c.Check(p.writer()); err != nil {
		return e, err
	}
	if err := p.refreshWhole(ctx); err != nil {
		return e, err
	}
	row, err := p.findNote(c.ID)
	if err != nil {
		return e, err
	}
	err = p.write(ctx, "edit", func(held Writer) (err error) {
		if err := p.refreshWhole(ctx); err != nil { // what it supersedes is looked up in the index
			return err
		}
		e, err = p.steps(held).Edit(row.Name, c)
		return err
	})
	p.showPath(&e.Path)
	if err == nil && !e.Unchanged && c.ChangesText() {
		if p.hosted != nil {
			_ = p.refreshWhole(ctx) // without it the next call sees the change
		}
		row, _ = p.index.Row(row.Name)
		e.Related = p.relatedTo(row)
	}
	if err == nil && !e.Unchanged {
		p.recordCited(c.Supersedes, c.Body, c.Append, c.NewText)
		e.Warnings = append(e.Warnings, p.warnOfLoss(ctx)...)
	}
	return e, err
}
