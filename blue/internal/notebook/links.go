package notebook

import (
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/errors"
)

// fileSet are the files of notes whose links have followed.
type fileSet map[string]bool

// starts are the starts of an id, the longest first, by which links name the note of it.
func (tx *Tx) starts(id string) (found []string) {
	for end := len(id) - 1; end > 0; end-- {
		if len(tx.index.LinkingTo(index.Row{ID: id[:end]})) > 0 {
			found = append(found, id[:end])
		}
	}
	return found
}

// meansOnly reports whether a link by a word leads to one note and no other.
func (tx *Tx) meansOnly(row index.Row, word string) bool {
	rows := tx.index.Linked(word)
	return len(rows) == 1 && rows[0].Name == row.Name
}

// lostWords are the words by which links name a note now and would not when it has moved.
func (tx *Tx) lostWords(row index.Row, to, title string, followsTitle bool) (words []string) {
	if to != row.Name {
		words = append(words, row.ID)
		for _, start := range tx.starts(row.ID) {
			if tx.meansOnly(row, start) {
				words = append(words, start)
			}
		}
	}
	if followsTitle && len(tx.index.LinkingTo(index.Row{ID: title})) > 0 {
		words = append(words, title)
	}
	return words
}

// follow lets history and links follow a note whose file has another name: links by its
// id, and by the start of it where that means no other note.
func (tx *Tx) follow(from, to string, followed fileSet) error {
	if err := tx.files.TakeHistory(to, from); err != nil {
		return err
	}
	old, id := index.Row{Name: from, ID: note.IDOf(from)}, note.IDOf(to)
	rows := append(tx.index.LinkingTo(old), tx.index.Successors(old)...)
	for _, c := range tx.index.Conflicts(old.ID) {
		rows = append(rows, tx.index.NamedRows([]string{c.With})...)
	}
	err := tx.renameIn(rows, old.ID, id, followed)
	for _, start := range tx.starts(old.ID) {
		lost := len(tx.index.Linked(start)) == 0 || tx.meansOnly(index.Row{Name: to}, start)
		if err == nil && lost && !strings.HasPrefix(id, start) {
			err = tx.renameIn(tx.index.LinkingTo(index.Row{ID: start}), start, id, followed)
		}
	}
	return err
}

// followTitle lets links by the former title of a note follow to its new one.
func (tx *Tx) followTitle(from, to, id string, followed fileSet) error {
	if strings.ContainsAny(to, "[]|#") {
		to = id
	}
	return tx.renameIn(tx.index.LinkingTo(index.Row{ID: from}), from, to, followed)
}

// renameIn lets notes name another one by its new name. One that would grow too large stays:
// an alias leads its links.
func (tx *Tx) renameIn(rows []index.Row, from, to string, followed fileSet) error {
	for _, row := range rows {
		changed, err := tx.renameLinks(row.Name, from, to)
		if err != nil && !errors.Is(err, errors.TooLarge) {
			return err
		}
		if changed {
			followed[row.Name] = true
		}
	}
	return nil
}

// renameLinks lets a note name another one by its new id.
func (tx *Tx) renameLinks(name, from, to string) (changed bool, err error) {
	data, revision, err := tx.store.Read(name)
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
	saved, err := tx.replaceMarked(name, revision, n.Bytes())
	return err == nil && !saved.Unchanged, err
}
