package notebook

import (
	"maps"
	"slices"
	"sync"
	"time"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/marker"
)

// unknownNotes are the notes that a refresh of the index has read and the ledger does not
// know. Those that git has not written were typed here, before a commit had them.
type unknownNotes struct {
	mu        sync.Mutex
	revisions map[string]string // by name
}

// collectUnknown returns an [indexDocument] that collects the notes of a trusted project that
// the ledger does not know.
func (nb *Notebook) collectUnknown(unknown *unknownNotes) func(string, []byte) (index.Document, error) {
	return func(name string, data []byte) (index.Document, error) {
		d, err := indexDocument(name, data)
		if err == nil && nb.trusted && !nb.Found.Notebook && !nb.isHere(name, d.Revision) {
			unknown.mu.Lock()
			defer unknown.mu.Unlock()
			if unknown.revisions == nil {
				unknown.revisions = map[string]string{}
			}
			unknown.revisions[name] = d.Revision
		}
		return d, err
	}
}

// recordTyped enters in the ledger the unknown notes that were typed here.
func (nb *Notebook) recordTyped(unknown *unknownNotes) {
	if len(unknown.revisions) == 0 {
		return
	}
	names := slices.Collect(maps.Keys(unknown.revisions))
	typed := map[string]string{}
	for _, name := range git.Typed(nb.Found.Root, marker.Name, names, func(name string) (seconds, size int64) {
		row, _ := nb.index.Row(name)
		return row.Stamp.ModTime / int64(time.Second), row.Stamp.Size
	}) {
		typed[name] = unknown.revisions[name]
	}
	if err := nb.enterAll(typed, false); err != nil {
		nb.o.Log.Debug("ledger not written", "project", nb.Found.Root, "err", err)
	}
}
