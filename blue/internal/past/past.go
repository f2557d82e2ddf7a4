// Package past says who wrote what: what happened to the notes of a project, from the notes,
// their history, the trash and the commits of git.
package past

import (
	"context"
	"slices"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
)

// What happened to a note.
const (
	wrote   = "wrote"
	edited  = "edited"
	removed = "removed"
)

// Event is what happened to the note of a file at one time.
type Event struct {
	Name, What, Author, Title, Revision string
	Time                                time.Time
}

// Record collects the events of a project, in this order: those of notes, of trashed notes,
// of commits.
type Record struct {
	Events []Event

	oldest map[string]int // the place of the oldest event of a note, which its edits follow; -1 of one that is gone
}

// AddNotes adds when notes were written and edited.
func (r *Record) AddNotes(ctx context.Context, rows []index.Row, revisions func(row index.Row) ([]store.Past, error)) error {
	r.oldest = map[string]int{}
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		former, err := revisions(row)
		if err != nil {
			return err
		}
		first := len(r.Events)
		r.oldest[row.Name] = first
		r.Events = append(r.Events, Event{Name: row.Name, What: wrote, Author: catalog.ExtraOf(row).Author, Title: row.Title, Time: row.Time})
		now := row.Revision
		for _, rev := range former { // a text was edited when the one before was replaced
			r.Events = append(r.Events, Event{Name: row.Name, What: edited, Title: row.Title, Revision: now, Time: rev.Time})
			now = rev.Revision
		}
		r.Events[first].Revision = now
	}
	return nil
}

// AddTrashed adds when notes were removed that are not there.
func (r *Record) AddTrashed(trashed []reply.Trashed) {
	for _, t := range trashed {
		name := note.FileOf(t.ID, t.Private)
		if _, known := r.oldest[name]; !known {
			r.oldest[name] = -1
			r.Events = append(r.Events, Event{Name: name, What: removed, Title: t.Title, Time: note.ParseTime(t.Removed)})
		}
	}
}

// AddCommitted adds what commits, the newest first, say of notes: who has made an edit, and
// what others have done, to notes that are gone too unless isMoved is nil. An edit belongs to
// the first commit after it.
func (r *Record) AddCommitted(touched []commits.Touch, isMoved func(name string) bool) {
	last := map[string]time.Time{} // commit of a note
	for _, t := range slices.Backward(touched) {
		name := note.ScopeDir(false) + t.File
		at, known := r.oldest[name]
		since := last[name]
		last[name] = t.Time
		switch {
		case t.How == 'D' && !known:
			if isMoved != nil && !isMoved(name) {
				r.Events = append(r.Events, Event{Name: name, What: removed, Author: t.Author, Time: t.Time})
			}
		case !known || at < 0 || t.How == 'D':
		case t.How == 'A' && r.Events[at].Author == "":
			r.Events[at].Author = t.Author
		case t.How == 'M' && !claimEdits(r.Events[at:], name, since, t):
			r.Events = append(r.Events, Event{Name: name, What: edited, Author: t.Author, Title: r.Events[at].Title, Time: t.Time})
		}
	}
}

// claimEdits gives the edits of a note since its last commit the author of this one. It
// reports false when there are none: then they were made elsewhere.
func claimEdits(events []Event, name string, since time.Time, t commits.Touch) (found bool) {
	end := t.Time.Add(time.Second) // git counts seconds
	for i := range events {
		if events[i].Name != name {
			break
		}
		if events[i].What == edited && events[i].Author == "" && events[i].Time.After(since) && events[i].Time.Before(end) {
			events[i].Author, found = t.Author, true
		}
	}
	return found
}

// Log is what happened since a time, the newest first: to the note of one file, or with "" to
// all; as much of it as the window holds.
func (r *Record) Log(one string, since, now time.Time, w *reply.Window) reply.Log {
	all := slices.DeleteFunc(r.Events, func(o Event) bool {
		return one != "" && o.Name != one || o.Time.Before(since)
	})
	slices.SortStableFunc(all, func(a, b Event) int { return b.Time.Compare(a.Time) })
	l := reply.Log{Entries: []reply.Event{}, Total: len(all)}
	for _, o := range all[min(w.From, len(all)):min(w.From+w.Limit, len(all))] {
		e := reply.Event{
			Time: reply.FormatTime(o.Time), Age: reply.FormatAge(o.Time, now), What: o.What, ID: note.IDOf(o.Name),
			Title: note.ShowTitle(o.Title), Author: note.ShowWord(o.Author), Revision: o.Revision,
		}
		if !w.MakeRoom(len(e.ID) + len(e.Title) + len(e.Author)) {
			break
		}
		l.Entries = append(l.Entries, e)
	}
	l.More, l.Cursor = w.CountRest(len(l.Entries), l.Total)
	return l
}
