package branch

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"sync"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/marker"
)

// Typed finds, among the notes that a refresh of the index has read, those that git did not
// write here: it does not track them, or they have changed since.
type Typed struct {
	Root    string
	IsKnown func(name, revision string) bool // notes that need not be looked at

	mu        sync.Mutex
	revisions map[string]string // of what was read, by name
}

// Entry is a [catalog.MakeDocument] that remembers the notes.
func (t *Typed) Entry(makeDocument catalog.MakeDocument) catalog.MakeDocument {
	return func(name string, data []byte) (index.Document, error) {
		d, err := makeDocument(name, data)
		if err == nil && !t.IsKnown(name, d.Revision) {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.revisions == nil {
				t.revisions = map[string]string{}
			}
			t.revisions[name] = d.Revision
		}
		return d, err
	}
}

// Revisions are those of the notes that were typed here, by name; stamp is the file of one as
// it was read. Without a remote nobody asks for them.
func (t *Typed) Revisions(stamp func(name string) index.Stamp) map[string]string {
	if len(t.revisions) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if _, upstream, _ := heads(ctx, t.Root); upstream == "" {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(marker.FindCheckout(t.Root).Private, "index.lock")); err == nil {
		return nil // a checkout has written files, and has not said yet that they are tracked
	}
	tracked, err := commits.ListTracked(ctx, t.Root, marker.Name)
	if err != nil {
		return nil
	}
	for name := range t.revisions {
		is, ok := tracked[commits.Fold(marker.Name+"/"+name)]
		now := stamp(name)
		same := ok && is.Seconds == now.ModTime/int64(time.Second) && is.Size == now.Size
		if same || ok && is.IsContent(t.Root, marker.Name+"/"+name) || inSubmodule(name, tracked) {
			delete(t.revisions, name)
		}
	}
	return t.revisions
}

// inSubmodule reports whether git tracks a directory of a note as one thing.
func inSubmodule(name string, tracked map[string]commits.Tracked) bool {
	_, whole := tracked[marker.Name]
	_, part := tracked[marker.Name+"/"+path.Dir(name)]
	return whole || part
}
