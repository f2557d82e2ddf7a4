package notebook

import (
	"context"
	"path/filepath"
	"sync"

	"blue/blue/internal/corpus"
	"blue/blue/internal/deliveries"
	"blue/blue/internal/follow"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/notesync"
	"blue/blue/internal/store"
	"blue/blue/internal/trust"
	"blue/errors"
	"blue/marker"
)

// Handles are what is open of one project, shared by the calls of the process.
type Handles struct {
	index   Catalog
	removed Catalog // the newest notes in the trash
	ledger  *trust.Ledger
	told    deliveries.Ledger // of what agents were told; empty when the notes are in a database

	files   *store.Store    // nil when the notes are in a database
	derived *follow.Derived // nil when they are files
	gitUser func() string   // whom git has as its user here

	reading follow.Reading // of the notes
	end     context.CancelFunc

	stamp  stamp
	facets facetCache

	corpus corpus.Indexes
}

// OpenFiles opens the handles of a project of this machine.
func OpenFiles(o *Options, found marker.Found) (*Handles, error) {
	if found.Notebook && !found.Fetched { // of a fresh clone
		if err := marker.MakeNotebook(found.Notes); err != nil {
			return nil, err
		}
	}
	s, err := store.Open(found.Notes.Root, found.Notes.Below)
	if err != nil {
		return nil, err
	}
	if found.Notebook {
		s.BackupDir = o.BackupDir(found.Notes)
		if found.Fetched && notesync.RecordNotebook(found, s.BackupDir) != nil {
			s.BackupDir = ""
		}
	}
	ctx, end := context.WithCancel(context.Background())
	place := rootKey(found.ID, marker.Home(found.Root)) // a copy elsewhere has other ledgers
	h := &Handles{files: s, ledger: trust.OpenLedger(o.Directory("state"), place), told: deliveries.Open(o.Directory("state"), place), reading: follow.Reading{Process: ctx}, end: end}
	h.openIndexes(o.IndexDir(found.ID, found.Root))
	h.gitUser = sync.OnceValue(func() string { return git.User(ctx, found.Root) })
	return h, nil
}

// OpenDatabase opens the handles of a project in a database, whose index is kept in a directory.
func OpenDatabase(dir string) *Handles {
	h := &Handles{ledger: trust.Everything(), end: func() {}}
	h.openIndexes(dir)
	h.derived = &follow.Derived{Index: h.index.Index, Entry: indexDocument}
	return h
}

// openIndexes opens those of the notes and of the trash.
func (h *Handles) openIndexes(dir string) {
	h.index, h.removed = Catalog{index.Open(dir)}, Catalog{index.Open(filepath.Join(dir, "trash"))}
}

// Same reports whether the handles still lead to the directory that they were opened for.
func (h *Handles) Same() bool { return h.files.Same() }

// Version changes whenever the index does.
func (h *Handles) Version() uint64 { return h.index.Version() }

// Underway says what is being read, and how far that is; what is empty when nothing is.
func (h *Handles) Underway() (what string, done, total int) {
	if done, total, ok := h.reading.Progress(); ok {
		return "notes", done, total
	}
	return h.corpus.Underway()
}

// Close gives up what is open.
func (h *Handles) Close() error {
	h.end()
	if h.files == nil {
		return h.closeIndexes()
	}
	h.reading.Wait()
	h.corpus.Close()
	return errors.Join(h.closeIndexes(), h.files.Close())
}

func (h *Handles) closeIndexes() error { return errors.Join(h.index.Close(), h.removed.Close()) }
