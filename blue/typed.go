package blue

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"blue/blue/internal/catalog"
	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/marker"
)

// typed are the notes that a bringing in line has read and of which the ledger knows
// nothing. Those that git does not track did not come with the repository: the user has
// typed them.
type typed struct {
	p         *Project
	mu        sync.Mutex
	revisions map[string]string // by name
}

// entry is a [catalog.MakeDocument] that remembers such notes.
func (t *typed) entry(makeDocument catalog.MakeDocument) catalog.MakeDocument {
	return func(name string, data []byte) (index.Document, error) {
		d, err := makeDocument(name, data)
		if err == nil && t.p.ledger.IsUnknown(name) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.revisions[name] = d.Revision
		}
		return d, err
	}
}

// record enters them in the ledger as the user's own. Where notes travel by sync, a file may
// be that of another machine. Without git, nobody knows.
func (t *typed) record() {
	p := t.p
	if len(t.revisions) == 0 {
		return
	}
	checkout := marker.FindCheckout(p.found.Root)
	if checkout.Top == "" || p.carried().Known() != nil {
		return
	}
	if _, err := os.Lstat(filepath.Join(checkout.Private, "index.lock")); err == nil {
		return // a checkout has written files, and has not said yet that they are tracked
	}
	ctx, cancel := context.WithTimeout(context.Background(), renamePatience)
	defer cancel()
	listed, err := commits.Output(ctx, p.found.Root, "ls-files", "-z", "--", ":(icase)"+marker.Name)
	if err != nil || listed == "" && checkout.Top != p.found.Root {
		return // a directory that was unpacked here is none of the user's either
	}
	tracked := map[string]bool{}
	for name := range strings.SplitSeq(strings.ToLower(listed), "\x00") {
		tracked[name] = true
	}
	for name, revision := range t.revisions {
		if tracked[strings.ToLower(marker.Name+"/"+name)] || !marker.IsOwn(p.absolutePath(name)) {
			continue
		}
		if err := p.ledger.Record(name, revision); err != nil {
			p.b.o.Log.Debug("ledger not written", "project", p.found.Root, "err", err)
		}
	}
}
