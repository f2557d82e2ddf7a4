package notebook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
)

// event is one change of a note.
type event struct {
	store.Change
	Title string // of the note now

	Imported bool // the note was imported when it was written
}

// activity collects the events of a project. They are added in this order: the changes that
// Blue has recorded, then those derived from notes and from trashed notes.
type activity struct {
	Events []event

	noted map[string][]store.Change // by the note's present name
	moved map[string]bool           // names that notes no longer have
	known map[string]bool           // names of notes whose events were added
}

// addChanges adds the changes that Blue has recorded, given oldest first.
func (r *activity) addChanges(all []store.Change) {
	r.noted, r.moved = map[string][]store.Change{}, map[string]bool{}
	for _, c := range all {
		if c.What == store.Moved { // a move creates one file and removes the other
			former := slices.DeleteFunc(r.noted[c.From], func(o store.Change) bool { return o.What == store.Removed })
			delete(r.noted, c.From)
			r.moved[c.From] = true
			r.noted[c.Name] = append(former, slices.DeleteFunc(r.noted[c.Name], func(o store.Change) bool { return o.What == store.Wrote })...)
		}
		r.noted[c.Name] = append(r.noted[c.Name], c)
	}
}

// madeBy returns the recorded author of a revision of a note: the first one if first is set,
// otherwise the last.
func (r *activity) madeBy(name, revision string, first bool) (by store.By) {
	for _, c := range r.noted[name] {
		if c.Revision != revision {
			continue
		}
		if by = c.By; first {
			break
		}
	}
	return by
}

// changeOf returns a change of the note of a row, with an unknown author.
func changeOf(row index.Row, what, revision string, at time.Time) event {
	return event{Change: store.Change{Time: at, What: what, Name: row.Name, Revision: revision}, Title: row.Title}
}

// addNotes adds the creation and the edits of each note.
func (r *activity) addNotes(ctx context.Context, nb *Notebook, rows []index.Row) error {
	r.known = map[string]bool{}
	imported := map[string]bool{}
	for place := range nb.index.CountKeys(wasKey) {
		for _, row := range nb.index.Keyed(wasKey + place) {
			imported[row.Name] = true
		}
	}
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		former, err := nb.store.Revisions(row.Name)
		if err != nil && !nb.left.LeaveOut("history/"+row.ID, err) {
			return err
		}
		r.known[row.Name] = true
		written := changeOf(row, store.Wrote, row.Revision, row.Time)
		written.Imported = imported[row.Name]
		if len(former) > 0 {
			written.Revision = former[len(former)-1].Revision
		}
		written.By = r.madeBy(row.Name, written.Revision, true)
		if more := ExtraOf(row); more.ConflictWith == "" || written.Author == "" { // the text of a conflict is by another than the note
			written.Author = cmp.Or(more.Author, written.Author)
		}
		r.Events = append(r.Events, written)
		for i, c := range r.noted[row.Name] {
			isFirst := c.What == store.Wrote || i == 0 && c.Revision == written.Revision // a server records a note that came by a sync as an edit
			if c.Name = row.Name; !isFirst {                                             // a moved note had another name
				r.Events = append(r.Events, event{Change: c, Title: row.Title})
			}
		}
		r.addOthers(row, former)
	}
	return nil
}

// addOthers adds the revisions that another program has written or that Blue has not recorded.
// A revision that followed a recorded change existed at the next recorded change at the latest.
func (r *activity) addOthers(row index.Row, former []store.Past) {
	noted := r.noted[row.Name]
	isNoted := func(revision string) bool {
		return slices.ContainsFunc(noted, func(c store.Change) bool { return c.Revision == revision })
	}
	now, until := row.Revision, time.Unix(0, row.Stamp.ModTime)
	if len(former) == 0 && len(noted) > 0 && !isNoted(now) {
		r.Events = append(r.Events, changeOf(row, store.Edited, now, until))
	}
	for _, rev := range former { // a text was edited when the one before was replaced
		at := rev.Time
		if len(noted) > 0 && noted[0].Time.Before(at.Add(time.Second)) {
			at = until
		}
		if !isNoted(now) {
			r.Events = append(r.Events, changeOf(row, store.Edited, now, at))
		}
		now, until = rev.Revision, rev.Time
	}
}

// addTrashed adds the removals of trashed notes that no longer exist.
func (r *activity) addTrashed(trashed []result.Trashed) {
	for _, t := range trashed {
		name := note.FileOf(t.ID, t.Private)
		if r.known[name] || r.moved[name] && r.noted[name] == nil {
			continue
		}
		r.known[name] = true
		e := event{Change: store.Change{Name: name, What: store.Removed, Time: note.ParseTime(t.Removed)}, Title: t.Title}
		for _, c := range r.noted[name] {
			if c.What == store.Removed {
				e.By = c.By
			}
		}
		r.Events = append(r.Events, e)
	}
}

// log returns the events since a time, newest first, as many as the window holds. If one is not
// empty, it returns only the events of that file.
func (r *activity) log(one string, since, now time.Time, w *result.Window) result.Log {
	all := slices.DeleteFunc(r.Events, func(o event) bool {
		return one != "" && o.Name != one || o.Time.Before(since)
	})
	slices.SortStableFunc(all, func(a, b event) int { return b.Time.Compare(a.Time) })
	l := result.Log{Entries: []result.Event{}, Total: len(all)}
	for _, o := range all[min(w.From, len(all)):min(w.From+w.Limit, len(all))] {
		e := result.Event{
			Time: result.FormatTime(o.Time), Age: result.FormatAge(o.Time, now), What: o.What, ID: note.IDOf(o.Name),
			Title: note.ShowTitle(o.Title), Author: note.ShowWord(cmp.Or(o.Author, result.Unknown)), Client: note.ShowWord(o.Client), Revision: o.Revision,
			Imported: o.Imported,
		}
		if !w.MakeRoom(len(e.ID) + len(e.Title) + len(e.Author) + len(e.Client)) {
			break
		}
		l.Entries = append(l.Entries, e)
	}
	l.More, l.Cursor = w.CountRest(len(l.Entries), l.Total)
	return l
}

// Log returns who wrote what, newest first: for one note, or for all notes that pass the filter
// if ref is empty. A note itself tells when it was written and by whom, and its history when it
// was edited. Who edited or removed it is known if Blue has recorded it.
func (nb *Notebook) Log(ctx context.Context, ref string, f Filter) (l result.Log, err error) {
	defer nb.NameProject(&err)
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := nb.openWindow(ctx, "log\x00"+ref, f.Selection, f.Paging)
	if err != nil {
		return l, err
	}
	one := ""
	if ref != "" {
		row, _, err := nb.findAnywhere(ref)
		if err != nil {
			return l, err
		}
		one = row.Name
	}
	since := filter.Since
	filter.Since = time.Time{} // an old note may have been edited since
	r, err := nb.record(ctx, filter)
	if err != nil {
		return l, err
	}
	l = r.log(one, since, nb.o.Now(), &window)
	l.About = nb.About()
	if len(l.Entries) == 0 {
		l.Warnings = append(l.Warnings, nb.unusedWords(f.Selection)...)
	}
	return l, nil
}

// record collects the known events of the notes that pass the filter and, if the filter is
// empty, of the notes that no longer exist.
func (nb *Notebook) record(ctx context.Context, filter index.Filter) (r activity, err error) {
	rows, _ := nb.index.List(filter, false, 0, nb.index.Len())
	changes, err := nb.store.Journal()
	if err != nil && !nb.left.LeaveOut("history", err) {
		return r, err
	}
	r.addChanges(changes)
	if err := r.addNotes(ctx, nb, rows); err != nil {
		return r, err
	}
	if filter.Type == "" && len(filter.Tags) == 0 && filter.Pass == nil {
		trash, err := nb.Trash(ctx)
		if err != nil {
			return r, err
		}
		r.addTrashed(trash.Notes)
	}
	return r, nil
}
