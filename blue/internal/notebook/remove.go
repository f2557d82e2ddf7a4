package notebook

import (
	"context"
	"strings"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// Remove moves a note to the trash, or brings it back. It succeeds if that was done before.
func (nb *Notebook) Remove(ctx context.Context, r Removal) (out result.Removed, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return out, err
	}
	if r.ID == "" {
		return out, errors.Missing("id", "give the id of a note")
	}
	err = nb.Update(ctx, r.verb(), func(tx *Tx) (err error) {
		out, err = tx.remove(r)
		return err
	})
	return out, err
}

// RemoveAll moves several notes to the trash, or brings them back. It changes nothing if one of the
// ids names no note.
func (nb *Notebook) RemoveAll(ctx context.Context, all []Removal) (out result.RemovedAll, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return out, err
	}
	err = nb.Update(ctx, all[0].verb(), func(tx *Tx) error {
		out = result.RemovedAll{About: tx.About()}
		for _, r := range all {
			if err := tx.checkRemoval(r); err != nil {
				return err
			}
		}
		for _, r := range all {
			done, err := tx.remove(r)
			if err != nil && tx.files != nil { // a database takes back what was done
				return out.Stopped(err)
			}
			if err != nil {
				return err
			}
			done.About = result.About{}
			out.Removed = append(out.Removed, done)
		}
		return nil
	})
	return out, err
}

func (r Removal) verb() string {
	if r.Restore {
		return "restore"
	}
	return "remove"
}

// remove moves a note to the trash, or brings it back.
func (tx *Tx) remove(r Removal) (out result.Removed, err error) {
	if r.Restore {
		out, err = tx.takeFromTrash(r.ID)
	} else {
		out, err = tx.moveToTrash(r)
	}
	if err == nil {
		tx.store.written()
	}
	return out, err
}

// checkRemoval returns the error that remove would return because of the id.
func (tx *Tx) checkRemoval(r Removal) error {
	trashed := tx.matchTrashed(r.ID)
	if r.Restore && len(trashed) > 1 {
		return manyTrashed(r.ID, trashed)
	}
	if r.Restore && len(trashed) == 1 {
		return nil
	}
	_, err := tx.findNote(r.ID)
	switch {
	case err != nil && r.Restore:
		return tx.notTrashed(r.ID)
	case errors.Is(err, errors.NotFound) && len(trashed) == 1:
		return nil // it is in the trash already
	}
	return err
}

// manyTrashed returns the error for the start of several ids in the trash.
func manyTrashed(ref string, found []store.Trashed) error {
	ids := make([]string, len(found))
	for i, t := range found {
		ids[i] = note.IDOf(t.Name)
	}
	return errors.ManyNotes(ref, ids...)
}

// notTrashed returns the error for a reference to no note in the trash, with similar ids.
func (tx *Tx) notTrashed(ref string) error {
	e := errors.NotTrashed(ref)
	if near := tx.index.NearestIDs(note.BareID(tx.trimPath(ref))); len(near) > 0 {
		e.Hint("read", near[0], "did you mean "+errors.List(errors.Lines(near, 3, 200), 3))
	}
	return e
}

// moveToTrash moves a note to the trash.
func (tx *Tx) moveToTrash(r Removal) (result.Removed, error) {
	out := result.Removed{About: tx.About(), ID: r.ID, Trashed: true}
	row, err := tx.findNote(r.ID)
	if errors.Is(err, errors.NotFound) {
		if name, file, ok := tx.findTrashed(r.ID); ok {
			out.ID, out.Path, out.Already, out.Durable = note.IDOf(name), tx.pathOf(file), true, tx.held.Confirm(name, file)
			return out, nil
		}
	}
	if err != nil {
		return out, err
	}
	out.ID = row.ID
	if r.Revision != "" || tx.proposes() {
		data, now, err := tx.store.Read(row.Name)
		if err != nil {
			return out, err
		}
		if r.Revision != "" && now != r.Revision {
			return out, result.StaleConflict(row.Name, r.Revision, now, data)
		}
		if err := tx.refuseAgent(row.Name, data); err != nil {
			return out, err
		}
	}
	saved, file, err := tx.held.Remove(row.Name, r.Revision)
	out.Path, out.Durable = tx.pathOf(file), saved.Durable
	return out, err
}

// takeFromTrash brings a note back from the trash.
func (tx *Tx) takeFromTrash(ref string) (out result.Removed, err error) {
	out = result.Removed{About: tx.About(), ID: ref}
	found := tx.matchTrashed(ref)
	if len(found) > 1 {
		return out, manyTrashed(ref, found)
	}
	var row index.Row // of a note that exists
	name, there := "", true
	if len(found) > 0 {
		name = found[0].Name
		row, there = tx.findMoved(name, found[0].File)
	} else if row, err = tx.findNote(ref); err != nil {
		return out, tx.notTrashed(ref)
	}
	if there {
		former := note.BareID(tx.trimPath(ref))
		if name != "" {
			former = note.IDOf(name)
		}
		if !strings.HasPrefix(row.ID, strings.ToLower(former)) {
			out.Alias = note.ShowWord(former)
		}
		out.ID, out.Path, out.Revision, out.Already = row.ID, tx.pathOf(row.Name), row.Revision, true
		out.Durable = tx.held.Confirm(row.Name, "")
		return out, nil
	}
	if data, _, err := tx.store.ReadTrashed(found[0].File); err == nil {
		if err := tx.refuseAgent(name, data); err != nil {
			return out, err
		}
	}
	saved, err := tx.held.Untrash(name)
	out.ID, out.Path, out.Revision, out.Durable = note.IDOf(name), tx.pathOf(name), saved.Revision, saved.Durable
	return out, err
}

// findMoved returns the note that has the identity of a trashed text but another name.
func (tx *Tx) findMoved(name, file string) (row index.Row, ok bool) {
	data, _, err := tx.store.ReadTrashed(file)
	if err != nil {
		return row, false
	}
	n := note.ParseText(name, data)
	return tx.withUID(n.Identity(), name)
}

// withUID returns the note with an identity that has another name.
func (nb *Notebook) withUID(uid, name string) (row index.Row, ok bool) {
	for _, row := range nb.index.OfUID(uid) {
		if note.IsPrivate(row.Name) == note.IsPrivate(name) && row.Name != name {
			return row, true
		}
	}
	return row, false
}

// Removal says which note goes to the trash, or comes back from it.
type Removal struct {
	ID       string `json:"id" jsonschema:"id or unique prefix"`
	Revision string `json:"revision,omitempty" jsonschema:"only if still current"`
	Restore  bool   `json:"restore,omitempty" jsonschema:"bring it back from the trash"`
}

// EmptyTrash deletes the notes for good that have been in the trash for longer than an age, in the
// time of this machine, or only counts them if do is false. Those whose removal a sync has not told
// others yet stay: without them the notes would come back.
func (nb *Notebook) EmptyTrash(ctx context.Context, age time.Duration, do bool) (out result.Emptied, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return out, err
	}
	out.About = nb.About()
	if nb.files == nil {
		return out, errors.BadValue("empty", "true", "a project with files; on a server, removed notes stay, and blue server erase removes one for good")
	}
	told := nb.replica().ToldRemoval()
	err = nb.update(ctx, "trash", func(tx *Tx) error {
		trashed, err := nb.files.Trash()
		if err != nil {
			return err
		}
		out.Deleted, out.Size, out.Unsent = 0, 0, 0
		var files []string
		for _, t := range trashed {
			switch {
			case age > 0 && nb.o.Now().Sub(t.Time) <= age:
			case !note.IsPrivate(t.Name) && !told(t.File):
				out.Unsent++
			default:
				files = append(files, t.File)
				out.Size += t.Size
			}
		}
		if out.Deleted = len(files); do {
			out.Done, err = true, tx.files.Delete(files)
		}
		return err
	})
	return out, err
}
