package blue

import (
	"context"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
	"blue/errors"
	"blue/marker"
)

// Where says which project a call is about, why, and what is in it. That there is
// none is an answer too, and so is that its notes cannot be read.
func (b *Blue) Where(ctx context.Context, c Call) (w Where, err error) {
	c.Survey = true
	w = Where{Trace: []marker.Tried{}, Types: map[string]int{}, Newest: []Row{}, Door: c.Door}
	found, err := b.Choose(ctx, c)
	if err != nil {
		return w.Explain(err)
	}
	w.Found, w.Trace, w.Branch = found, found.Trace, note.ShowTitle(git.Branch(found.Start))
	w.About = b.AboutFound(found)
	p, err := b.openProject(found, c)
	if err == nil {
		b.recordUse(found)
		err = p.FillWhere(ctx, &w)
		if w.About = p.About(); err == nil {
			w.Warnings = append(w.Warnings, p.Loss(ctx)...)
		}
	}
	if ctx.Err() != nil { // nothing is known of the notes, one way or the other
		return w, err
	}
	w.Unnamed = false
	if err != nil {
		w.Unreadable = errors.Of(err).Message
	}
	return w, nil
}
