package notebook

import (
	"context"

	"blue/blue/internal/store"
	"blue/blue/result"
)

// Tx is one write of a notebook, under its lock. Its methods change notes.
type Tx struct {
	*Notebook
	held  Writer
	files *store.Held // held as a store.Held; nil when the notes are in a database

	alike func() result.Alike // waits for the search for notes like the new one; nil before that
}

// Update makes one write, and repeats it if it conflicts with another. The index is up to date
// when do is called.
func (nb *Notebook) Update(ctx context.Context, verb string, do func(*Tx) error) error {
	return nb.update(ctx, verb, func(tx *Tx) error {
		if err := nb.refreshWhole(ctx); err != nil {
			return err
		}
		return do(tx)
	})
}

// update is [Notebook.Update] for writes that do not use the index.
func (nb *Notebook) update(ctx context.Context, verb string, do func(*Tx) error) error {
	return Retry(ctx, func() (Writer, error) { return nb.store.begin(ctx, verb) }, func(w Writer) error {
		tx := &Tx{Notebook: nb, held: w}
		tx.files, _ = w.(*store.Held)
		return do(tx)
	})
}

// replace changes the bytes of a note and brings the index in line.
func (tx *Tx) replace(name, revision string, data []byte) (store.Saved, error) {
	saved, err := tx.held.Replace(name, revision, data)
	if err == nil && !saved.Unchanged {
		tx.written()
	}
	return saved, err
}

// written brings the index in line after a write, unless the write becomes visible only later.
func (tx *Tx) written() {
	if !tx.store.late() {
		tx.store.written()
	}
}
