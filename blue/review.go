package blue

import (
	"cmp"
	"context"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/reply"
	"blue/blue/internal/shown"
	"blue/blue/internal/storage"
)

// Reviewed is the answer to a review.
type Reviewed = reply.Reviewed

// ReviewOthers lists the notes that came from others since the user last looked, and shows
// them. A list that names them all is such a look, once it was shown.
func (p *Project) ReviewOthers(ctx context.Context, f Filter, show func(Rows) error) error {
	now := p.b.o.Now().UnixNano()
	f.About.Unreviewed = true
	r, err := p.List(ctx, f)
	if err == nil {
		err = show(r)
	}
	if err == nil && r.More == 0 {
		err = p.Looked(now)
	}
	return err
}

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
	branches, err := git.Branches(ctx, p.workTree())
	p.warnOfGit(err)
	if branches != nil {
		branches = append(branches, p.Branch()) // which may have no commit yet
	}
	look := shown.Review{
		Notes: p.shown(), Branches: branches,
		LastSaved: func(name string) time.Time { return storage.LastSaved(p.store, name) },
		Related:   func(row index.Row) []string { return p.relatedTo(row).Related },
	}
	told, err := p.deliveries().Read("")
	if err != nil {
		p.b.o.Log.Warn("ledger not read", "project", p.found.Root, "err", err)
	}
	look.Begun = told.Begun
	_, look.Uses = told.Count(time.Time{})
	var all []reply.Due
	if loss := p.replica().WorktreeLoss(ctx); loss != "" && f.Type == "" && len(f.Tags) == 0 && f.Since == "" {
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
