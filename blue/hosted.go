package blue

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/follow"
	"blue/blue/internal/trust"
	"blue/errors"
	"blue/marker"
)

// Hosted is a project whose notes lie in a database, as one caller has it. It has no
// directory: nothing of it is looked for on the disk of this machine but its index.
type Hosted struct {
	ID, Name string
	Source   marker.Source  // how the call named it
	Value    string         // as the call said it
	Trace    []marker.Tried // what else the call said
	Notes    HostedNotes
	Index    string // the directory of the index, below the cache: projects and subjects that see different notes have different ones
	Subject  string // who calls, verified
	Client   string // the program that calls, as it says itself
	Stale    bool   // the database does not answer: the index is taken as it is
	asOf     string // of what moment the answer is, when that is not now
}

// HostedNotes is a store whose changes are numbered.
type HostedNotes interface {
	Notes
	follow.Numbered
	Lock(ctx context.Context, verb string) (Writer, error)
	Committed() Notes              // beside the write under way, and without what it has changed
	NewPrivate() ([]string, error) // the private notes that the subject has made, the first ones, since the call began
}

// HostedChange is a note that has come, changed or gone.
type HostedChange = follow.Change

// hostedIndex is the index of a hosted project, shared by the calls of the process.
type hostedIndex struct {
	opened
	derived *follow.Derived
	dir     string
	used    time.Time
	size    int64 // of its files
}

// OpenHosted opens a hosted project for one call.
func (b *Blue) OpenHosted(ctx context.Context, h Hosted) (*Project, error) {
	x := b.hostedIndex(h)
	found := marker.Found{ID: h.ID, Name: h.Name, Source: h.Source, Value: h.Value, Trace: h.Trace, Shelves: marker.Shelves{NoDocuments: true, NoCommits: true}}
	return &Project{b: b, found: found, trusted: true, client: h.Client, hosted: &h, derived: x, store: h.Notes, opened: &x.opened}, nil
}

// hostedIndex is the index of a project, opened when it is first asked for.
func (b *Blue) hostedIndex(h Hosted) *hostedIndex {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.served[h.Index]
	if x == nil {
		dir := filepath.Join(b.Directory("cache"), h.Index)
		x = &hostedIndex{dir: dir}
		x.openIndexes(dir)
		x.ledger = trust.Everything()
		x.derived = &follow.Derived{Index: x.index.Index, Entry: catalog.Document}
		b.served[h.Index] = x
	}
	x.used = b.o.Now()
	return x
}

// followDatabase brings the index in line with the database.
func (p *Project) followDatabase() error {
	x, notes := p.derived, p.hosted.Notes
	p.index.Mend(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = x.derived.Compare(notes)
	})
	if p.hosted.Stale {
		asOf, ok := x.derived.AsOf()
		if !ok {
			return errors.DatabaseAway(errors.New("nothing is known of the project yet"))
		}
		p.hosted.asOf = "as of " + asOf.Format("15:04") + ": the database does not answer"
		return nil
	}
	changed, err := x.derived.Follow(notes)
	if changed {
		p.b.measureHosted(x)
	}
	return err
}

// measureHosted measures the files of an index that has changed.
func (b *Blue) measureHosted(x *hostedIndex) {
	size := directorySize(x.dir)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.servedSize += size - x.size
	x.size = size
}

// directorySize is how many bytes the files of a directory have.
func directorySize(dir string) (size int64) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// BoundHosted removes the indexes of hosted projects that were used longest ago, until the
// others have at most so many bytes; the last one stays. It returns what is left.
func (b *Blue) BoundHosted(limit int64) (size int64, open int) {
	left, size, open := b.dropHosted(limit)
	for _, x := range left {
		if err := errors.Join(x.closeIndexes(), os.RemoveAll(x.dir)); err != nil {
			b.o.Log.Warn("index not removed", "dir", x.dir, "err", err)
		}
	}
	return size, open
}

// dropHosted takes the indexes that are too many out of use.
func (b *Blue) dropHosted(limit int64) (dropped []*hostedIndex, size int64, open int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.servedSize > limit {
		oldest := slices.SortedFunc(maps.Keys(b.served), func(a, c string) int { return b.served[a].used.Compare(b.served[c].used) })
		for _, name := range oldest[:len(oldest)-1] {
			if b.servedSize <= limit {
				break
			}
			dropped = append(dropped, b.served[name])
			b.servedSize -= b.served[name].size
			delete(b.served, name)
		}
	}
	return dropped, b.servedSize, len(b.served)
}

// closeHosted gives up the indexes of hosted projects.
func (b *Blue) closeHosted() {
	for name, x := range b.served {
		delete(b.served, name)
		_ = x.closeIndexes()
	}
}

// Asked is what a call says of a hosted project.
type Asked struct {
	Caller any     // whom the server of the call has verified
	Names  []Named // in the order in which they count
	Cwd    *string // a path of the client, which nobody looks at
	Client string  // the program that calls, as it says itself
}

// Named is a project as a source names it.
type Named struct {
	Source marker.Source
	Value  string
}
