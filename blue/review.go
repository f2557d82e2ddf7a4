package blue

import (
	"cmp"
	"context"
	"strings"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/blue/internal/reply"
	"blue/blue/internal/shown"
)

// Reviewed is the answer to a review.
type Reviewed = reply.Reviewed

// Review names what deserves a look, each thing once, with the reason and the command. It
// changes nothing. The filter chooses the notes.
func (p *Project) Review(ctx context.Context, f Filter) (r Reviewed, err error) {
	defer p.NameProject(&err)
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := p.openWindow(ctx, f, "review")
	if err != nil {
		return r, err
	}
	rows, total := p.index.List(filter, false, 0, p.index.Len())
	look := shown.Review{
		Notes: p.shown(), Branches: p.branches(ctx), LastSaved: p.lastSaved,
		Related: func(row index.Row) []string { return p.relatedTo(row).Related },
	}
	var all []reply.Due
	if loss := p.carried().Loss(ctx); loss != "" && f.Type == "" && len(f.Tags) == 0 && f.Since == "" {
		all = append(all, reply.Due{Title: "This worktree", Kind: reply.DueWorktree, Reason: loss, Command: "blue sync --on"})
	}
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		all = append(all, look.Dues(row)...)
	}
	r = Reviewed{About: p.About(), Review: []reply.Due{}, Total: len(all), Notes: total}
	for _, due := range all[min(window.From, len(all)):min(window.From+window.Limit, len(all))] {
		if !window.MakeRoom(len(due.Title) + len(due.Reason) + len(due.Command) + len(due.ID) + len(due.With)) {
			break
		}
		r.Review = append(r.Review, due)
	}
	r.More, r.Cursor = window.CountRest(len(r.Review), len(all))
	return r, nil
}

// lastSaved is when Blue has last put a former text of a note into the history, zero when
// it has not.
func (p *Project) lastSaved(name string) time.Time {
	past, err := p.store.Revisions(name)
	if err != nil || len(past) == 0 {
		return time.Time{}
	}
	return past[0].Time
}

// branches are the branches of the repository, here and on its remotes; nil when nobody can
// tell.
func (p *Project) branches(ctx context.Context) (names []string) {
	text, err := commits.Output(ctx, p.workTree(), "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
	remote, missing := commits.Output(ctx, p.workTree(), "for-each-ref", "--format=%(refname:lstrip=3)", "refs/remotes")
	if err != nil || missing != nil {
		return nil
	}
	return append(strings.Fields(text+remote), p.Branch())
}
