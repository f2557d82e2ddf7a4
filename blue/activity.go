package blue

import (
	"cmp"
	"context"
	"slices"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// Activity is the answer to "what has happened to the notes".
type Activity = reply.Activity

// Act is one thing in that answer.
type Act = reply.Act

// Activity says what has happened to the notes before a moment, newest first: who wrote
// which, what was changed and what was removed. An author narrows it to the notes of theirs.
func (p *Project) Activity(ctx context.Context, before time.Time, author string, limit int) (a Activity, err error) {
	defer p.NameProject(&err)
	trash, err := p.Trash(ctx) // before the index, so that a note removed meanwhile is in one of both
	if err != nil {
		return a, err
	}
	if err := p.refresh(ctx); err != nil {
		return a, err
	}
	a = Activity{About: p.About()}
	for _, t := range trash.Notes {
		if at, err := time.Parse(time.RFC3339, t.Removed); err == nil && author == "" {
			a.Acts = append(a.Acts, Act{Time: at, Did: reply.ActRemoved, ID: t.ID, Title: t.Title, Type: t.Type, Private: t.Private})
		}
	}
	for _, row := range p.index.All(false) {
		if by := catalog.ExtraOf(row).Author; author == "" || by == author {
			a.Acts = append(a.Acts, p.actsOn(row, by)...)
		}
	}
	a.Acts = slices.DeleteFunc(a.Acts, func(act Act) bool { return !before.IsZero() && !act.Time.Before(before) })
	slices.SortStableFunc(a.Acts, func(a, b Act) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID)) })
	a.More = len(a.Acts) > limit
	a.Acts = a.Acts[:min(len(a.Acts), limit)]
	return a, nil
}

// actsOn are what has happened to a note that is there: it was written, and each revision in
// its history was replaced. A file older than the note it holds has no history to look for.
func (p *Project) actsOn(row index.Row, author string) []Act {
	act := Act{Time: row.Time, Did: reply.ActWrote, Author: note.ShowWord(author), ID: row.ID, Title: note.ShowTitle(row.Title), Type: note.ShowWord(row.Type), Private: note.IsPrivate(row.Name)}
	acts := []Act{act}
	if time.Unix(0, row.Stamp.ModTime).Before(row.Time) {
		return acts
	}
	past, _ := p.store.Revisions(row.Name) // what cannot be read has no time to show
	for _, rev := range past {
		if act.Time, act.Did = rev.Time, reply.ActChanged; !rev.Time.IsZero() {
			acts = append(acts, act)
		}
	}
	return acts
}
