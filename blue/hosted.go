package blue

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"blue/blue/internal/notebook"
	"blue/errors"
	"blue/marker"
)

// hostedIndex is the index of a hosted project, shared by the calls of the process.
type hostedIndex struct {
	*notebook.Handles
	dir      string
	used     time.Time
	measured uint64 // version of the index whose size was measured
	size     int64  // bytes of its files, and the cost of keeping them open
}

// OpenHosted opens a hosted project for one call. Its index is opened on first use.
func (b *Blue) OpenHosted(ctx context.Context, h Hosted) (*Project, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	name := filepath.Join(h.Index, erasure(h), h.View)
	x := b.served[name]
	if x == nil {
		dir := filepath.Join(b.Directory("cache"), name)
		b.removeErased(h)
		x = &hostedIndex{Handles: notebook.OpenDatabase(dir, b.builds), dir: dir, size: openCost}
		b.served[name] = x
		b.servedSize += openCost
	}
	x.used = b.o.Now()
	return &Project{notebook.NewHosted(&b.o, h, x.Handles), b}, nil
}

// removeErased removes the indexes of a project that were made before its last erasure, because
// they may contain what was erased. The caller holds b.mu.
func (b *Blue) removeErased(h Hosted) {
	project := filepath.Join(b.Directory("cache"), h.Index)
	now := filepath.Join(project, erasure(h))
	for name, x := range b.served {
		if at := filepath.Dir(x.dir); at != now && filepath.Dir(at) == project {
			b.servedSize -= x.size
			delete(b.served, name)
			go b.removeIndex(x) // it waits for a build
		}
	}
	entries, _ := os.ReadDir(project)
	for _, e := range entries {
		if e.Name() == erasure(h) {
			continue
		}
		if err := os.RemoveAll(filepath.Join(project, e.Name())); err != nil {
			b.o.Log.Warn("indexes not removed", "dir", e.Name(), "err", err)
		}
	}
}

// erasure returns the name of the directory of the indexes that were made since the project's
// last erasure.
func erasure(h Hosted) string { return strconv.FormatInt(h.Erased, 10) }

// removeIndex closes an index and removes its files.
func (b *Blue) removeIndex(x *hostedIndex) {
	if err := errors.Join(x.Close(), os.RemoveAll(x.dir)); err != nil {
		b.o.Log.Warn("index not removed", "dir", x.dir, "err", err)
	}
}

// openCost is the memory in bytes that an open index takes in addition to its files, with a
// descriptor or two. It was measured with a thousand small indexes.
const openCost = 64 << 10

// directorySize returns the total size of the files in a directory in bytes.
func directorySize(dir string) (size int64) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			size += info.Size()
		}
	}
	return size
}

// BoundHosted removes the least recently used indexes of hosted projects until the others cost
// at most limit bytes, each openCost and its files, and there are at most most of them; 0 means
// any number. It keeps the most recently used one and those that are being built. It returns
// the cost and the number of those left.
func (b *Blue) BoundHosted(limit int64, most int) (size int64, open int) {
	var dropped []*hostedIndex
	b.mu.Lock()
	for _, x := range b.served {
		if now := x.Version(); now != x.measured {
			size := openCost + directorySize(x.dir)
			b.servedSize += size - x.size
			x.measured, x.size = now, size
		}
	}
	over := func() bool { return b.servedSize > limit || most > 0 && len(b.served) > most }
	if over() {
		byUse := slices.SortedFunc(maps.Keys(b.served), func(x, y string) int { return b.served[x].used.Compare(b.served[y].used) })
		for _, name := range byUse[:len(byUse)-1] {
			x := b.served[name]
			if what, _, _ := x.Underway(); over() && what == "" {
				dropped = append(dropped, x)
				b.servedSize -= x.size
				delete(b.served, name)
			}
		}
	}
	size, open = b.servedSize, len(b.served)
	b.mu.Unlock()
	for _, x := range dropped {
		b.removeIndex(x)
	}
	return size, open
}

// Builds returns the queue of the builds of hosted indexes.
func (b *Blue) Builds() *notebook.Builds { return b.builds }

// WithPlace returns the context of a call that gives up its place while it waits for an index.
func WithPlace(ctx context.Context, p Place) context.Context { return notebook.WithPlace(ctx, p) }

// Asked is what a call says about a hosted project.
type Asked struct {
	Caller any            // the caller as verified by the server of the call
	Names  []NamedProject // in order of precedence
	Cwd    *string        // a path of the client, which is never looked up
	Client string         // the program that calls, as it names itself
}

// Named returns the name of the project that counts, or the zero value if there is none.
func (a Asked) Named() (n NamedProject) {
	if len(a.Names) > 0 {
		n = a.Names[0]
	}
	return n
}

// NamedProject is a project as a source names it.
type NamedProject struct {
	Source marker.Source
	Value  string
}
