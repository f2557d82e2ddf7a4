package blue

import (
	"context"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
)

// Where is the answer to "which project is this, and why": with no project it has
// the failure instead.
type Where = reply.Where

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
	loss := ""
	p, err := b.openProject(found, c)
	if err == nil {
		b.recordUse(found)
		loss, err = p.countNotes(ctx, &w)
	} else {
		p = &Project{b: b, found: found, trusted: b.isTrusted(found)}
	}
	if ctx.Err() != nil { // nothing is known of the notes, one way or the other
		return w, err
	}
	w.About = p.About()
	if w.Unnamed = false; loss != "" {
		w.Warnings = append(w.Warnings, loss)
	}
	if err != nil {
		w.Unreadable = errors.Of(err).Message
	}
	return w, nil
}

// Where says what is in the project.
func (p *Project) Where(ctx context.Context) (w Where, err error) {
	defer p.NameProject(&err)
	w = Where{Trace: append([]marker.Tried{}, p.found.Trace...), Types: map[string]int{}, Newest: []Row{}}
	_, err = p.countNotes(ctx, &w)
	w.About = p.About()
	return w, err
}

// countNotes fills in what is known of the notes, and says what git would remove with a
// linked worktree.
func (p *Project) countNotes(ctx context.Context, w *Where) (loss string, err error) {
	if err := p.refresh(ctx); err != nil {
		return "", err
	}
	w.Index = p.index.State()
	w.Documents, w.Commits = p.CountBeside(ctx)
	if p.hosted == nil {
		w.Sync = p.replica().LocalStatus()
		loss = p.replica().WorktreeLoss(ctx)
	}
	p.shown().FillWhere(w)
	return loss, nil
}
