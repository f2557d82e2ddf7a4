package blue

import (
	"context"
	"strings"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/notesync"
	"blue/blue/internal/reply"
	"blue/errors"
)

// Conflict is a note of which two machines have changed the same lines, and the note that
// holds the other text.
type Conflict = reply.Conflict

// Resolved is the answer to the resolving of a conflict.
type Resolved = reply.Resolved

// Clash names the two notes of a conflict.
type Clash = reply.Clash

// Resolving says how to end a conflict.
type Resolving struct {
	ID           string  // of either note
	Keep         string  // "ours", "theirs" or "both"; empty with Text
	Text         *string // [Conflict.Merged] as a person has edited it
	Revision     string  // refuse unless the note is still at it, as WithRevision for the other one
	WithRevision string
}

// Conflicts are the open conflicts of the project.
func (p *Project) Conflicts(ctx context.Context) ([]Clash, error) {
	err := p.refresh(ctx)
	return p.index.Conflicts(""), err
}

// Conflict returns the conflict in which a note stands, with both texts.
func (p *Project) Conflict(ctx context.Context, id string) (c Conflict, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return c, err
	}
	f, err := p.findConflict(id)
	if err != nil {
		return c, err
	}
	c = Conflict{About: p.About(), Clash: f.clash(), Title: note.ShowTitle(f.row.Title), Revision: f.revision, WithRevision: f.otherRevision, More: f.more}
	ours, theirs := f.Texts()
	c.Lines = Diff(note.ShowHidden(string(ours)), note.ShowHidden(string(theirs)))
	merged, marks := f.Marked(c.ID, c.With)
	c.Merged, c.Marks = note.ShowHidden(string(merged)), marks
	return c, nil
}

// Resolve ends a conflict: one note gets the text that is kept, and then the other one goes to
// the trash. Whatever ends the process in between, both texts are there.
func (p *Project) Resolve(ctx context.Context, r Resolving) (out Resolved, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return out, err
	}
	err = p.write(ctx, "edit", func(held Writer) error {
		if err := p.refreshWhole(ctx); err != nil {
			return err
		}
		f, err := p.findConflict(r.ID)
		if err != nil {
			return err
		}
		text, err := f.choose(r)
		if err != nil {
			return err
		}
		steps := p.steps(held)
		e, err := steps.Edit(f.row.Name, Change{ID: f.row.ID, Revision: f.revision, File: &text})
		if err != nil {
			return err
		}
		gone, err := steps.Remove(Removal{ID: strings.TrimSuffix(f.other.Name, ".md"), Revision: f.otherRevision})
		out = Resolved{About: e.About, Clash: f.clash(), Path: e.Path, Revision: e.Revision, Previous: e.Previous, Unchanged: e.Unchanged,
			Trash: gone.Path, More: f.more, Durable: e.Durable && gone.Durable}
		p.indexWritten(catalog.Document)
		return err
	})
	return out, err
}

// foundConflict is a conflict as its files are.
type foundConflict struct {
	notesync.ConflictPair
	row, other              index.Row
	revision, otherRevision string
	more                    int // further notes that hold a text of the first
}

func (f foundConflict) clash() Clash {
	return Clash{ID: note.ShowTitle(f.row.ID), With: note.ShowTitle(f.other.ID)}
}

// findConflict finds the conflict in which a note stands: with the note of which it holds a
// text, else with the first of those that hold a text of it.
func (p *Project) findConflict(ref string) (f foundConflict, err error) {
	if f.row, err = p.findNote(ref); err != nil {
		return f, err
	}
	if of := catalog.ExtraOf(f.row).ConflictWith; of != "" && !catalog.IsSuperseded(f.row) {
		original, ok := p.index.OriginalOf(f.row)
		if !ok {
			return f, errors.NoOriginal(f.row.ID, of)
		}
		f.row, f.other = original, f.row
	}
	copies := p.index.CopiesOf(f.row)
	switch {
	case len(copies) == 0:
		return f, errors.NoConflict(f.row.ID)
	case f.other.Name == "":
		f.other = copies[0]
	}
	f.Name, f.more = f.row.Name, len(copies)-1
	if f.Ours, f.revision, err = p.store.Read(f.row.Name); err != nil {
		return f, err
	}
	if f.Theirs, f.otherRevision, err = p.store.Read(f.other.Name); err != nil {
		return f, err
	}
	former, _ := p.store.Revisions(f.row.Name) // without them more is marked
	for _, past := range former {
		if data, err := p.store.ReadPast(f.row.Name, past.Revision); err == nil {
			f.Earlier = append(f.Earlier, data)
		}
	}
	return f, nil
}

// choose returns the text that ends the conflict.
func (f foundConflict) choose(r Resolving) (string, error) {
	switch {
	case r.Revision != "" && r.Revision != f.revision:
		return "", reply.StaleConflict(f.row.Name, r.Revision, f.revision, f.Ours)
	case r.WithRevision != "" && r.WithRevision != f.otherRevision:
		return "", reply.StaleConflict(f.other.Name, r.WithRevision, f.otherRevision, f.Theirs)
	}
	switch r.Keep {
	case "ours":
		return string(f.Ours), nil
	case "theirs":
		_, theirs := f.Texts()
		return string(theirs), nil
	case "both":
		return string(f.Both(reply.OtherText)), nil
	}
	if r.Keep != "" || r.Text == nil {
		return "", errors.BadValue("keep", r.Keep, "ours, theirs or both")
	}
	c := f.clash()
	for i, line := range strings.Split(*r.Text, "\n") {
		if line = strings.TrimRight(line, "\r"); line == "<<<<<<< "+c.ID || line == ">>>>>>> "+c.With {
			return "", errors.MarkersLeft(c.ID, i+1)
		}
	}
	if n := note.ParseText(f.row.Name, []byte(*r.Text)); n.Conflicted {
		return "", errors.MarkersLeft(c.ID, n.ConflictLine())
	}
	return *r.Text, nil
}
