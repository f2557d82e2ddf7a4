package follow

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/errors"
)

// Numbered is a store whose changes are numbered, a database.
type Numbered interface {
	Files(ctx context.Context) iter.Seq2[store.File, error]
	Last() (m store.Mark, asked time.Time)                              // the last change that the call must see, and when it asked for that
	Changes(since store.Mark) (changes []Change, known bool, err error) // what has changed since a change, when the store knows that one
	Bodies(names []string) (map[string][]byte, error)                   // the texts of some notes
}

// Change is a note that has come, changed or gone.
type Change struct {
	store.File
	Gone bool
	Text []byte // nil when it has to be asked for
}

// Derived is an index that is derived from a store up to a change. It is safe for concurrent
// use.
type Derived struct {
	Index *index.Index
	Entry func(name string, data []byte) (index.Document, error) // the document that a note is
	gone  atomic.Int64

	mu    sync.Mutex // one that brings the index in line at a time
	last  store.Mark
	whole bool      // whether it was compared with all notes in this process
	asOf  time.Time // when the call had asked that brought it in line
}

// Gone changes when a note may have been removed.
func (d *Derived) Gone() int64 { return d.gone.Load() }

// AsOf is when the index was last known to be in line; false when it never was in this
// process.
func (d *Derived) AsOf() (at time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asOf, d.whole
}

// Follow brings the index in line with the store: by what has changed since its last change,
// or by a comparison with all notes when that is not known. A store that has lost changes
// has not had the last change of the index, though it may have had others of the same number
// and beyond. It reports whether the index has changed.
//
// Follow asks for changes without the lock: a writer that waits for the lock may hold the only
// connection to the database.
func (d *Derived) Follow(notes Numbered) (changed bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	last, asked := notes.Last()
	var fetched struct {
		since   store.Mark
		changes []Change
		known   bool
		done    bool
	}
	for {
		switch {
		case d.whole && last == d.last:
			d.enter(last, asked)
			return false, nil
		case d.whole && last.Seq <= d.last.Seq && !asked.After(d.asOf): // a later call has brought it further
			return false, nil
		}
		if !d.whole || last.Seq <= d.last.Seq || fetched.done && fetched.since == d.last {
			break
		}
		fetched.since, fetched.done = d.last, true
		d.mu.Unlock()
		fetched.changes, fetched.known, err = notes.Changes(fetched.since)
		d.mu.Lock()
		if err != nil {
			return false, err
		}
	}
	err = index.ErrDamaged // of an index that is not known to be whole
	if fetched.known && fetched.since == d.last {
		err = d.take(notes, fetched.changes)
	}
	if errors.Is(err, index.ErrDamaged) {
		if err = d.compare(notes); err == nil {
			d.Index.Save()
		}
	}
	if err != nil {
		return false, err
	}
	d.enter(last, asked)
	return true, nil
}

// enter records that the index is in line with a change.
func (d *Derived) enter(last store.Mark, asked time.Time) {
	d.whole, d.last = true, last
	if asked.After(d.asOf) {
		d.asOf = asked
	}
}

// Compare compares the index with all notes.
func (d *Derived) Compare(notes Numbered) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compare(notes)
}

func (d *Derived) compare(notes Numbered) error {
	d.gone.Store(time.Now().UnixNano())
	return UntilIntact(func() error {
		u := d.Index.Update(true)
		defer u.Cancel()
		var files []store.File
		for file, err := range notes.Files(context.Background()) {
			if err != nil {
				return err
			}
			if !u.Same(file.Name, StampOf(file)) {
				files = append(files, file)
			}
		}
		if err := d.loadAll(u, notes, files); err != nil {
			return err
		}
		return u.Commit()
	})
}

// take brings some notes into the index.
func (d *Derived) take(notes Numbered, changes []Change) error {
	u := d.Index.Update(false)
	defer u.Cancel()
	var files []store.File
	for _, c := range changes {
		switch {
		case c.Gone:
			u.Drop(c.Name)
			d.gone.Store(time.Now().UnixNano())
		case c.Text != nil:
			d.load(u, c.File, c.Text)
		default:
			files = append(files, c.File)
		}
	}
	if err := d.loadAll(u, notes, files); err != nil {
		return err
	}
	return u.Commit()
}

// bodiesAtOnce is how many texts are asked for together.
const bodiesAtOnce = 200

// loadAll loads texts in batches, so that a large project takes few round trips and a
// bounded part of the memory.
func (d *Derived) loadAll(u *index.Update, notes Numbered, files []store.File) error {
	for some := range slices.Chunk(files, bodiesAtOnce) {
		names := make([]string, len(some))
		for i, file := range some {
			names[i] = file.Name
		}
		texts, err := notes.Bodies(names)
		if err != nil {
			return err
		}
		for _, file := range some {
			text, there := texts[file.Name]
			if !there {
				u.Drop(file.Name) // gone since the listing
				continue
			}
			d.load(u, file, text)
		}
	}
	return nil
}

// load puts one text into the index.
func (d *Derived) load(u *index.Update, file store.File, text []byte) {
	u.Load(file.Name, file.Size, func() (index.Document, bool, error) {
		doc, err := d.Entry(file.Name, text)
		doc.Stamp = StampOf(file)
		if doc.Time.IsZero() {
			doc.Time = file.ModTime.UTC()
		}
		return doc, err == nil, err
	})
}
