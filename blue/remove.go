package blue

import (
	"context"

	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
	"blue/blue/internal/reply"
	"blue/errors"
)

// Removal says which note goes to the trash, or comes back from it.
type Removal = draft.Removal

// Removed is the answer to a removal.
type Removed = reply.Removed

// Remove moves a note to the trash, where it is kept for 30 days, or brings it
// back. What is already so succeeds and says so.
func (p *Project) Remove(ctx context.Context, r Removal) (out Removed, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return out, err
	}
	if r.ID == "" {
		return out, errors.Missing("id", "give the id of a note")
	}
	verb := "remove"
	if r.Restore {
		verb = "restore"
	}
	err = p.write(ctx, verb, func(held Writer) (err error) {
		out, err = p.removeHeld(ctx, held, r)
		return err
	})
	return out, err
}

// removeHeld does the work under the lock.
func (p *Project) removeHeld(ctx context.Context, held Writer, r Removal) (out Removed, err error) {
	if err := p.refreshWhole(ctx); err != nil {
		return out, err
	}
	out, err = p.steps(held).Remove(r)
	p.showPath(&out.Path)
	if err == nil {
		p.indexWritten(catalog.Document)
	}
	return out, err
}
