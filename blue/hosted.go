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

// BoundHosted removes the least recently used indexes of hosted projects until the others have at
// most so many bytes; the last one stays. It returns what is left.
func (b *Blue) BoundHosted(limit int64) (size int64, open int) {
	var dropped []*hostedIndex
	b.mu.Lock()
	for _, x := range b.served {
		if now := x.Version(); now != x.measured {
			size := directorySize(x.dir)
			b.servedSize += size - x.size
			x.measured, x.size = now, size
		}
	}
	for b.servedSize > limit && len(b.served) > 1 {
		oldest := slices.MinFunc(slices.Collect(maps.Values(b.served)), func(x, y *hostedIndex) int { return x.used.Compare(y.used) })
		dropped = append(dropped, oldest)
		b.servedSize -= oldest.size
		maps.DeleteFunc(b.served, func(_ string, x *hostedIndex) bool { return x == oldest })
	}
	size, open = b.servedSize, len(b.served)
	b.mu.Unlock()
	for _, x := range dropped {
		if err := errors.Join(x.Close(), os.RemoveAll(x.dir)); err != nil {
			b.o.Log.Warn("index not removed", "dir", x.dir, "err", err)
		}
	}
	return size, open
}

// Asked is what a call says of a hosted project.
type Asked struct {
	Caller any            // whom the server of the call has verified
	Names  []NamedProject // in the order in which they count
	Cwd    *string        // a path of the client, which nobody looks at
	Client string         // the program that calls, as it says itself
}

// NamedProject is a project as a source names it.
type NamedProject struct {
	Source marker.Source
	Value  string
}
