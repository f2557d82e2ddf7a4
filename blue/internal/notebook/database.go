package notebook

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Hosted is a project in a database as one caller sees it. It has no directory; only its index
// is on the disk of this machine.
type Hosted struct {
	Project marker.Found // as the call named it
	Notes   HostedNotes
	Index   string // directory of the project's indexes, in the cache
	Erased  int64  // when notes were last erased; an index made before that is removed
	View    string // names the index of the project: subjects that see different notes have different ones
	Subject string // verified subject of the caller
	Client  string // program that calls, as it names itself
}

// HostedNotes reads and writes notes in a database, whose changes are numbered.
type HostedNotes interface {
	Reader
	Last() (m store.Mark, asked time.Time)                                    // the last change that the call must see, and when it asked for that
	Changes(since store.Mark) (changes []HostedChange, known bool, err error) // what has changed since a change; known: the database has that one
	Bodies(names []string) (map[string][]byte, error)                         // the texts of some notes
	Lock(ctx context.Context, verb string) (Writer, error)
	Committed() Reader               // reads during the write in progress, without its changes
	NewPrivate() ([]string, error)   // the private notes of the subject if it had none when the call began
	RecordPrivate(verb string) error // records in the audit that the subject reads private notes
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

// begin first brings an index that is far behind in line, while others can still write.
func (d database) begin(ctx context.Context, verb string) (Writer, error) {
	if err := d.nb.refreshWhole(ctx); err != nil {
		return nil, err
	}
	return d.Lock(ctx, verb)
}

func (d database) refresh(ctx context.Context, _ bool) error {
	h := d.nb.Handles
	h.index.Mend(func() { _ = h.derived.compareAll(d) })
	if err := h.build(ctx, d); err != nil {
		return err
	}
	return h.derived.follow(d)
}

// written does nothing: uncommitted changes stay out of the index.
func (d database) written() {}

func (d database) late() bool { return true }

// whyUnserved returns nil: a database serves every note that it has.
func (d database) whyUnserved(string) error { return nil }

// author is the subject that the server of the call has verified.
func (d database) author() string { return d.h.Subject }

// HostedChange is a note in a database that was created, changed or removed.
type HostedChange struct {
	store.File
	Gone bool
	Text []byte // nil if it must be requested
}

// derivedIndex is an index of the notes in a database up to a certain change. It is safe for
// concurrent use.
type derivedIndex struct {
	*index.Index

	mu    sync.Mutex // serializes bringing the index in line
	last  store.Mark
	whole bool      // the index was compared with all notes in this process
	asOf  time.Time // when the call that brought it in line asked the database
}

// build waits until the index has been compared with all notes in this process. The comparison
// belongs to the process and continues if the call stops waiting.
func (h *Handles) build(ctx context.Context, notes HostedNotes) (err error) {
	if h.derived.isWhole() {
		return nil
	}
	if p, ok := ctx.Value(placeKey{}).(Place); ok {
		p.Leave()
		defer func() { err = cmp.Or(err, p.Enter(ctx)) }()
	}
	h.reading.Lock()
	defer h.reading.Unlock()
	for {
		if h.derived.isWhole() {
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

// isWhole reports whether the index was compared with all notes in this process.
func (d *derivedIndex) isWhole() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.whole
}

// follow brings the index in line with the database: by the changes since its last change, or
// by a comparison with all notes if those changes are unknown. A database that has lost changes
// does not have the last change of the index, though it may have other changes with the same
// number and later ones.
//
// It asks for changes without holding the lock, because a writer that waits for the lock may
// hold the only connection to the database.
func (d *derivedIndex) follow(notes HostedNotes) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	last, asked := notes.Last()
	var since store.Mark
	var changes []HostedChange
	var err error
	known := false
	for asks := 0; d.whole && last.Seq > d.last.Seq && (asks == 0 || since != d.last); asks++ {
		since = d.last
		d.mu.Unlock()
		changes, known, err = notes.Changes(since)
		d.mu.Lock()
		if err != nil {
			return err
		}
	}
	switch {
	case d.whole && last == d.last:
		d.enter(last, asked)
		return nil
	case d.whole && last.Seq <= d.last.Seq && !asked.After(d.asOf): // a later call has brought it further
		return nil
	}
	err = index.ErrDamaged // for an index that is not known to be whole
	if known && since == d.last {
		err = d.take(notes, changes)
	}
	if errors.Is(err, index.ErrDamaged) {
		if err = d.compare(notes, new(index.Reading), noTurns); err == nil {
			d.Save()
		}
	}
	if err == nil {
		d.enter(last, asked)
	}
	return err
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

// noTurns is the next function of an update that does not let other builds work in between.
func noTurns() {}

// compare brings the index in line with all notes and reports its progress to r. It calls next
// after each batch of texts.
func (d *derivedIndex) compare(notes HostedNotes, r *index.Reading, next func()) error {
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

// take brings some changes into the index.
func (d *derivedIndex) take(notes HostedNotes, changes []HostedChange) error {
	u := d.Update(false)
	defer u.Cancel()
	var files []store.File
	for _, c := range changes {
		switch {
		case c.Gone:
			u.Drop(c.Name)
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

// bodiesAtOnce is the number of texts that are requested together.
const bodiesAtOnce = 200

// loadAll loads texts in batches, so that a large project takes few round trips and bounded
// memory.
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
		doc, err := indexDocument(file.Name, text, stampOf(file))
		return doc, err == nil, err
	})
}
