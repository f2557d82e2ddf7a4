package notebook

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/blue/internal/store"
	"blue/errors"
)

// A move gives a note another title and the id that belongs to it. Each of its steps leaves the
// project in a consistent state:
//
//  1. the note gets its title, its identity if its front matter has none, and its own id as an
//     alias, which says that it will move. Each other word by which links name it, and that it
//     loses, becomes an alias too
//  2. a file with the new id is made with the same bytes
//  3. the file with the old id goes to the trash, from which a sync tells others of it
//  4. its history goes to the new id
//  5. the notes that link to it, or replace it, are changed one by one to name the new id
//
// From step 2 on the old id is found as an alias, so that no link is dead at any step. The next
// writer completes what a writer that was stopped, or that found the disk full, has left
// undone.

// Move gives a note another title and the id that belongs to it. If title is empty, the note
// keeps its title. Links to the note follow, and the former id stays valid.
func (nb *Notebook) Move(ctx context.Context, ref, title string) (m result.Moved, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return m, err
	}
	err = nb.Update(ctx, "mv", func(tx *Tx) error {
		if tx.files == nil {
			return errors.New("a note in a database keeps its id")
		}
		row, err := nb.findNote(ref)
		if err != nil {
			return err
		}
		m, err = tx.move(row, title)
		return err
	})
	m.About = nb.About()
	return m, err
}

// move performs all steps for one note. If title is empty, the note keeps its title.
func (tx *Tx) move(row index.Row, title string) (m result.Moved, err error) {
	data, revision, err := tx.store.Read(row.Name)
	if err != nil {
		return m, err
	}
	n := note.ParseText(row.Name, data)
	if title = note.OneLine(title); title == "" {
		title = n.Title
	}
	c := Change{ID: row.ID, Title: &title}
	if err := c.Check(tx.store.author()); err != nil {
		return m, err
	}
	to := tx.index.PlaceOfMoved(tx.Found.ID, row, title)
	followsTitle := title != n.Title && tx.meansOnly(row, n.Title)
	for _, word := range tx.lostWords(row, to, n.Title, followsTitle) {
		if !slices.Contains(n.Aliases, word) {
			n.Aliases = append(n.Aliases, word)
		}
	}
	if rest, ok := strings.CutPrefix(n.Body, "# "+n.Title+"\n"); ok {
		n.Body = "# " + title + "\n" + rest
	}
	after, err := retitled(n, row, c, to)
	if err != nil {
		return m, err
	}
	saved, err := tx.replace(row.Name, revision, after)
	m = result.Moved{ID: note.IDOf(to), Path: tx.pathOf(to), Revision: saved.Revision, Durable: saved.Durable}
	if err != nil {
		return m, err
	}
	followed := fileSet{}
	if to != row.Name {
		m.From = row.ID
		durable, err := tx.finish(row.Name, to, after, followed)
		m.Durable = m.Durable && durable
		if err != nil {
			return m, err
		}
	}
	if followsTitle {
		err = tx.followTitle(n.Title, title, m.ID, followed)
	}
	delete(followed, to)
	m.Followed = len(followed)
	if now, ok := tx.index.Row(to); ok { // the note may link to itself
		m.Revision = now.Revision
	}
	return m, err
}

// retitled returns the file of a note with a new title, and with its aliases and identity.
func retitled(n note.Text, row index.Row, c Change, to string) ([]byte, error) {
	switch {
	case n.Problem != "":
		return nil, errors.BrokenFrontMatter(row.ID, note.ShowLine(n.Problem))
	case n.Conflicted:
		return nil, errors.Conflicted(row.ID)
	}
	if err := c.ApplyKeys(&n, nil); err != nil {
		return nil, err
	}
	if len(n.Aliases) > 0 {
		if err := n.SetKey("aliases", note.InlineList(n.Aliases)); err != nil {
			return nil, err
		}
	}
	if to != row.Name && n.UID == "" {
		if err := n.SetKey(note.UIDKey, n.Identity()); err != nil {
			return nil, err
		}
	}
	after := n.Bytes()
	checked := note.ParseText(row.Name, after)
	return after, checked.CheckLimits()
}

// finish performs the steps that follow the first one.
func (tx *Tx) finish(from, to string, data []byte, followed fileSet) (durable bool, err error) {
	saved, err := tx.held.Create(to, data)
	if errors.Is(err, errors.Exists) {
		if now, _, unread := tx.store.Read(to); unread == nil && bytes.Equal(now, data) {
			saved.Durable, err = tx.held.Confirm(to, ""), nil
		}
	}
	if err != nil {
		return false, err
	}
	gone, _, err := tx.held.Remove(from, store.Revision(data))
	if err != nil && !errors.Is(err, errors.NotFound) {
		return false, err
	}
	tx.store.written()
	return saved.Durable && gone.Durable, tx.follow(from, to, followed)
}

// mendMoved performs the remaining steps of moves that were interrupted.
func (tx *Tx) mendMoved() error {
	for _, row := range tx.index.Aliased("") {
		for _, alias := range ExtraOf(row).Aliases {
			err := tx.mendOne(row, note.FileOf(alias, note.IsPrivate(row.Name)), alias)
			if err != nil && !errors.Is(err, errors.Exists) {
				return err
			}
		}
	}
	for _, row := range tx.index.Aliased("") {
		for _, alias := range ExtraOf(row).Aliases {
			if err := tx.mendTitle(row, alias); err != nil {
				return err
			}
		}
	}
	return nil
}

func (tx *Tx) mendOne(row index.Row, from, alias string) error {
	if from != row.Name {
		if !isMovedFrom(tx.Found.ID, row.ID, alias) {
			return nil
		}
		return tx.follow(from, row.Name, fileSet{})
	}
	if other, moved := tx.index.MovedTo(tx.Found.ID, from); moved && other.Revision != row.Revision {
		return nil // one of the two has been changed since
	}
	to := tx.index.PlaceOfMoved(tx.Found.ID, row, row.Title)
	data, _, err := tx.store.Read(from)
	if err == nil && to != from {
		_, err = tx.finish(from, to, data, fileSet{})
	}
	return err
}

// mendTitle makes links by an alias follow if the alias was once the title of the note.
func (tx *Tx) mendTitle(row index.Row, alias string) error {
	linked := len(tx.index.LinkingTo(index.Row{ID: alias})) > 0
	if !linked || alias == row.Title || !tx.meansOnly(row, alias) || !tx.hadTitle(row.Name, alias) {
		return nil
	}
	return tx.followTitle(alias, row.Title, row.ID, fileSet{})
}

// hadTitle reports whether a former text of a note has that title.
func (nb *Notebook) hadTitle(name, title string) bool {
	for _, n := range pastTexts(nb.store, name) {
		if n.Title == title {
			return true
		}
	}
	return false
}

// A note that has moved to another id keeps the former one as an alias, and the end of its new
// id is derived from it. That distinguishes such an alias from a word that a person has given
// to the note.

// fileSet is a set of the files of notes whose links have followed.
type fileSet map[string]bool

// starts returns the prefixes of an id by which links name its note, longest first.
func (tx *Tx) starts(id string) (found []string) {
	for end := len(id) - 1; end > 0; end-- {
		if len(tx.index.LinkingTo(index.Row{ID: id[:end]})) > 0 {
			found = append(found, id[:end])
		}
	}
	return found
}

// meansOnly reports whether a link by a word leads to this note and to no other.
func (tx *Tx) meansOnly(row index.Row, word string) bool {
	rows := tx.index.Linked(word)
	return len(rows) == 1 && rows[0].Name == row.Name
}

// lostWords returns the words by which links name a note now but would not after it has moved.
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

// follow makes the history and the links of a note follow to another file. These are links by
// its id or by a unique prefix of it.
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

// followTitle makes links by the former title of a note follow to its new one.
func (tx *Tx) followTitle(from, to, id string, followed fileSet) error {
	if strings.ContainsAny(to, "[]|#") {
		to = id
	}
	return tx.renameIn(tx.index.LinkingTo(index.Row{ID: from}), from, to, followed)
}

// renameIn renames a note in other notes. A note that would grow too large keeps the old name,
// which still works as an alias.
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

// renameLinks changes the id by which a note names another one.
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
	saved, err := tx.replace(name, revision, n.Bytes())
	return err == nil && !saved.Unchanged, err
}
