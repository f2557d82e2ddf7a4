package blue

import (
	"cmp"
	"context"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/past"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
)

// Log is the answer to log.
type Log = reply.Log

// Event is what became of a note at one time.
type Event = reply.Event

// Unknown stands in the place of an author whom nobody knows.
const Unknown = reply.Unknown

// Log says who wrote what, newest first: of one note, or with "" of all that the filter
// takes. When a note was written, and by whom, stands in the note; when it was edited, in
// its history; who edited it, where Blue did so, or when the edit was committed with git, and
// so is what others have edited and removed.
func (p *Project) Log(ctx context.Context, ref string, f Filter) (l Log, err error) {
	defer p.NameProject(&err)
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := p.openWindow(ctx, f, "log\x00"+ref)
	if err != nil {
		return l, err
	}
	one := ""
	if ref != "" {
		row, _, err := p.findAnywhere(ref)
		if err != nil {
			return l, err
		}
		one = row.Name
	}
	since := filter.Since
	filter.Since = time.Time{} // an old note may have been edited since
	r, err := p.record(ctx, filter)
	if err != nil {
		return l, err
	}
	l = r.Log(one, since, p.b.o.Now(), &window)
	l.About = p.About()
	return l, nil
}

// record has all that is known of the notes that pass; of those that are gone, when the
// filter names nothing.
func (p *Project) record(ctx context.Context, filter index.Filter) (r past.Record, err error) {
	rows, _ := p.index.List(filter, false, 0, p.index.Len())
	changes, err := p.store.Journal()
	if err != nil && !p.left.LeaveOut("history", err) {
		return r, err
	}
	r.AddChanges(changes)
	if err := r.AddNotes(ctx, rows, func(row index.Row) ([]store.Past, error) {
		former, err := p.store.Revisions(row.Name)
		if err != nil && p.left.LeaveOut("history/"+row.ID, err) {
			err = nil
		}
		return former, err
	}); err != nil {
		return r, err
	}
	var isMoved func(name string) bool
	if filter.Type == "" && len(filter.Tags) == 0 && filter.Pass == nil {
		trash, err := p.Trash(ctx)
		if err != nil {
			return r, err
		}
		r.AddTrashed(trash.Notes)
		isMoved = p.steps(nil).IsMoved
	}
	if p.hosted == nil {
		touched, err := git.Touched(ctx, p.absolutePath("notes"))
		p.warnOfGit(err)
		r.AddCommitted(touched, isMoved)
	}
	return r, nil
}
