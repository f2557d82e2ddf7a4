package notebook

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"blue/blue/internal/corpus"
	"blue/blue/internal/deliveries"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/notesync"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Handles are the open resources of one project, shared by the calls of the process.
type Handles struct {
	index Catalog
	told  deliveries.Ledger // what agents were told; empty when the notes are in a database

	files   *store.Store  // nil when the notes are in a database
	derived *derivedIndex // nil when the notes are files
	builds  *Builds       // nil when the notes are files
	gitUser func() string // the user that git has configured here

	reading index.Reading // of the notes
	end     context.CancelFunc

	stamp  versioned[string]
	facets versioned[result.Facets]

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
	place := rootKey(found.ID, marker.Home(found.Root)) // a copy elsewhere has another ledger
	h := &Handles{files: s, told: deliveries.Open(o.Directory("state"), place), reading: index.Reading{Process: ctx}, end: end}
	h.index = Catalog{index.Open(o.IndexDir(found.ID, found.Root))}
	h.gitUser = sync.OnceValue(func() string { return git.User(ctx, found.Root, o.Home, o.gitSettings()) })
	return h, nil
}

// OpenDatabase opens the handles of a project in a database, whose index is kept in a directory.
func OpenDatabase(dir string, builds *Builds) *Handles {
	h := &Handles{builds: builds, reading: index.Reading{Process: context.Background()}, end: func() {}}
	h.index = Catalog{index.Open(dir)}
	h.derived = &derivedIndex{Index: h.index.Index}
	return h
}

// Same reports whether the handles still lead to the directory that they were opened for.
func (h *Handles) Same() bool { return h.files.Same() }

// Version changes whenever the index does.
func (h *Handles) Version() uint64 { return h.index.Version() }

// Underway returns what is being read and how far it is; what is empty if nothing is.
func (h *Handles) Underway() (what string, done, total int) {
	if done, total, ok := h.reading.Progress(); ok {
		return "notes", done, total
	}
	return h.corpus.Underway()
}

// Close releases what is open.
func (h *Handles) Close() error {
	h.end()
	if h.files == nil { // calls that still use it continue
		return h.index.Close()
	}
	h.reading.Wait()
	h.corpus.Close()
	return errors.Join(h.index.Close(), h.files.Close())
}

// How long a call waits for notes that are being read if a client waits for the call. Most
// clients allow a call 30 s.
const (
	readPatience  = 5 * time.Second
	writePatience = 20 * time.Second // of a call that needs all notes
	buildPatience = 25 * time.Second // on a server, which answers only from a whole index
)

// refresh brings the index in line with the files, so that a call sees every change made before it.
// If that takes long and a client waits, the call goes on with what has been read, and its reply
// says so.
func (nb *Notebook) refresh(ctx context.Context) error {
	err := nb.refreshFor(ctx, readPatience)
	if nb.behind = ""; err == index.ErrGoesOn && nb.isServed() && nb.derived == nil && ctx.Err() == nil {
		nb.behind = nb.describeReading()
		return nil
	}
	return nb.explainWait(ctx, err)
}

// refreshWhole is [Notebook.refresh] for a call that needs all notes. It fails if they are not
// read in time.
func (nb *Notebook) refreshWhole(ctx context.Context) error {
	return nb.explainWait(ctx, nb.refreshFor(ctx, writePatience))
}

func (nb *Notebook) refreshFor(ctx context.Context, patience time.Duration) error {
	if nb.derived != nil {
		patience = buildPatience
	}
	if nb.isServed() || nb.derived != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return nb.store.refresh(ctx, false)
}

func (nb *Notebook) describeReading() string {
	if nb.derived != nil && nb.reading.Total.Load() == 0 {
		return fmt.Sprintf("waiting for the index of the project to be built (in the queue: %d)", nb.builds.Waiting.Load())
	}
	return result.DescribeReading("notes", nb.reading.Done.Load(), nb.reading.Total.Load())
}

// explainWait returns the error of a call that has stopped waiting for the notes.
func (nb *Notebook) explainWait(ctx context.Context, err error) error {
	switch {
	case err != index.ErrGoesOn:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.StillReading(nb.describeReading())
}

// isServed reports whether the process continues after it has answered the call.
func (nb *Notebook) isServed() bool { return nb.Call.Client != "" || nb.Call.Serving }

// versioned caches a value that is computed from one version of the index.
type versioned[T any] struct {
	mu      sync.Mutex
	version uint64
	value   *T
}

// at returns the value for a version. It computes the value if none is cached for that version.
func (v *versioned[T]) at(version uint64, make func() T) T {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.value == nil || v.version != version {
		value := make()
		v.version, v.value = version, &value
	}
	return *v.value
}

// Stamp identifies the state of the notes: it changes whenever a note or the project does.
func (nb *Notebook) Stamp(ctx context.Context) (text string, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return "", err
	}
	return nb.stamp.at(nb.index.Version(), func() string {
		return fmt.Sprintf("%016x", index.Digest(nb.Found.Root, maps.All(nb.index.Stamps())))
	}), nil
}
