package blue

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
	measured uint64 // the version that has the size
	size     int64  // of its files
}

// OpenHosted opens a hosted project for one call.
func (b *Blue) OpenHosted(ctx context.Context, h Hosted) (*Project, error) {
	return &Project{notebook.NewHosted(&b.o, h, b.hostedIndex(h).Handles), b}, nil
}

// hostedIndex is the index of a project, opened when it is first asked for.
func (b *Blue) hostedIndex(h Hosted) *hostedIndex {
	b.mu.Lock()
	defer b.mu.Unlock()
	x := b.served[h.Index]
	if x == nil {
		dir := filepath.Join(b.Directory("cache"), h.Index)
		x = &hostedIndex{Handles: notebook.OpenDatabase(dir), dir: dir}
		b.served[h.Index] = x
	}
	x.used = b.o.Now()
	return x
}

// measureHosted measures the files of the indexes that have changed.
func (b *Blue) measureHosted() {
	for _, x := range b.served {
		if now := x.Version(); now != x.measured {
			size := directorySize(x.dir)
			b.servedSize += size - x.size
			x.measured, x.size = now, size
		}
	}
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
		if err := errors.Join(x.Close(), os.RemoveAll(x.dir)); err != nil {
			b.o.Log.Warn("index not removed", "dir", x.dir, "err", err)
		}
	}
	return size, open
}

// dropHosted takes the indexes that are too many out of use.
func (b *Blue) dropHosted(limit int64) (dropped []*hostedIndex, size int64, open int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.measureHosted()
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
		_ = x.Close()
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
