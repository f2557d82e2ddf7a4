package notebook

import (
	"path"
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
)

// A note says in its front matter which notes it supersedes, and each of those has the
// status superseded. Both files are changed under one lock, and in such an order that a
// writer that is stopped between them leaves one state behind: a note says that it
// supersedes another one that is not marked so. The next writer marks it. A document of the
// project is named by its path, and stays as it is.

// findSuperseded returns the whole ids and paths of what a note is to supersede; name is its file,
// or only the directory of a new one.
func (tx *Tx) findSuperseded(words []string, name string) (older []string, err error) {
	self := note.IDOf(name)
	for _, word := range words {
		file, why := tx.findSupersededDocument(word)
		if file != "" {
			older = append(older, file)
			continue
		}
		row, err := tx.findNote(word)
		if _, _, trashed := tx.findTrashed(word); trashed && errors.Is(err, errors.NotFound) {
			return nil, cannotSupersede(word, "it is in the trash")
		}
		switch {
		case err != nil && why != nil:
			return nil, why
		case err != nil:
			return nil, err
		case row.Name == name:
			return nil, cannotSupersede(row.ID, "it is the note itself")
		case note.IsPrivate(row.Name) && !note.IsPrivate(name):
			return nil, cannotSupersede(row.ID, "it is private, and this note is not")
		case self != "" && tx.index.Supersedes(row, self):
			return nil, cannotSupersede(row.ID, "it supersedes "+self+" itself, so that none would be the newer")
		}
		older = append(older, row.ID)
	}
	return older, nil
}

// markSuperseded gives the notes of those ids the status superseded.
func (tx *Tx) markSuperseded(ids []string) (durable bool, err error) {
	durable = true
	for _, row := range tx.index.NamedRows(ids) {
		if IsSuperseded(row) {
			continue
		}
		confirmed, err := tx.setStatus(row.Name, note.Superseded)
		if err != nil {
			return false, err
		}
		durable = durable && confirmed
	}
	return durable, nil
}

// unmarkSuperseded restores the former status of notes that no other note than by supersedes.
func (tx *Tx) unmarkSuperseded(ids []string, by string) error {
	for _, row := range tx.index.NamedRows(ids) {
		others := slices.DeleteFunc(tx.index.Successors(row), func(other index.Row) bool { return other.Name == by })
		if !IsSuperseded(row) || len(others) > 0 {
			continue
		}
		if _, err := tx.setStatus(row.Name, formerStatus(tx.store, row.Name)); err != nil {
			return err
		}
	}
	return nil
}

// setStatus changes the status of a note; one whose front matter is broken is left.
func (tx *Tx) setStatus(name string, status any) (durable bool, err error) {
	data, revision, err := tx.store.Read(name)
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
	saved, err := tx.replaceMarked(name, revision, n.Bytes())
	return saved.Durable, err
}

// replaceMarked changes what Blue itself keeps in a note, its status or links. The text stays that
// of its author.
func (tx *Tx) replaceMarked(name, revision string, data []byte) (store.Saved, error) {
	return tx.replace(name, revision, data, tx.isOwn(name, revision))
}

// Successors are the notes that supersede a note, the newest first.
func (n Catalog) Successors(row index.Row) []index.Row {
	rows := slices.DeleteFunc(n.Keyed(supersedesKey+":"+row.ID), func(by index.Row) bool { return by.Name == row.Name })
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	return rows
}

// SupersededDocuments returns the documents that notes supersede, by path, each with the newest
// such note.
func (n Catalog) SupersededDocuments() map[string]index.Row {
	by := map[string]index.Row{}
	for word := range n.CountKeys(supersedesKey + ":") {
		if path.Ext(word) == "" {
			continue // the id of a note
		}
		for _, row := range n.Keyed(supersedesKey + ":" + word) {
			for _, name := range ExtraOf(row).Supersedes {
				name = path.Clean(name)
				if last, ok := by[name]; supersededWord(name) == word && (!ok || row.Time.After(last.Time)) {
					by[name] = row
				}
			}
		}
	}
	return by
}

// SuccessorName returns the file of the newest note that supersedes a note, "" if none does or it
// is not marked so.
func (n Catalog) SuccessorName(row index.Row) string {
	if !IsSuperseded(row) {
		return ""
	}
	if rows := n.Successors(row); len(rows) > 0 {
		return rows[0].Name
	}
	return ""
}

// Current follows a note to the one that replaces it now, itself if it is in force. It reports
// false if that one is set aside too.
func (n Catalog) Current(row index.Row) (index.Row, bool) {
	for seen := []string{row.Name}; row.Superseded; seen = append(seen, row.Name) {
		next, ok := n.Row(n.SuccessorName(row))
		if !ok || slices.Contains(seen, next.Name) {
			return row, false
		}
		row = next
	}
	return row, true
}

// IsSuperseded reports whether another note replaces one.
func IsSuperseded(row index.Row) bool {
	return row.Superseded && note.IsSuperseded(ExtraOf(row).Status)
}

// NamedRows are the notes of whole ids, as far as they are there.
func (n Catalog) NamedRows(ids []string) (rows []index.Row) {
	for _, id := range ids {
		for _, private := range []bool{false, true} {
			if row, ok := n.Row(note.FileOf(note.BareID(id), private)); ok {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Supersedes reports whether a note supersedes the one of an id, at once or by others.
func (n Catalog) Supersedes(row index.Row, id string) bool {
	return n.supersedes(row, id, map[string]bool{})
}

func (n Catalog) supersedes(row index.Row, id string, seen map[string]bool) bool {
	if seen[row.Name] {
		return false
	}
	seen[row.Name] = true
	return slices.ContainsFunc(n.NamedRows(ExtraOf(row).Supersedes), func(older index.Row) bool {
		return older.ID == id || n.supersedes(older, id, seen)
	})
}

// cannotSupersede says why a note cannot be superseded by another one.
func cannotSupersede(id, reason string) *errors.Error {
	return errors.E(errors.Invalid, "note %s cannot be superseded: %s", errors.Quote(id), reason).
		Hint("", "", "leave it out of supersedes, or name another note")
}
