package blue

import (
	"context"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/shown"
	"blue/blue/internal/storage"
	"blue/blue/internal/store"
)

// committed are the notes beside the write under way.
func (p *Project) committed() Notes {
	if p.hosted != nil {
		return p.hosted.Notes.Committed()
	}
	return p.store
}

// followTrash brings the index of the newest notes in the trash in line with it. No call
// fails for what cannot be read there.
func (p *Project) followTrash(from Notes) {
	var state index.Stamp
	if p.hosted != nil {
		state.ModTime = p.derived.derived.Gone()
	} else {
		shared, own := p.opened.store.TrashTimes()
		state = follow.MarkRacy(index.Stamp{ModTime: shared, ChangeTime: own}, p.b.o.Now())
	}
	if err := follow.Removed(p.removed.Index, from, state, catalog.Document); err != nil {
		p.b.o.Log.Debug("trash not read", "project", p.found.Root, "err", err)
	}
}

// isRemoved reports whether a note of the index of the trash still counts as removed: it has
// not come back or moved, and was not a checkpoint, which is removed when the work is done.
func (p *Project) isRemoved(row index.Row) bool {
	name := catalog.NameOf(row)
	_, back := p.index.Row(name)
	return !back && row.Type != note.TypeCheckpoint && p.b.o.Now().Sub(row.Time) <= store.TrashAge && !p.steps(nil).IsMoved(name)
}

// readRemoved reads the text of a note in the trash.
func readRemoved(from Notes) catalog.ReadBody {
	return catalog.BodyReader(func(file string, _ uint64) ([]byte, error) {
		data, _, err := from.ReadTrashed(file)
		return data, err
	})
}

// setAsideMost is how many notes that are set aside a write names.
const setAsideMost = 3

// findRemoved finds notes in the trash that a new one is like, one of the same text first.
func (p *Project) findRemoved(from Notes, n note.Text, row index.Row) (found []reply.SetAside) {
	p.followTrash(from)
	if p.removed.Len() < 2 { // one entry stands for the trash itself
		return nil
	}
	read := readRemoved(from)
	same := p.removed.OfText(note.ScopeOf(row.Name), n)
	_, near := p.removed.FindAlike(row, n.Body, true, read)
	for i, removed := range append(same, near...) {
		isNew := !slices.ContainsFunc(found, func(s reply.SetAside) bool { return s.ID == removed.ID })
		if isNew && p.isRemoved(removed) {
			s := p.describeSetAside(from, removed, read)
			s.Same = i < len(same)
			found = append(found, s)
		}
	}
	return found
}

// answerRemoved is [shown.Notes.Removed], but for a note that stands among the answers, or that
// was written again under its title.
func (p *Project) answerRemoved(ctx context.Context, notes shown.Notes, question string, c *Context, read catalog.ReadBody, seen func(index.Row) bool) []Glance {
	from := p.committed()
	p.followTrash(from)
	return notes.Removed(ctx, question, c.Best, p.removed, read, readRemoved(from), func(row index.Row) bool {
		isKnown := func(g Glance) bool { return g.ID == row.ID || strings.EqualFold(g.Title, row.Title) }
		isGone := catalog.NameOf(row) == row.Name || p.isRemoved(row)
		return seen(row) || !isGone || slices.ContainsFunc(c.Answers, isKnown)
	})
}

// describeSetAside says of a note, of the index or of that of the trash, since when it is not
// in force, what replaces it, and why: of one that may not be told unasked, only the former.
func (p *Project) describeSetAside(from Notes, row index.Row, read catalog.ReadBody) reply.SetAside {
	notes, status, since := p.shown(), catalog.ExtraOf(row).Status, row.Time
	s, why := reply.SetAside{ID: row.ID}, ""
	if notes.IsTold(row) {
		body, _ := read(row)
		s.Title, why = reply.PlainTags(note.ShowTitle(row.Title)), note.Reason(body, whyMost)
	}
	if catalog.NameOf(row) != row.Name {
		status = reply.StatusRemoved
	} else if since = storage.StatusSince(from, row.Name, status); since.IsZero() {
		s.Written = row.Time.UTC().Format(time.DateOnly)
	}
	if !since.IsZero() {
		s.Since = since.UTC().Format(time.DateOnly)
	}
	if heirs := p.index.Successors(row); len(heirs) > 0 {
		by, _ := p.index.Current(heirs[0])
		if s.By = by.ID; notes.IsTold(by) {
			s.ByTitle = reply.PlainTags(note.ShowTitle(by.Title))
		}
		if catalog.IsSuperseded(row) { // what replaces it says more
			why = ""
		}
	}
	if _, more, _ := strings.Cut(status, " "); s.Title != "" && more != "" { // "rejected: too slow"
		why = strings.TrimSuffix(more+". "+why, ". ")
	}
	s.Status, s.Why = note.StatusWord(status), reply.PlainTags(note.ShowLabel(why, whyMost))
	return s
}

// describeExisting says what has become of the note that a write has found.
func (p *Project) describeExisting(w *Written) {
	from, name := p.committed(), strings.TrimPrefix(w.Path, ".blue/")
	row, read := index.Row{}, catalog.BodyReader(func(name string, _ uint64) ([]byte, error) {
		data, _, err := from.Read(name)
		return data, err
	})
	if w.Trashed {
		row, read = p.trashedRow(from, name), readRemoved(from)
	} else {
		row, _ = p.index.Row(name)
		w.Status = reply.PlainTags(note.ShowWord(catalog.ExtraOf(row).Status))
	}
	if row.Superseded {
		w.SetAside = []reply.SetAside{p.describeSetAside(from, row, read)}
	}
}

// trashedRow is the row that the newest trashed note of a name has in the index of the trash.
func (p *Project) trashedRow(from Notes, name string) index.Row {
	trashed, err := from.TrashedAs(name)
	if err != nil || len(trashed) == 0 {
		return index.Row{}
	}
	data, _, err := from.ReadTrashed(trashed[0].File)
	if err != nil {
		return index.Row{}
	}
	d, _ := follow.RemovedDocument(trashed[0], data, catalog.Document)
	return d.Row
}

// whyMost is how many characters a reply says of the reason.
const whyMost = 250
