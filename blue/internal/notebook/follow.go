package notebook

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/errors"
)

// HostedChange is a note in a database that has come, changed or gone.
type HostedChange struct {
	store.File
	Gone bool
	Text []byte // nil when it has to be asked for
}

// derivedIndex is an index of notes in a database, up to a change of these. It is safe for
// concurrent use.
type derivedIndex struct {
	*index.Index
	gone atomic.Int64 // changes when a note may have been removed

	mu    sync.Mutex // one that brings the index in line at a time
	last  store.Mark
	whole bool      // whether it was compared with all notes in this process
	asOf  time.Time // when the call had asked that brought it in line
}

// Builds queues the builds of a process's indexes. A few are under way at once, which bounds
// the memory that they take, and fewer work: these take turns, so that a large project delays a
// small one by little, and the calls of other projects hardly at all.
type Builds struct {
	Took             func(time.Duration) // called for each build that has ended; may be nil
	Waiting, Running atomic.Int64

	begun, working chan struct{}
}

const buildsAtOnce = 8

// NewBuilds returns an empty queue.
func NewBuilds() *Builds {
	return &Builds{
		begun: make(chan struct{}, buildsAtOnce), working: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
}

// run makes one build when its turn has come. The build calls next to let others work. Those who
// wait get their turns in the order in which they came.
func (b *Builds) run(build func(next func()) error) error {
	b.Waiting.Add(1)
	b.begun <- struct{}{}
	b.Waiting.Add(-1)
	defer func() { <-b.begun }()
	b.Running.Add(1)
	defer b.Running.Add(-1)
	began := time.Now()
	b.working <- struct{}{}
	defer func() { <-b.working }()
	err := build(func() {
		<-b.working
		b.working <- struct{}{}
	})
	if b.Took != nil && err == nil {
		b.Took(time.Since(began))
	}
	return err
}

// Place is what a call holds among those that a server runs at once.
type Place interface {
	Leave()
	Enter(ctx context.Context) error
}

type placeKey struct{}

// WithPlace returns the context of a call that gives up its place while it waits for an index.
func WithPlace(ctx context.Context, p Place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}

// build waits until the index has been compared with all notes in this process. The build
// belongs to the process, and goes on when the call waits no longer.
func (h *Handles) build(ctx context.Context, notes HostedNotes) (err error) {
	if _, built := h.derived.inLineSince(); built {
		return nil
	}
	if p, ok := ctx.Value(placeKey{}).(Place); ok {
		p.Leave()
		defer func() { err = cmp.Or(err, p.Enter(ctx)) }()
	}
	h.reading.Lock()
	defer h.reading.Unlock()
	for {
		if _, built := h.derived.inLineSince(); built {
			return nil
		}
		if !h.reading.Runs() {
			h.reading.Begin(func(context.Context) error {
				return h.builds.run(func(next func()) error { return h.buildNow(notes, next) })
			})
		}
		if err := h.reading.Await(ctx, nil); err != nil {
			return err
		}
	}
}

func (h *Handles) buildNow(notes HostedNotes, next func()) error {
	last, asked := notes.Last()
	if err := h.derived.compare(notes, &h.reading, next); err != nil {
		return err
	}
	h.derived.Save()
	h.derived.mu.Lock()
	defer h.derived.mu.Unlock()
	h.derived.enter(last, asked)
	return nil
}

// inLineSince returns when the index was last known to be in line; false when it never was in this
// process.
func (d *derivedIndex) inLineSince() (at time.Time, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.asOf, d.whole
}

// follow brings the index in line with the database: by what has changed since its last change,
// or by a comparison with all notes when that is not known. A database that has lost changes
// has not had the last change of the index, though it may have had others of the same number
// and beyond. It reports whether the index has changed.
//
// It asks for changes without the lock: a writer that waits for the lock may hold the only
// connection to the database.
func (d *derivedIndex) follow(notes HostedNotes) (changed bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	last, asked := notes.Last()
	var fetched struct {
		since   store.Mark
		changes []HostedChange
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
		if err = d.compare(notes, new(index.Reading), noTurns); err == nil {
			d.Save()
		}
	}
	if err != nil {
		return false, err
	}
	d.enter(last, asked)
	return true, nil
}

// enter records that the index is in line with a change.
func (d *derivedIndex) enter(last store.Mark, asked time.Time) {
	d.whole, d.last = true, last
	if asked.After(d.asOf) {
		d.asOf = asked
	}
}

// compareAll compares the index with all notes.
func (d *derivedIndex) compareAll(notes HostedNotes) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.compare(notes, new(index.Reading), noTurns)
}

// noTurns is for an update that lets no other work in between.
func noTurns() {}

// compare brings the index in line with all notes, and tells the reading how far it is. It calls
// next after each batch of texts.
func (d *derivedIndex) compare(notes HostedNotes, r *index.Reading, next func()) error {
	d.gone.Store(time.Now().UnixNano())
	return index.UntilIntact(func() error {
		u := d.Update(true)
		defer u.Cancel()
		var files []store.File
		for file, err := range notes.Files(context.Background()) {
			if err != nil {
				return err
			}
			if !u.Same(file.Name, stampOf(file)) {
				files = append(files, file)
			}
		}
		r.Total.Store(int64(len(files)))
		for some := range slices.Chunk(files, bodiesAtOnce) {
			if err := d.loadAll(u, notes, some); err != nil {
				return err
			}
			r.Done.Add(int64(len(some)))
			next()
		}
		return u.Commit()
	})
}

// take brings some notes into the index.
func (d *derivedIndex) take(notes HostedNotes, changes []HostedChange) error {
	u := d.Update(false)
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
func (d *derivedIndex) loadAll(u *index.Update, notes HostedNotes, files []store.File) error {
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
func (d *derivedIndex) load(u *index.Update, file store.File, text []byte) {
	u.Load(file.Name, file.Size, func() (index.Document, bool, error) {
		doc, err := indexDocument(file.Name, text)
		doc.Stamp = stampOf(file)
		if doc.Time.IsZero() {
			doc.Time = file.ModTime.UTC()
		}
		return doc, err == nil, err
	})
}

// noteLoader reads files for an update of the index.
type noteLoader struct {
	files
	update *index.Update
	texts  *store.Texts
	entry  func(name string, data []byte) (index.Document, error) // [indexDocument], and more
}

// compareAll looks at every file, as a run of the reading. A file that cannot be read keeps no
// other from being seen.
func (f files) compareAll(ctx context.Context, entry func(string, []byte) (index.Document, error)) error {
	texts := f.Store.Texts()
	defer texts.Close()
	return f.nb.reading.InSteps(ctx, f.nb.index.Index, func(s *index.Step) error {
		l := noteLoader{f, s.Update, texts, entry}
		for file, err := range f.Files(ctx) {
			if err != nil {
				if !f.nb.left.LeaveOut(file.Name, err) {
					return err
				}
				s.Doubt()
				continue
			}
			if file.Problem == "" {
				s.Files++
				l.compare(s, file)
			}
		}
		return nil
	})
}

// compare brings one file into a step.
func (l noteLoader) compare(s *index.Step, file store.File) {
	stamp := stampOf(file)
	switch {
	case s.Same(file.Name, stamp):
	case s.Takes(file.Size):
		l.load(file.Name, stamp)
	default:
		s.Keep(file.Name)
	}
}

// stampOf is the stamp of a listed file.
func stampOf(file store.File) index.Stamp {
	return index.Stamp{Size: file.Size, ModTime: file.ModTime.UnixNano(), ChangeTime: file.ChangeTime.UnixNano(), Inode: file.Inode}
}

// readTouched looks at the files that were touched.
func (f files) readTouched(touched []index.Touched, entry func(string, []byte) (index.Document, error)) error {
	texts := f.Store.Texts()
	defer texts.Close()
	u := f.nb.index.Update(false)
	defer u.Cancel()
	l := noteLoader{f, u, texts, entry}
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

// read reads a file for the index; false when it went away meanwhile, is no note any more, or
// cannot be read: the next listing says why.
func (l noteLoader) read(name string, stamp index.Stamp) (index.Document, bool, error) {
	stamp = index.MarkRacy(stamp, l.nb.o.Now())
	data, err := l.texts.Read(name, stamp.Inode)
	if errors.Is(err, errors.NotFound) || errors.Is(err, errors.Invalid) || errors.Is(err, errors.TooLarge) {
		return index.Document{}, false, nil
	}
	if err != nil && l.nb.left.LeaveOut(name, err) {
		l.update.Doubt()
		return index.Document{}, false, nil
	}
	if err != nil {
		return index.Document{}, false, err
	}
	d, err := l.entry(name, data)
	d.Stamp = stamp
	if d.Time.IsZero() {
		d.Time = time.Unix(0, stamp.ModTime).UTC()
	}
	return d, err == nil, err
}

// trash is where the notes lie that were removed.
type trash interface {
	Removed(most int) ([]store.Trashed, error)              // the newest first
	RemovedTexts(files []string) (map[string][]byte, error) // by file; one that is gone is missing
}

const (
	removedMost = 500       // notes in the index of a trash
	removedMany = 100       // of so many the next process is to find that nothing has changed
	listed      = "#listed" // the entry whose stamp stands for the whole trash
)

// followRemoved brings an index in line with the newest notes in the trash, each under the name of
// its file there, superseded, and of the time when it was removed. While the state of the
// trash is the same, nothing is listed.
func followRemoved(x *index.Index, from trash, state index.Stamp) error {
	row, known := x.Row(listed)
	if !known && state == (index.Stamp{}) || known && row.Stamp == state && !state.Racy {
		return nil
	}
	return index.UntilIntact(func() error {
		u := x.Update(true)
		defer u.Cancel()
		removed, err := from.Removed(removedMost)
		if err != nil {
			return err
		}
		seen, many := map[string]bool{}, len(removed) >= removedMany
		removed = slices.DeleteFunc(removed, func(t store.Trashed) bool {
			older := seen[t.Name]
			seen[t.Name] = true
			return older
		})
		slices.SortFunc(removed, func(a, b store.Trashed) int { return cmp.Compare(a.File, b.File) }) // as Same likes it
		removed = slices.DeleteFunc(removed, func(t store.Trashed) bool { return u.Same(t.File, stampRemoved(t)) })
		for some := range slices.Chunk(removed, bodiesAtOnce) {
			if err := loadRemoved(u, from, some); err != nil {
				return err
			}
		}
		u.Load(listed, 0, func() (index.Document, bool, error) {
			return index.Document{Row: index.Row{Name: listed, Type: listed, Stamp: state}}, true, nil
		})
		if err = u.Commit(); err == nil && many && !state.Racy {
			x.Save()
		}
		return err
	})
}

func stampRemoved(t store.Trashed) index.Stamp {
	return index.Stamp{Size: t.Size, ModTime: t.Time.UnixNano()}
}

func loadRemoved(u *index.Update, from trash, some []store.Trashed) error {
	files := make([]string, len(some))
	for i, t := range some {
		files[i] = t.File
	}
	texts, err := from.RemovedTexts(files)
	if err != nil {
		return err
	}
	for _, t := range some {
		text, there := texts[t.File]
		if !there {
			continue
		}
		u.Load(t.File, t.Size, func() (index.Document, bool, error) {
			d, err := removedDocument(t, text)
			return d, err == nil, err
		})
	}
	return nil
}

// removedDocument is the document that a removed note is to the index of the trash.
func removedDocument(t store.Trashed, text []byte) (index.Document, error) {
	d, err := indexDocument(t.Name, text)
	d.Name, d.Stamp, d.Superseded, d.Time = t.File, stampRemoved(t), true, t.Time.UTC()
	return d, err
}
