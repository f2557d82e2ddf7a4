package notebook

import (
	"cmp"
	"context"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Reader reads notes from files or a database. It finds a note as it was before a write or as it is
// after.
type Reader interface {
	Files(ctx context.Context) iter.Seq2[store.File, error]
	Texts() Texts
	Read(name string) (data []byte, revision string, err error)
	Revisions(name string) ([]store.Past, error)
	ReadPast(name, revision string) ([]byte, error)
	Journal() ([]store.Change, error) // the newest that are kept, the oldest first
	HistorySize(ctx context.Context) (int64, error)
	Trash() ([]store.Trashed, error)
	TrashedAs(name string) ([]store.Trashed, error)
	ReadTrashed(file string) (data []byte, revision string, err error)
	trash
}

// Texts reads many notes; its methods may be called at the same time.
type Texts interface {
	Read(name string, inode uint64) ([]byte, error)
	Close()
}

// Writer is one write of a project, which takes effect when Commit returns nil. If a method fails
// with [store.ErrAgain], the caller must repeat the whole write.
type Writer interface {
	Create(name string, data []byte) (store.Saved, error)
	Replace(name, revision string, data []byte) (store.Saved, error)
	Remove(name, revision string) (saved store.Saved, trashed string, err error)
	Untrash(name string) (store.Saved, error)
	Confirm(name, trashed string) (durable bool)
	Alone() bool // nobody else writes at the same time; else Commit finds out
	Commit() error
	Unlock() error
}

// backend is where the notes of a notebook lie: [files] or a [database].
type backend interface {
	Reader
	// Committed reads the notes at the same time as the write that is under way, without what
	// it has changed.
	Committed() Reader
	// NewPrivate returns the first private notes that the user has made since the index was
	// brought in line.
	NewPrivate() ([]string, error)
	// begin waits for other writes to end and starts one for a verb.
	begin(ctx context.Context, verb string) (Writer, error)
	// refresh brings the index in line with the notes; with now even where docs/search.md
	// lets a listing of the files be put off.
	refresh(ctx context.Context, now bool) error
	// late reports whether the index learns of a write after it is committed, by refresh.
	late() bool
	// written brings what a write has changed into the index, unless it is late.
	written()
	// trashState changes whenever a note may have come into the trash.
	trashState() index.Stamp
	// whyUnserved says why the note of a word is not served; nil when there is none.
	whyUnserved(word string) error
	// author is who writes in this call.
	author() string
}

const (
	maxWrites = 5                    // tries of a write that meets others
	pauseUnit = 5 * time.Millisecond // from which the pauses between them grow
)

// Retry runs one write, and repeats it when it conflicts with another; begin waits until no other
// write is under way. What do leaves to its caller is valid only when Retry succeeds.
func Retry(ctx context.Context, begin func() (Writer, error), do func(w Writer) error) error {
	for try := 1; ; try++ {
		err := writeOnce(begin, do)
		if !errors.Is(err, store.ErrAgain) {
			return err
		}
		if try == maxWrites {
			return errors.Contended(maxWrites)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(pauseUnit << try)):
		}
	}
}

func writeOnce(begin func() (Writer, error), do func(w Writer) error) error {
	w, err := begin()
	if err != nil {
		return err
	}
	defer w.Unlock()
	err = do(w)
	switch {
	case err == nil:
		return w.Commit()
	case errors.Is(err, errors.NotFound) && !w.Alone(): // what another write has moved, perhaps
		return store.ErrAgain
	}
	return err
}

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
		return nil, errors.Join(errors.E(errors.Busy,
			"another process has just moved the notes, by blue sync --on or --off").
			Hint("", "", "nothing was written; try again"), held.Unlock())
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
	var mu sync.Mutex // notes are read at the same time
	unknown := map[string]string{}
	entry := func(name string, data []byte) (index.Document, error) {
		d, err := indexDocument(name, data)
		if err == nil && nb.trusted && !nb.Found.Notebook && !nb.isHere(name, d.Revision) {
			mu.Lock()
			defer mu.Unlock()
			unknown[name] = d.Revision
		}
		return d, err
	}
	err := index.UntilIntact(func() error {
		touched, all := nb.index.Changes(now, nb.Found.Notes.Dir(), "notes", "private")
		switch {
		case all:
			return f.compareAll(ctx, entry)
		case len(touched) > 0:
			return f.readTouched(touched, entry)
		}
		return nil
	})
	if len(unknown) > 0 {
		nb.recordTyped(unknown)
	}
	return err
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
	return index.MarkRacy(index.Stamp{ModTime: shared, ChangeTime: own}, f.nb.o.Now())
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

// Hosted is a project in a database, as one caller sees it. It has no directory: only its index is
// on the disk of this machine.
type Hosted struct {
	Project marker.Found // as the call named it
	Notes   HostedNotes
	Index   string // the directory of the index, below the cache: projects and subjects that see different notes have different ones
	Subject string // who calls, verified
	Client  string // the program that calls, as it says itself
	Stale   bool   // the database does not answer: the index is taken as it is
}

// HostedNotes reads and writes notes in a database, whose changes are numbered.
type HostedNotes interface {
	Reader
	Last() (m store.Mark, asked time.Time)                                    // the last change that the call must see, and when it asked for that
	Changes(since store.Mark) (changes []HostedChange, known bool, err error) // what has changed since a change, when the database knows that one
	Bodies(names []string) (map[string][]byte, error)                         // the texts of some notes
	Lock(ctx context.Context, verb string) (Writer, error)
	Committed() Reader             // beside the write under way, and without what it has changed
	NewPrivate() ([]string, error) // the private notes that the subject has made, the first ones, since the call began
}

// database is the backend of a project on a server.
type database struct {
	HostedNotes
	nb *Notebook
	h  Hosted
}

// NewHosted returns the notebook of a project in a database, for one call.
func NewHosted(o *Options, hosted Hosted, h *Handles) *Notebook {
	found := hosted.Project
	found.Shelves = marker.Shelves{NoDocuments: true, NoCommits: true}
	nb := &Notebook{Found: found, Call: Call{Client: hosted.Client}, Handles: h, o: o, trusted: true}
	nb.store = database{hosted.Notes, nb, hosted}
	return nb
}

// begin brings an index that is far behind in line while others can still write.
func (d database) begin(ctx context.Context, verb string) (Writer, error) {
	if err := d.nb.refreshWhole(ctx); err != nil {
		return nil, err
	}
	return d.Lock(ctx, verb)
}

func (d database) refresh(ctx context.Context, _ bool) error {
	h := d.nb.Handles
	h.index.Mend(func() { _ = h.derived.compareAll(d) })
	if d.h.Stale {
		asOf, ok := h.derived.inLineSince()
		if !ok {
			return errors.DatabaseAway(errors.New("nothing is known of the project yet"))
		}
		d.nb.asOf = "as of " + asOf.Format("15:04") + ": the database does not answer"
		return nil
	}
	if err := h.build(ctx, d); err != nil {
		return err
	}
	_, err := h.derived.follow(d)
	return err
}

// written does nothing: what is not committed stays out of the index.
func (d database) written() {}

func (d database) late() bool { return true }

func (d database) trashState() index.Stamp { return index.Stamp{ModTime: d.nb.derived.gone.Load()} }

// whyUnserved returns nil: a database serves all that it has.
func (d database) whyUnserved(string) error { return nil }

// author is the subject that the server of the call has verified.
func (d database) author() string { return d.h.Subject }
