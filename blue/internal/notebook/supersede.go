package notebook

import (
	"blue/blue/internal/note"
	"blue/errors"
)

// A note lists in its front matter which notes it supersedes, by their ids, and which documents of the
// project, by their paths. Neither is changed: the index derives what is superseded.

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

// cannotSupersede returns the error that says why a note cannot be superseded.
func cannotSupersede(id, reason string) *errors.Error {
	return errors.E(errors.Invalid, "note %s cannot be superseded: %s", errors.Quote(id), reason).
		Hint("", "", "leave it out of supersedes, or name another note")
}
