package blue

import (
	"context"

	"blue/blue/internal/catalog"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/errors"
)

// Removal says which note goes to the trash, or comes back from it.
type Removal struct {
	ID       string `json:"id" jsonschema:"id or unique prefix"`
	Revision string `json:"revision,omitempty" jsonschema:"only if still current"`
	Restore  bool   `json:"restore,omitempty" jsonschema:"bring it back from the trash"`
}

// Removed is the answer to a removal.
type Removed = reply.Removed

// Remove moves a note to the trash, where it is kept for 30 days, or brings it
// back. What is already so succeeds and says so.
func (p *Project) Remove(ctx context.Context, r Removal) (out Removed, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return out, err
	}
	if r.ID == "" {
		return out, errors.Missing("id", "give the id of a note")
	}
	verb := "remove"
	if r.Restore {
		verb = "restore"
	}
	err = p.write(ctx, verb, func(held Writer) (err error) {
		out, err = p.removeHeld(ctx, held, r)
		return err
	})
	return out, err
}

// removeHeld does the work under the lock.
func (p *Project) removeHeld(ctx context.Context, held Writer, r Removal) (out Removed, err error) {
	if err := p.refresh(ctx); err != nil {
		return out, err
	}
	out = Removed{About: p.About(), ID: r.ID, Trashed: !r.Restore}
	if r.Restore {
		out, err = p.takeFromTrash(held, r, out)
	} else {
		out, err = p.moveToTrash(held, r, out)
	}
	if err == nil {
		p.indexWritten(catalog.Document)
	}
	return out, err
}

func (p *Project) moveToTrash(held Writer, r Removal, out Removed) (Removed, error) {
	row, err := p.findNote(r.ID)
	if errors.Is(err, errors.NotFound) {
		if name, file, ok := p.findTrashed(r.ID); ok {
			out.ID, out.Path, out.Already, out.Durable = note.IDOf(name), file, true, held.Confirm(name, file)
			return out, nil
		}
	}
	if err != nil {
		return out, err
	}
	out.ID = row.ID
	if r.Revision != "" {
		data, now, err := p.store.Read(row.Name)
		if err != nil {
			return out, err
		}
		if now != r.Revision {
			return out, reply.StaleConflict(row.Name, r.Revision, now, data)
		}
	}
	older := catalog.ExtraOf(row).Supersedes
	if err := p.unmarkSuperseded(held, older, row.Name); err != nil {
		return out, err
	}
	saved, file, err := held.Remove(row.Name, r.Revision)
	out.Path, out.Durable = ".blue/"+file, saved.Durable
	if err != nil {
		_, again := p.markSuperseded(held, older)
		err = errors.Join(err, again)
	}
	return out, err
}

func (p *Project) takeFromTrash(held Writer, r Removal, out Removed) (Removed, error) {
	found := storage.MatchTrashed(p.store, p.trimPath(r.ID), p.isMoved)
	if len(found) > 1 {
		ids := make([]string, len(found))
		for i, t := range found {
			ids[i] = note.IDOf(t.Name)
		}
		return out, errors.ManyNotes(r.ID, ids...)
	}
	if len(found) == 0 {
		row, err := p.findNote(r.ID)
		if err != nil {
			return out, errors.NotTrashed(r.ID)
		}
		out.ID, out.Path, out.Revision, out.Already = row.ID, ".blue/"+row.Name, row.Revision, true
		out.Durable = held.Confirm(row.Name, "")
		return out, nil
	}
	name := found[0].Name
	saved, err := held.Untrash(name)
	out.ID, out.Path, out.Revision, out.Durable = note.IDOf(name), ".blue/"+name, saved.Revision, saved.Durable
	if err != nil {
		return out, err
	}
	p.indexWritten(catalog.Document)
	data, _, err := p.store.Read(name)
	if err != nil {
		return out, err
	}
	durable, err := p.markSuperseded(held, note.ParseText(name, data).Supersedes)
	out.Durable = out.Durable && durable
	return out, err
}

// findTrashed returns the name that the one trashed note had which a word means, and the file
// it lies in now.
func (p *Project) findTrashed(ref string) (name, file string, ok bool) {
	found := storage.MatchTrashed(p.store, p.trimPath(ref), p.isMoved)
	if len(found) != 1 {
		return "", "", false
	}
	return found[0].Name, ".blue/" + found[0].File, true
}

// isMoved reports whether a note in the trash is there under another id.
func (p *Project) isMoved(name string) bool {
	_, moved := p.index.MovedTo(p.found.ID, name)
	return moved
}
