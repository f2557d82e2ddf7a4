package notebook

import (
	"context"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/notesync"
	"blue/blue/result"
	"blue/errors"
)

// Resolving says how to end a conflict.
type Resolving struct {
	ID           string  // of either note
	Keep         string  // "ours", "theirs" or "both"; empty with Text
	Text         *string // [Conflict.Merged] as a person has edited it
	Revision     string  // fail unless the note is still at it; WithRevision is for the other one
	WithRevision string
}

// Conflicts returns the open conflicts of the project.
func (nb *Notebook) Conflicts(ctx context.Context) ([]result.Clash, error) {
	err := nb.refresh(ctx)
	return nb.index.Conflicts(""), err
}

// Conflict returns the conflict that a note is in, with both texts.
func (nb *Notebook) Conflict(ctx context.Context, id string) (c result.Conflict, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return c, err
	}
	f, err := nb.findConflict(id)
	if err != nil {
		return c, err
	}
	c = result.Conflict{About: nb.About(), Clash: f.clash(), Title: note.ShowTitle(f.row.Title), Revision: f.revision, WithRevision: f.otherRevision, More: f.more}
	ours, theirs := f.Texts()
	c.Lines = note.DiffLines(note.ShowHidden(string(ours)), note.ShowHidden(string(theirs)))
	merged, marks := f.Marked(c.ID, c.With)
	c.Merged, c.Marks = note.ShowHidden(string(merged)), marks
	return c, nil
}

// Resolve ends a conflict: it writes the text that is kept and then trashes the other note. No
// text is lost if it is interrupted in between.
func (nb *Notebook) Resolve(ctx context.Context, r Resolving) (out result.Resolved, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return out, err
	}
	err = nb.Update(ctx, "edit", func(tx *Tx) error {
		f, err := nb.findConflict(r.ID)
		if err != nil {
			return err
		}
		text, err := f.choose(r)
		if err != nil {
			return err
		}
		e, err := tx.edit(f.row.Name, Change{ID: f.row.ID, Revision: f.revision, File: &text})
		if err != nil {
			return err
		}
		gone, err := tx.moveToTrash(Removal{ID: strings.TrimSuffix(f.other.Name, ".md"), Revision: f.otherRevision})
		out = result.Resolved{About: e.About, Clash: f.clash(), Replaced: e.Replaced, Trash: gone.Path, More: f.more, Durable: e.Durable && gone.Durable}
		tx.store.written()
		return err
	})
	return out, err
}

// foundConflict is a conflict with the present texts of its files.
type foundConflict struct {
	notesync.ConflictPair
	row, other              index.Row
	revision, otherRevision string
	more                    int // further notes that hold a text of the first
}

func (f foundConflict) clash() result.Clash {
	return result.Clash{ID: note.ShowTitle(f.row.ID), With: note.ShowTitle(f.other.ID)}
}

// findConflict returns the conflict that a note is in: that with its original, else that with
// the first of its copies.
func (nb *Notebook) findConflict(ref string) (f foundConflict, err error) {
	if f.row, err = nb.findNote(ref); err != nil {
		return f, err
	}
	if of := ExtraOf(f.row).ConflictWith; of != "" && !IsSuperseded(f.row) {
		original, ok := nb.index.OriginalOf(f.row)
		if !ok {
			return f, errors.E(errors.NotFound, "note %s is in conflict with %s, which is not there",
				errors.Quote(f.row.ID), errors.Quote(of)).
				Hint("restore", of, "bring that note back").
				Hint("edit", f.row.ID, "or delete the line conflict-with, to keep this note on its own")
		}
		f.row, f.other = original, f.row
	}
	copies := nb.index.CopiesOf(f.row)
	switch {
	case len(copies) == 0:
		return f, errors.E(errors.NotFound, "note %s is in no conflict", errors.Quote(f.row.ID)).
			Hint("list", "", "see which notes are")
	case f.other.Name == "":
		f.other = copies[0]
	}
	f.Name, f.more = f.row.Name, len(copies)-1
	if f.Ours, f.revision, err = nb.store.Read(f.row.Name); err != nil {
		return f, err
	}
	if f.Theirs, f.otherRevision, err = nb.store.Read(f.other.Name); err != nil {
		return f, err
	}
	for _, n := range pastTexts(nb.store, f.row.Name) { // without them more lines are marked
		f.Earlier = append(f.Earlier, n.Bytes())
	}
	return f, nil
}

// choose returns the text that ends the conflict.
func (f foundConflict) choose(r Resolving) (string, error) {
	switch {
	case r.Revision != "" && r.Revision != f.revision:
		return "", result.StaleConflict(f.row.Name, r.Revision, f.revision, f.Ours)
	case r.WithRevision != "" && r.WithRevision != f.otherRevision:
		return "", result.StaleConflict(f.other.Name, r.WithRevision, f.otherRevision, f.Theirs)
	}
	switch r.Keep {
	case "ours":
		return string(f.Ours), nil
	case "theirs":
		_, theirs := f.Texts()
		return string(theirs), nil
	case "both":
		return string(f.Both(result.OtherText)), nil
	}
	if r.Keep != "" || r.Text == nil {
		return "", errors.BadValue("keep", r.Keep, "ours, theirs or both")
	}
	c := f.clash()
	for i, line := range strings.Split(*r.Text, "\n") {
		if line = strings.TrimRight(line, "\r"); line == "<<<<<<< "+c.ID || line == ">>>>>>> "+c.With {
			return "", markersLeft(c.ID, i+1)
		}
	}
	if n := note.ParseText(f.row.Name, []byte(*r.Text)); n.Conflicted {
		return "", markersLeft(c.ID, n.ConflictLine())
	}
	return *r.Text, nil
}

// markersLeft returns the error of a merged text that still has conflict markers.
func markersLeft(id string, line int) *errors.Error {
	return errors.E(errors.Conflict, "the text of %s still has conflict markers, the first on line %d",
		errors.Quote(id), line).
		Hint("", "", "keep what is right, and delete the lines that begin with <<<<<<<, ======= and >>>>>>>")
}
