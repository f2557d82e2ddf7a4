package blue

import (
	"bytes"
	"context"

	"blue/blue/internal/catalog"
	"blue/blue/internal/note"
	"blue/blue/internal/storage"
	"blue/blue/internal/store"
)

// Intake says, for an import, which documents are notes of the project already and
// under which names the others can become notes. It must not be used by two
// goroutines at a time.
type Intake struct {
	*catalog.Places
	p        *Project
	unmarked bool // a note was made that supersedes others
}

// Incoming is a document that is to become a note.
type Incoming = catalog.Incoming

// Settled is where the note of a document stands or will stand.
type Settled = catalog.Settled

// Intake begins an import. It refuses when it is not sure that this project is meant.
func (p *Project) Intake(ctx context.Context) (*Intake, error) {
	if err := p.requireOneProject(); err != nil {
		return nil, err
	}
	if err := p.refreshWhole(ctx); err != nil {
		return nil, err
	}
	trashed, err := p.store.Trash()
	beganAs := func(name string, n note.Text) bool {
		_, _, ok := storage.WasMadeOf(p.store, name, n)
		return ok
	}
	readTrashed := func(file string) ([]byte, error) {
		data, _, err := p.store.ReadTrashed(file)
		return data, err
	}
	return &Intake{p: p, Places: p.index.NewPlaces(p.found.ID, trashed, readTrashed, beganAs)}, err
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
	err = k.p.write(ctx, verb, func(w Writer) (err error) {
		if held, ok := w.(*store.Held); ok && k.unmarked {
			held.LeaveUnfinished()
		}
		saved, err = w.Create(file, data)
		return err
	})
	if err != nil {
		return false, err
	}
	k.p.recordWritten(file, saved.Revision, false)
	return saved.Durable, nil
}

// MarkSuperseded marks the notes of those ids as superseded, as far as they are there.
func (k *Intake) MarkSuperseded(ctx context.Context, ids []string) (durable bool, err error) {
	err = k.p.write(ctx, importsOn, func(w Writer) error {
		if err := k.p.refreshWhole(ctx); err != nil {
			return err
		}
		held, ok := w.(*store.Held)
		durable, err = k.p.steps(w).MarkSuperseded(ids)
		if err == nil && ok && held.AfterStop() {
			err = k.p.mend(ctx, held)
		}
		if err != nil && ok {
			held.LeaveUnfinished()
		}
		return err
	})
	return durable, err
}

// Holds reports whether a file of a note has just these bytes.
func (k *Intake) Holds(file string, data []byte) bool {
	there, _, err := k.p.store.Read(file)
	return err == nil && bytes.Equal(there, data)
}
