package notebook

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// files is the backend of a project on this machine.
type files struct {
	*store.Store
	nb *Notebook
}

// Texts returns a reader of many notes.
func (f files) Texts() Texts { return f.Store.Texts() }

// Committed returns f itself, which reads the files.
func (f files) Committed() Reader { return f }

// NewPrivate returns nothing: the index has all notes.
func (f files) NewPrivate() ([]string, error) { return nil, nil }

// RecordPrivate does nothing: the files have one reader.
func (f files) RecordPrivate(string) error { return nil }

func (f files) begin(ctx context.Context, _ string) (Writer, error) { return f.lock(ctx) }

// lock locks the files for everything that writes. It also writes the ignore file, whichever
// program made the marker, because private and former text must not get into git.
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

// follow does the work of refresh, which may outlive the call.
func (f files) follow(ctx context.Context, now bool) error {
	return index.UntilIntact(func() error {
		touched, all := f.nb.index.Changes(now, f.nb.Found.Notes.Dir(), "notes", "private")
		switch {
		case all:
			return f.compareAll(ctx, func() {})
		case len(touched) > 0:
			return f.readTouched(touched)
		}
		return nil
	})
}

func (f files) written() {
	ctx, cancel := context.WithTimeout(context.Background(), readPatience)
	defer cancel()
	if err := f.refresh(ctx, true); err != nil {
		f.nb.o.Log.Warn("index not brought in line", "project", f.nb.Found.Root, "err", err)
	}
}

func (f files) late() bool { return false }

// whyUnserved compares the word with the names in a listing. The word never becomes a path.
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

// author returns the value of the variable BLUE_AUTHOR, the client of the call, or the person at
// the terminal: the user that git has configured, else that of the system.
func (f files) author() string {
	nb := f.nb
	who := cmp.Or(strings.TrimSpace(nb.o.Env("BLUE_AUTHOR")), nb.Call.Client)
	if who != "" {
		return who
	}
	return cmp.Or(nb.gitUser(), nb.o.User)
}

// noteLoader reads files for an update of the index.
type noteLoader struct {
	files
	update *index.Update
	texts  *store.Texts
	loaded func() // called for each note that was read; calls may overlap
}

// compareAll compares the index with every file, as a run of the reading. A file that cannot be
// read does not prevent the others from being seen.
func (f files) compareAll(ctx context.Context, loaded func()) error {
	texts := f.Store.Texts()
	defer texts.Close()
	return f.nb.reading.InSteps(ctx, f.nb.index.Index, func(s *index.Step) error {
		l := noteLoader{f, s.Update, texts, loaded}
		for file, err := range f.Files(ctx) {
			if err != nil {
				if !f.nb.left.LeaveOut(file.Name, err) {
					return err
				}
				s.Doubt()
				continue
			}
			if file.Problem != "" {
				continue
			}
			s.Files++
			switch stamp := stampOf(file); {
			case s.Same(file.Name, stamp):
			case s.Takes(file.Size):
				l.load(file.Name, stamp)
			default:
				s.Keep(file.Name)
			}
		}
		return nil
	})
}

// stampOf returns the stamp of a listed file.
func stampOf(file store.File) index.Stamp {
	return index.Stamp{Size: file.Size, ModTime: file.ModTime.UnixNano(), ChangeTime: file.ChangeTime.UnixNano(), Inode: file.Inode}
}

// readTouched brings the files that were touched into the index.
func (f files) readTouched(touched []index.Touched) error {
	texts := f.Store.Texts()
	defer texts.Close()
	u := f.nb.index.Update(false)
	defer u.Cancel()
	l := noteLoader{f, u, texts, func() {}}
	for _, t := range touched {
		if t.Gone {
			u.Drop(t.Name)
			continue
		}
		l.load(t.Name, t.Stamp)
	}
	return u.Commit()
}

func (l noteLoader) load(name string, stamp index.Stamp) {
	l.update.Load(name, stamp.Size, func() (index.Document, bool, error) { return l.read(name, stamp) })
}

// read reads a file for the index. It returns false if the file has gone away, is no longer a
// note, or cannot be read; the next listing says why.
func (l noteLoader) read(name string, stamp index.Stamp) (index.Document, bool, error) {
	stamp = index.MarkRacy(stamp, l.nb.o.Now())
	data, err := l.texts.Read(name, stamp.Inode)
	switch {
	case errors.Is(err, errors.NotFound), errors.Is(err, errors.Invalid), errors.Is(err, errors.TooLarge):
		return index.Document{}, false, nil
	case err != nil && l.nb.left.LeaveOut(name, err):
		l.update.Doubt()
		return index.Document{}, false, nil
	case err != nil:
		return index.Document{}, false, err
	}
	d, err := indexDocument(name, data, stamp)
	l.loaded()
	return d, err == nil, err
}

// Reindex rebuilds the search index from the files. If tell is non-nil, it is called with the
// progress.
func (nb *Notebook) Reindex(ctx context.Context, tell func(done, total int)) (r result.Reindexed, err error) {
	defer nb.NameProject(&err)
	began := time.Now()
	total := 0
	for file, err := range nb.store.Files(ctx) {
		if err != nil && !nb.left.LeaveOut(file.Name, err) {
			return r, err
		}
		if err == nil && file.Problem == "" {
			total++
		}
	}
	var mu sync.Mutex // notes are read concurrently
	done := 0
	loaded := func() {
		mu.Lock()
		defer mu.Unlock()
		if done++; tell != nil {
			tell(done, total)
		}
	}
	if err := nb.explainWait(ctx, nb.reading.Run(ctx, func(ctx context.Context) error {
		nb.index.Discard()
		return files{nb.files, nb}.compareAll(ctx, loaded)
	})); err != nil {
		return r, err
	}
	return result.Reindexed{About: nb.About(), Notes: nb.index.Len(), Seconds: time.Since(began).Seconds(), Index: nb.index.State()}, nil
}

// ReindexCode builds the index of the code anew.
func (nb *Notebook) ReindexCode(ctx context.Context) result.Reindexed {
	began := time.Now()
	shelf := nb.shelves().ReadCode(ctx)
	return result.Reindexed{About: nb.About(), Code: shelf, Seconds: time.Since(began).Seconds(), Index: shelf.State}
}

// New returns the notebook of a project of this machine.
func New(o *Options, found marker.Found, h *Handles, c Call, trusted bool) *Notebook {
	nb := &Notebook{Found: found, Call: c, Handles: h, o: o, trusted: trusted}
	nb.store = files{h.files, nb}
	return nb
}
