package notebook

import (
	"cmp"
	"context"
	"strings"

	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// files is the backend of a project of this machine.
type files struct {
	*store.Store
	nb *Notebook
}

// Texts begins to read.
func (f files) Texts() Texts { return f.Store.Texts() }

// Committed reads the files.
func (f files) Committed() Reader { return f }

// NewPrivate returns nothing: the index has all notes.
func (f files) NewPrivate() ([]string, error) { return nil, nil }

// begin takes the lock, and finishes what a writer that was stopped has left unless an import
// goes on.
func (f files) begin(ctx context.Context, verb string) (Writer, error) {
	held, err := f.lock(ctx)
	if err == nil && held.AfterStop() && verb != importsOn {
		if err := f.nb.tx(held).mend(ctx); err != nil {
			f.nb.o.Log.Warn("notes not looked through after a writer was stopped", "project", f.nb.Found.Root, "err", err)
		}
	}
	return held, err
}

// lock takes the lock of the files for everything that writes. Private and former text must
// not get into git, whoever made the marker.
func (f files) lock(ctx context.Context) (*store.Held, error) {
	held, err := f.Lock(ctx)
	if err != nil {
		return nil, err
	}
	if marker.Again(f.nb.Found).Notes != f.nb.Found.Notes {
		return nil, errors.Join(errors.NotesMoved(), held.Unlock())
	}
	held.By = f.nb.by()
	if err := marker.WriteIgnoreFile(f.nb.Found.Root); err != nil {
		return nil, errors.Join(err, held.Unlock())
	}
	return held, nil
}

func (f files) refresh(ctx context.Context, now bool) error {
	nb := f.nb
	nb.index.Mend(func() {
		ctx, cancel := context.WithTimeout(context.Background(), writePatience)
		defer cancel()
		_ = f.refresh(ctx, true)
	})
	return nb.reading.Run(ctx, func(ctx context.Context) error { return f.follow(ctx, now) })
}

// follow is the work of refresh, which may outlive the call.
func (f files) follow(ctx context.Context, now bool) error {
	nb := f.nb
	var unknown unknownNotes
	notes := f.notes(nb.collectUnknown(&unknown))
	err := follow.UntilIntact(func() error {
		touched, all := nb.index.Changes(now, nb.Found.Notes.Dir(), "notes", "private")
		switch {
		case all:
			return notes.CompareAll(ctx, &nb.reading)
		case len(touched) > 0:
			return notes.ReadTouched(touched)
		}
		return nil
	})
	nb.recordTyped(&unknown)
	return err
}

// notes are the files and the index, which has the documents that entry makes.
func (f files) notes(entry func(string, []byte) (index.Document, error)) follow.Notes {
	return follow.Notes{Store: f.Store, Index: f.nb.index.Index, Now: f.nb.o.Now, Entry: entry, LeaveOut: f.nb.left.LeaveOut}
}

func (f files) written() {
	ctx, cancel := context.WithTimeout(context.Background(), readPatience)
	defer cancel()
	if err := f.refresh(ctx, true); err != nil {
		f.nb.o.Log.Warn("index not brought in line", "project", f.nb.Found.Root, "err", err)
	}
}

func (f files) late() bool { return false }

func (f files) trashState() index.Stamp {
	shared, own := f.TrashTimes()
	return follow.MarkRacy(index.Stamp{ModTime: shared, ChangeTime: own}, f.nb.o.Now())
}

// whyUnserved compares the word with the names of a listing: it never becomes a path.
func (f files) whyUnserved(word string) error {
	for file, err := range f.Files(context.Background()) {
		if err != nil || file.Problem == "" {
			continue
		}
		if stem := strings.TrimSuffix(file.Name, ".md"); stem == word || note.BareID(stem) == word {
			_, _, err := f.Read(file.Name)
			return err
		}
	}
	return nil
}

// author is whom the variable BLUE_AUTHOR names, the client of the call, or the person at the
// terminal.
func (f files) author() string {
	nb := f.nb
	who := cmp.Or(strings.TrimSpace(nb.o.Env("BLUE_AUTHOR")), nb.Call.Client, nb.o.User)
	if who != "" || !nb.Call.Door.Terminal {
		return who
	}
	return nb.gitUser()
}
