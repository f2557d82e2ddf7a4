package blue

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
)

// Located is the answer to "where is this note".
type Located = reply.Located

// Locate returns the files of notes.
func (p *Project) Locate(ctx context.Context, refs ...string) (l Located, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return l, err
	}
	l = Located{About: p.About()}
	for _, ref := range refs {
		row, err := p.findNote(ref)
		if err != nil {
			return l, err
		}
		l.Files = append(l.Files, reply.NoteFile{ID: row.ID, Path: p.absolutePath(row.Name), Name: row.Name})
	}
	return l, nil
}

// ShowFile returns the whole file of a note, made safe to show, for a person to edit: see
// Change.File.
func (p *Project) ShowFile(ctx context.Context, ref string) (id, text, revision string, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return "", "", "", err
	}
	row, err := p.findNote(ref)
	if err != nil {
		return "", "", "", err
	}
	data, revision, err := p.store.Read(row.Name)
	if note.ParseText(row.Name, data).Body == "" {
		data = append(data, '\n')
	}
	return row.ID, note.ShowHidden(string(data)), revision, err
}

// ChangeInPlace lets a person's program change the file of a note. The text that it replaces
// goes into the history.
func (p *Project) ChangeInPlace(ctx context.Context, ref string, change func(path string) error) (e Edited, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return e, err
	}
	l, err := p.Locate(ctx, ref)
	if err != nil {
		return e, err
	}
	name := l.Files[0].Name
	before, was, err := p.store.Read(name)
	if err != nil {
		return e, err
	}
	failed := change(l.Files[0].Path)
	_, now, err := p.store.Read(name)
	e = Edited{About: p.About(), ID: l.Files[0].ID, Path: ".blue/" + name, Revision: now, Unchanged: now == was}
	p.showPath(&e.Path)
	if err := errors.Join(failed, err); err != nil {
		return e, err
	}
	err = p.write(ctx, "edit", func(held Writer) error {
		files, ok := held.(*store.Held)
		if !ok {
			return errors.New("a note in a database has no file")
		}
		e.Durable = held.Confirm(name, "")
		if e.Unchanged {
			return nil
		}
		e.Previous = was
		p.recordWritten(name, now, p.isOwn(name, was))
		return files.Keep(name, before)
	})
	return e, err
}
