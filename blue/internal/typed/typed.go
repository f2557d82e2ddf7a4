// Package typed finds the notes that the user has typed, with an editor: their files are here,
// the ledger knows nothing of them, and they did not come with the repository.
package typed

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/blue/internal/trust"
	"blue/marker"
)

// patience is how long git is asked what it tracks.
const patience = time.Second

// Notes are those that a refresh of the index has read and of which the ledger knows nothing.
// Those that git does not track did not come with the repository: the user has typed them.
type Notes struct {
	Root    string
	Ledger  *trust.Ledger
	Travels func() bool // whether notes come by a sync
	Log     *slog.Logger

	mu        sync.Mutex
	revisions map[string]string // by name
}

// Entry is a [catalog.MakeDocument] that remembers such notes.
func (n *Notes) Entry(makeDocument catalog.MakeDocument) catalog.MakeDocument {
	return func(name string, data []byte) (index.Document, error) {
		d, err := makeDocument(name, data)
		if err == nil && n.Ledger.IsUnknown(name) {
			n.mu.Lock()
			defer n.mu.Unlock()
			if n.revisions == nil {
				n.revisions = map[string]string{}
			}
			n.revisions[name] = d.Revision
		}
		return d, err
	}
}

// Record enters them in the ledger as the user's own. Where notes travel by sync, a file may
// be that of another machine. Without git, nobody knows.
func (n *Notes) Record() {
	if len(n.revisions) == 0 {
		return
	}
	checkout := marker.FindCheckout(n.Root)
	if checkout.Top == "" || n.Travels() {
		return
	}
	if _, err := os.Lstat(filepath.Join(checkout.Private, "index.lock")); err == nil {
		return // a checkout has written files, and has not said yet that they are tracked
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	listed, err := commits.Output(ctx, n.Root, "ls-files", "-z", "--", ":(icase)"+marker.Name)
	if err != nil || listed == "" && checkout.Top != n.Root {
		return // a directory that was unpacked here is none of the user's either
	}
	tracked := map[string]bool{}
	for name := range strings.SplitSeq(strings.ToLower(listed), "\x00") {
		tracked[name] = true
	}
	for name, revision := range n.revisions {
		if tracked[strings.ToLower(marker.Name+"/"+name)] || !marker.IsOwn(filepath.Join(n.Root, marker.Name, filepath.FromSlash(name))) {
			continue
		}
		if err := n.Ledger.Record(name, revision); err != nil {
			n.Log.Debug("ledger not written", "project", n.Root, "err", err)
		}
	}
}
