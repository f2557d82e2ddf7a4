package notebook

import (
	"context"
	"slices"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/errors"
)

// Edit changes a note. The former text is in the history before the new one is in
// place; a stale revision changes nothing and is answered with the current text.
func (nb *Notebook) Edit(ctx context.Context, c Change) (e result.Edited, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return e, err
	}
	if err := c.Check(nb.store.author()); err != nil {
		return e, err
	}
	if err := nb.refreshWhole(ctx); err != nil {
		return e, err
	}
	row, err := nb.findNote(c.ID)
	if err != nil {
		return e, err
	}
	err = nb.Update(ctx, "edit", func(tx *Tx) (err error) {
		e, err = tx.edit(row.Name, c)
		return err
	})
	nb.showPath(&e.Path)
	if err != nil || e.Unchanged {
		return e, err
	}
	if c.ChangesText() {
		if nb.store.late() {
			_ = nb.refreshWhole(ctx) // without it the next call sees the change
		}
		row, _ = nb.index.Row(row.Name)
		e.Related = nb.relatedTo(row)
	}
	nb.recordCited(c.Supersedes, c.Body, c.Append, c.NewText)
	e.Warnings = append(e.Warnings, nb.Loss(ctx)...)
	return e, nil
}

// edit changes the note of a file.
func (tx *Tx) edit(name string, c Change) (result.Edited, error) {
	e := result.Edited{About: tx.About(), ID: note.IDOf(name), Path: ".blue/" + name}
	data, revision, err := tx.store.Read(name)
	if err != nil {
		return e, err
	}
	e.Revision = revision
	if c.Revision != "" && c.Revision != revision {
		if tx.isRepeated(name, data, c) {
			e.Unchanged, e.Durable = true, tx.held.Confirm(name, "")
			return e, nil
		}
		return e, result.StaleConflict(name, c.Revision, revision, data)
	}
	after, warnings, err := tx.applyChange(name, data, c)
	if err != nil {
		return e, err
	}
	e.Warnings = append(e.Warnings, warnings...)
	if string(after) == string(data) {
		marked, err := tx.markSuperseded(note.ParseText(name, after).Supersedes)
		e.Unchanged, e.Durable = true, tx.held.Confirm(name, "") && marked
		return e, err
	}
	if c.Restore == "" { // what was here before may come back as it was
		if err := screen.Refuse(e.ID, string(data), string(after), c.AllowSecret); err != nil {
			return e, err
		}
	}
	own := c.Restore == "" && tx.isOwn(name, revision) // a change of another's text does not make it one's own
	saved, err := tx.replaceText(name, data, after, own)
	if err != nil {
		return e, err
	}
	e.Previous, e.Revision, e.Durable = revision, saved.Revision, saved.Durable
	return e, nil
}

// replaceText puts new bytes in the place of a note, and marks what it supersedes now; what
// it supersedes no longer is unmarked before.
func (tx *Tx) replaceText(name string, before, after []byte, own bool) (store.Saved, error) {
	was, now := note.ParseText(name, before).Supersedes, note.ParseText(name, after).Supersedes
	dropped := slices.DeleteFunc(slices.Clone(was), func(id string) bool { return slices.Contains(now, id) })
	if err := tx.unmarkSuperseded(dropped, name); err != nil {
		return store.Saved{}, err
	}
	saved, err := tx.replace(name, store.Revision(before), after, own)
	if err != nil {
		_, again := tx.markSuperseded(dropped)
		return saved, errors.Join(err, again)
	}
	added := slices.DeleteFunc(now, func(id string) bool { return slices.Contains(was, id) })
	durable, err := tx.markSuperseded(added)
	saved.Durable = saved.Durable && durable
	return saved, err
}

// isRepeated reports whether the same edit of the revision that the caller knew
// gives what stands there now: the caller sent it twice.
func (tx *Tx) isRepeated(name string, now []byte, c Change) bool {
	base, err := tx.store.ReadPast(name, c.Revision)
	if err != nil {
		return false
	}
	after, _, err := tx.applyChange(name, base, c)
	return err == nil && string(after) == string(now)
}

// applyChange returns the file after the edit; every byte that the edit does not name stays.
func (tx *Tx) applyChange(name string, data []byte, c Change) (after []byte, warnings []string, err error) {
	was := note.ParseText(name, data)
	if c.Restore != "" {
		past, err := tx.store.ReadPast(name, c.Restore)
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
	if warnings, err = tx.changeKeys(&n, name, c); err != nil {
		return nil, nil, err
	}
	if was.Problem == "" {
		if err := n.KeepIdentity(was.Identity()); err != nil {
			return nil, nil, err
		}
	}
	after = n.Bytes()
	checked := note.ParseText(name, after)
	return after, warnings, checked.CheckLimits()
}
