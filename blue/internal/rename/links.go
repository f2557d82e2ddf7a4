package rename

import (
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/errors"
)

// fileSet are the files of notes whose links have followed.
type fileSet map[string]bool

// follow lets history and links follow a note whose file has another name: links by its
// id, and by the start of it where that means no other note.
func (s Steps) follow(from, to string, followed fileSet) error {
	if err := s.Held.TakeHistory(to, from); err != nil {
		return err
	}
	old, id := index.Row{Name: from, ID: note.IDOf(from)}, note.IDOf(to)
	rows := append(s.Notes.LinkingTo(old), s.Notes.Successors(old)...)
	for _, c := range s.Notes.Conflicts(old.ID) {
		rows = append(rows, s.Notes.NamedRows([]string{c.With})...)
	}
	err := s.renameIn(rows, old.ID, id, followed)
	for end := len(old.ID) - 1; end > 0 && err == nil; end-- {
		start := old.ID[:end]
		if rows := s.Notes.LinkingTo(index.Row{ID: start}); len(rows) > 0 && len(s.Notes.Linked(start)) == 0 {
			err = s.renameIn(rows, start, id, followed)
		}
	}
	return err
}

// followTitle lets links by the title of a note follow to its new one.
func (s Steps) followTitle(from, to, id string, followed fileSet) error {
	rows := s.Notes.LinkingTo(index.Row{ID: from})
	if from == to || len(rows) == 0 || len(s.Notes.Linked(from)) > 0 {
		return nil
	}
	if strings.ContainsAny(to, "[]|#") {
		to = id
	}
	return s.renameIn(rows, from, to, followed)
}

// renameIn lets notes name another one by its new name.
func (s Steps) renameIn(rows []index.Row, from, to string, followed fileSet) error {
	for _, row := range rows {
		changed, err := s.renameLinks(row.Name, from, to)
		if err != nil {
			return err
		}
		if changed {
			followed[row.Name] = true
		}
	}
	return nil
}

// renameLinks lets a note name another one by its new id.
func (s Steps) renameLinks(name, from, to string) (changed bool, err error) {
	data, revision, err := s.Read(name)
	if errors.Is(err, errors.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	n := note.ParseText(name, data)
	n.Body = note.RenameLinks(n.Body, from, to)
	if at := slices.Index(n.Supersedes, from); at >= 0 && n.Problem == "" {
		n.Supersedes[at] = to
		if err := n.SetKey("supersedes", note.InlineList(n.Supersedes)); err != nil {
			return false, err
		}
	}
	if n.ConflictWith == from && n.Problem == "" {
		if err := n.SetKey(note.ConflictWith, to); err != nil {
			return false, err
		}
	}
	saved, err := s.Replace(name, revision, n.Bytes())
	return err == nil && !saved.Unchanged, err
}
