package blue

import (
	"cmp"
	"context"
	"slices"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/past"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
)

// Log is the answer to log.
type Log = reply.Log

// Event is what became of a note at one time.
type Event = reply.Event

// Log says who wrote what, newest first: of one note, or with "" of all that the filter
// takes. When a note was written, and by whom, stands in the note; when it was edited, in
// its history; who edited it is known when the edit was committed with git, and so is what
// others have edited and removed.
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
	all, err := p.events(ctx, filter)
	if err != nil {
		return l, err
	}
	all = slices.DeleteFunc(all, func(o past.Event) bool {
		return one != "" && o.Name != one || o.Time.Before(since)
	})
	slices.SortStableFunc(all, func(a, b past.Event) int { return b.Time.Compare(a.Time) })
	l = Log{About: p.About(), Entries: []Event{}, Total: len(all)}
	for _, o := range all[min(window.From, len(all)):min(window.From+window.Limit, len(all))] {
		e := Event{
			Time: reply.FormatTime(o.Time), Age: reply.FormatAge(o.Time, p.b.o.Now()), What: o.What, ID: note.IDOf(o.Name),
			Title: note.ShowTitle(o.Title), Author: note.ShowWord(o.Author), Revision: o.Revision,
		}
		if !window.MakeRoom(len(e.ID) + len(e.Title) + len(e.Author)) {
			break
		}
		l.Entries = append(l.Entries, e)
	}
	l.More, l.Cursor = window.CountRest(len(l.Entries), l.Total)
	return l, nil
}

// events are all that is known of the notes that pass; of those that are gone, when the
// filter names nothing.
func (p *Project) events(ctx context.Context, filter index.Filter) ([]past.Event, error) {
	var r past.Record
	rows, _ := p.index.List(filter, false, 0, p.index.Len())
	if err := r.AddNotes(ctx, rows, func(row index.Row) ([]store.Past, error) {
		former, err := p.store.Revisions(row.Name)
		if err != nil && p.leaveOut("history/"+row.ID, err) {
			err = nil
		}
		return former, err
	}); err != nil {
		return nil, err
	}
	var isMoved func(name string) bool
	if filter.Type == "" && len(filter.Tags) == 0 && filter.Pass == nil {
		trash, err := p.Trash(ctx)
		if err != nil {
			return nil, err
		}
		r.AddTrashed(trash.Notes)
		isMoved = p.isMoved
	}
	if p.hosted == nil {
		r.AddCommitted(commits.Touched(ctx, p.absolutePath("notes")), isMoved)
	}
	return r.Events, nil
}
