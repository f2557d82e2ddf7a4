package notebook

import (
	"bytes"
	"context"

	"blue/blue/internal/store"
)

// Intake says, for an import, which documents are notes of the project already and
// under which names the others can become notes. It must not be used by two
// goroutines at a time.
type Intake struct {
	*places
	nb       *Notebook
	unmarked bool // a note was made that supersedes others
}

// Intake begins an import. It refuses when it is not sure that this project is meant.
func (nb *Notebook) Intake(ctx context.Context) (*Intake, error) {
	if err := nb.requireOneProject(); err != nil {
		return nil, err
	}
	if err := nb.refreshWhole(ctx); err != nil {
		return nil, err
	}
	trashed, err := nb.store.Trash()
	return &Intake{nb: nb, places: newPlaces(nb, trashed)}, err
}

// importsOn is the verb of the writes of an import that has made notes which supersede others.
// The notes are marked at its end, together with what a stopped writer has left.
const importsOn = "import on"

// Create writes one note. The lock is held for this one alone, so that others can
// write meanwhile. When the note supersedes others, and the import is stopped before
// [Intake.MarkSuperseded], the next write marks them.
func (k *Intake) Create(ctx context.Context, file string, data []byte, supersedes bool) (durable bool, err error) {
	verb := "import"
	if k.unmarked {
		verb = importsOn
	}
	k.unmarked = k.unmarked || supersedes
	var saved store.Saved
	err = k.nb.update(ctx, verb, func(tx *Tx) (err error) {
		if k.unmarked {
			tx.leaveUnfinished()
		}
		saved, err = tx.held.Create(file, data)
		return err
	})
	if err != nil {
		return false, err
	}
	k.nb.recordWritten(file, saved.Revision, false)
	return saved.Durable, nil
}

// MarkSuperseded marks the notes of those ids as superseded, as far as they are there.
func (k *Intake) MarkSuperseded(ctx context.Context, ids []string) (durable bool, err error) {
	err = k.nb.Update(ctx, importsOn, func(tx *Tx) error {
		durable, err = tx.markSuperseded(ids)
		if err == nil && tx.files != nil && tx.files.AfterStop() {
			err = tx.mend(ctx)
		}
		if err != nil {
			tx.leaveUnfinished()
		}
		return err
	})
	return durable, err
}

// Holds reports whether a file of a note has just these bytes.
func (k *Intake) Holds(file string, data []byte) bool {
	there, _, err := k.nb.store.Read(file)
	return err == nil && bytes.Equal(there, data)
}
