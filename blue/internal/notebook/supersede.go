package notebook

import (
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/errors"
)

// A note lists in its front matter which notes it supersedes, and each of those has the status
// superseded. Both files are changed under one lock, in an order in which a writer that is
// stopped in between can leave only one inconsistent state: a note supersedes another one that
// is not marked as superseded. The next writer marks it. A document of the project is named by
// its path and is not changed.

// findSuperseded returns the whole ids and paths of what a note will supersede. name is the
// file of the note, or only the directory of a new one.
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

// unmarkSuperseded restores the former status of notes that only the note by supersedes.
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

// setStatus changes the status of a note. It does not change a note with broken front matter.
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
	saved, err := tx.replace(name, revision, n.Bytes())
	return saved.Durable, err
}

// cannotSupersede returns the error that says why a note cannot be superseded.
func cannotSupersede(id, reason string) *errors.Error {
	return errors.E(errors.Invalid, "note %s cannot be superseded: %s", errors.Quote(id), reason).
		Hint("", "", "leave it out of supersedes, or name another note")
}

// formerStatus returns the status of a note before it was superseded, or nil if it had none.
func formerStatus(from Reader, name string) any {
	for _, n := range pastTexts(from, name) {
		switch {
		case n.Problem != "" || note.IsSuperseded(n.Status):
		case !n.HasKey("status"):
			return nil
		default:
			return n.Status
		}
	}
	return note.Active
}
