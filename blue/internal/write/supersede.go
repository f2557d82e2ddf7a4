package write

import (
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/storage"
	"blue/blue/internal/store"
	"blue/errors"
)

// A note says in its front matter which notes it supersedes, and each of those has the
// status superseded. Both files are changed under one lock, and in such an order that a
// writer that is stopped between them leaves one state behind: a note says that it
// supersedes another one that is not marked so. The next writer marks it. A document of the
// project is named by its path, and stays as it is.

// findSuperseded finds what a note is to supersede, and returns the whole ids of notes and the
// paths of documents; name is its file, or just the directory of one that is to be written.
func (s Steps) findSuperseded(words []string, name string) (older []string, err error) {
	self := note.IDOf(name)
	for _, word := range words {
		file, why := s.File(word)
		if file != "" {
			older = append(older, file)
			continue
		}
		row, err := s.Find(word)
		if _, _, trashed := s.FindTrashed(word); trashed && errors.Is(err, errors.NotFound) {
			return nil, errors.CannotSupersede(word, "it is in the trash")
		}
		switch {
		case err != nil && why != nil:
			return nil, why
		case err != nil:
			return nil, err
		case row.Name == name:
			return nil, errors.CannotSupersede(row.ID, "it is the note itself")
		case note.IsPrivate(row.Name) && !note.IsPrivate(name):
			return nil, errors.CannotSupersede(row.ID, "it is private, and this note is not")
		case self != "" && s.Notes.Supersedes(row, self):
			return nil, errors.CannotSupersede(row.ID, "it supersedes "+self+" itself, so that none would be the newer")
		}
		older = append(older, row.ID)
	}
	return older, nil
}

// MarkSuperseded gives the notes of those ids the status superseded.
func (s Steps) MarkSuperseded(ids []string) (durable bool, err error) {
	durable = true
	for _, row := range s.Notes.NamedRows(ids) {
		if catalog.IsSuperseded(row) {
			continue
		}
		confirmed, err := s.setStatus(row.Name, note.Superseded)
		if err != nil {
			return false, err
		}
		durable = durable && confirmed
	}
	return durable, nil
}

// unmarkSuperseded gives the notes of those ids the status back that they had before, unless
// another note than by supersedes them too.
func (s Steps) unmarkSuperseded(ids []string, by string) error {
	for _, row := range s.Notes.NamedRows(ids) {
		others := slices.DeleteFunc(s.Notes.Successors(row), func(other index.Row) bool { return other.Name == by })
		if !catalog.IsSuperseded(row) || len(others) > 0 {
			continue
		}
		if _, err := s.setStatus(row.Name, storage.FormerStatus(s.Store, row.Name)); err != nil {
			return err
		}
	}
	return nil
}

// setStatus changes the status of a note; one whose front matter is broken is left.
func (s Steps) setStatus(name string, status any) (durable bool, err error) {
	data, revision, err := s.Store.Read(name)
	if err != nil {
		return false, err
	}
	n := note.ParseText(name, data)
	if n.Problem != "" || n.Conflicted {
		return true, nil
	}
	if err := n.SetKey("status", status); err != nil {
		return false, err
	}
	saved, err := s.ReplaceMarked(name, revision, n.Bytes())
	return saved.Durable, err
}

// ReplaceMarked gives a note bytes with another mark, or with links that have followed.
func (s Steps) ReplaceMarked(name, revision string, data []byte) (store.Saved, error) {
	own := s.IsOwn(name, revision)
	s.Held.WhenNamed(func(now string) {
		s.Record(name, now, own)
		s.Index()
	})
	defer s.Held.WhenNamed(nil)
	return s.Held.Replace(name, revision, data)
}

// MendSuperseded marks what a writer that was stopped has left unmarked.
func (s Steps) MendSuperseded() error {
	for _, row := range s.Notes.Superseding() {
		if _, err := s.MarkSuperseded(catalog.ExtraOf(row).Supersedes); err != nil {
			return err
		}
	}
	return nil
}
