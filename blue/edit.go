package blue

import (
	"context"
	"slices"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/errors"
)

// Edited is the answer to an edit.
type Edited = reply.Edited

// Current is a note's state, returned with a conflict so that it can be merged.
type Current = reply.Current

// Edit changes a note. The former text is in the history before the new one is in
// place; a stale revision changes nothing and is answered with the current text.
func (p *Project) Edit(ctx context.Context, c Change) (e Edited, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return e, err
	}
	if err := c.Check(p.writer()); err != nil {
		return e, err
	}
	if err := p.refresh(ctx); err != nil {
		return e, err
	}
	row, err := p.findNote(c.ID)
	if err != nil {
		return e, err
	}
	err = p.write(ctx, "edit", func(held Writer) (err error) {
		if err := p.refresh(ctx); err != nil { // what it supersedes is looked up in the index
			return err
		}
		e, err = p.editHeld(held, row.Name, c)
		return err
	})
	if err == nil && !e.Unchanged && c.ChangesText() {
		if p.hosted != nil {
			_ = p.refresh(ctx) // without it the next call sees the change
		}
		row, _ = p.index.Row(row.Name)
		e.Related = p.relatedTo(row)
	}
	if err == nil && !e.Unchanged {
		e.Warnings = append(e.Warnings, p.warnOfLoss(ctx)...)
	}
	return e, err
}

// editHeld does the work under the lock.
func (p *Project) editHeld(held Writer, name string, c Change) (Edited, error) {
	e := Edited{About: p.About(), ID: note.IDOf(name), Path: ".blue/" + name}
	data, revision, err := p.store.Read(name)
	if err != nil {
		return e, err
	}
	e.Revision = revision
	if c.Revision != "" && c.Revision != revision {
		if p.isRepeated(name, data, c) {
			e.Unchanged, e.Durable = true, held.Confirm(name, "")
			return e, nil
		}
		return e, reply.StaleConflict(name, c.Revision, revision, data)
	}
	after, warnings, err := p.applyChange(name, data, c)
	if err != nil {
		return e, err
	}
	e.Warnings = append(e.Warnings, warnings...)
	if string(after) == string(data) {
		marked, err := p.markSuperseded(held, note.ParseText(name, after).Supersedes)
		e.Unchanged, e.Durable = true, held.Confirm(name, "") && marked
		return e, err
	}
	if c.Restore == "" { // what was here before may come back as it was
		if err := screen.Refuse(e.ID, string(data), string(after), c.AllowSecret); err != nil {
			return e, err
		}
	}
	saved, err := p.replaceHeld(held, name, data, after)
	if err != nil {
		return e, err
	}
	e.Previous, e.Revision, e.Durable = revision, saved.Revision, saved.Durable
	return e, nil
}

// replaceHeld puts new bytes in the place of a note, and marks what it supersedes now; what
// it supersedes no longer is unmarked before, see blue/supersede.go.
func (p *Project) replaceHeld(held Writer, name string, before, after []byte) (store.Saved, error) {
	was, now := note.ParseText(name, before).Supersedes, note.ParseText(name, after).Supersedes
	dropped := slices.DeleteFunc(slices.Clone(was), func(id string) bool { return slices.Contains(now, id) })
	if err := p.unmarkSuperseded(held, dropped, name); err != nil {
		return store.Saved{}, err
	}
	p.indexWhileWriting(held, name, after, nil)
	saved, err := held.Replace(name, store.Revision(before), after)
	if err != nil {
		_, again := p.markSuperseded(held, dropped)
		return saved, errors.Join(err, again)
	}
	added := slices.DeleteFunc(now, func(id string) bool { return slices.Contains(was, id) })
	durable, err := p.markSuperseded(held, added)
	saved.Durable = saved.Durable && durable
	return saved, err
}

// isRepeated reports whether the same edit of the revision that the caller knew
// gives what stands there now: the caller sent it twice.
func (p *Project) isRepeated(name string, now []byte, c Change) bool {
	base, err := p.store.ReadPast(name, c.Revision)
	if err != nil {
		return false
	}
	after, _, err := p.applyChange(name, base, c)
	return err == nil && string(after) == string(now)
}

// applyChange returns the file after the edit; every byte that the edit does not name stays.
func (p *Project) applyChange(name string, data []byte, c Change) (after []byte, warnings []string, err error) {
	if c.Restore != "" {
		past, err := p.store.ReadPast(name, c.Restore)
		if errors.Is(err, errors.NotFound) && store.Revision(data) == c.Restore {
			return data, nil, nil
		}
		if err != nil {
			return nil, nil, errors.NoRevision(note.IDOf(name), c.Restore)
		}
		data = past
	}
	n := note.ParseText(name, data)
	if n.Conflicted && c.Body == nil && c.File == nil && c.Restore == "" {
		return nil, nil, errors.Conflicted(note.IDOf(name))
	}
	if err := c.ApplyText(&n, note.IDOf(name)); err != nil {
		return nil, nil, err
	}
	if warnings, err = p.changeKeys(&n, name, c); err != nil {
		return nil, nil, err
	}
	after = n.Bytes()
	checked := note.ParseText(name, after)
	return after, warnings, checked.CheckLimits()
}
