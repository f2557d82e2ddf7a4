package notebook

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/errors"
)

// Locate returns the files of notes.
func (nb *Notebook) Locate(ctx context.Context, refs ...string) (l result.Located, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return l, err
	}
	l = result.Located{About: nb.About()}
	for _, ref := range refs {
		row, err := nb.findNote(ref)
		if err != nil {
			return l, err
		}
		l.Files = append(l.Files, result.NoteFile{ID: row.ID, Path: nb.absolutePath(row.Name), Name: row.Name})
	}
	return l, nil
}

// ShowFile returns the whole file of a note, made safe to show, for a person to edit: see
// Change.File.
func (nb *Notebook) ShowFile(ctx context.Context, ref string) (id, text, revision string, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return "", "", "", err
	}
	row, err := nb.findNote(ref)
	if err != nil {
		return "", "", "", err
	}
	data, revision, err := nb.store.Read(row.Name)
	if note.ParseText(row.Name, data).Body == "" {
		data = append(data, '\n')
	}
	return row.ID, note.ShowHidden(string(data)), revision, err
}

// ChangeInPlace lets a person's program change the file of a note. The text that it replaces
// goes into the history.
func (nb *Notebook) ChangeInPlace(ctx context.Context, ref string, change func(path string) error) (e result.Edited, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return e, err
	}
	l, err := nb.Locate(ctx, ref)
	if err != nil {
		return e, err
	}
	name := l.Files[0].Name
	before, was, err := nb.store.Read(name)
	if err != nil {
		return e, err
	}
	failed := change(l.Files[0].Path)
	_, now, err := nb.store.Read(name)
	e = result.Edited{About: nb.About(), ID: l.Files[0].ID, Path: ".blue/" + name, Revision: now, Unchanged: now == was}
	nb.showPath(&e.Path)
	if err := errors.Join(failed, err); err != nil {
		return e, err
	}
	err = nb.update(ctx, "edit", func(tx *Tx) error {
		if tx.files == nil {
			return errors.New("a note in a database has no file")
		}
		e.Durable = tx.held.Confirm(name, "")
		if e.Unchanged {
			return nil
		}
		e.Previous = was
		nb.recordWritten(name, now, nb.isOwn(name, was))
		return tx.files.Keep(name, before)
	})
	return e, err
}
