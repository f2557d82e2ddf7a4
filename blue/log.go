package blue

import (
	"cmp"
	"context"
	"slices"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// Log is the answer to log.
type Log = reply.Log

// Event is what became of a note at one time.
type Event = reply.Event

// occurrence is an event before it is shown.
type occurrence struct {
	name, what, author, title string
	time                      time.Time
}

// Log says who wrote what, newest first: of one note, or with "" of all that the filter
// takes. When a note was written, and by whom, stands in the note; when it was edited, in
// its history.
func (p *Project) Log(ctx context.Context, ref string, f Filter) (l Log, err error) {
	defer p.NameProject(&err)
	trash, err := p.Trash(ctx) // before the index, so that a note removed meanwhile is in one of both
	if err != nil {
		return l, err
	}
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := p.openWindow(ctx, f, "log\x00"+ref)
	if err != nil {
		return l, err
	}
	var all []occurrence
	for _, t := range trash.Notes {
		if at, err := time.Parse(time.RFC3339, t.Removed); err == nil && filter.Pass == nil {
			all = append(all, occurrence{name: t.Ref, what: "removed", title: t.Title, time: at})
		}
	}
	rows, _ := p.index.List(filter, false, 0, p.index.Len())
	for _, row := range rows {
		all = append(all, occurrence{name: row.Name, what: "wrote", author: catalog.ExtraOf(row).Author, title: row.Title, time: row.Time})
		past, _ := p.store.Revisions(row.Name) // what cannot be read has no time to show
		for _, rev := range past {
			all = append(all, occurrence{name: row.Name, what: "edited", title: row.Title, time: rev.Time})
		}
	}
	all = slices.DeleteFunc(all, func(o occurrence) bool { return ref != "" && note.IDOf(o.name) != ref })
	slices.SortStableFunc(all, func(a, b occurrence) int { return b.time.Compare(a.time) })
	l = Log{About: p.About(), Entries: []Event{}, Total: len(all)}
	for _, o := range all[min(window.From, len(all)):min(window.From+window.Limit, len(all))] {
		e := Event{
			Time: reply.FormatTime(o.time), Age: reply.FormatAge(o.time, p.b.o.Now()), What: o.what, ID: note.IDOf(o.name),
			Title: note.ShowTitle(o.title), Author: note.ShowWord(o.author),
		}
		if !window.MakeRoom(len(e.ID) + len(e.Title) + len(e.Author)) {
			break
		}
		l.Entries = append(l.Entries, e)
	}
	l.More, l.Cursor = window.CountRest(len(l.Entries), l.Total)
	return l, nil
}
