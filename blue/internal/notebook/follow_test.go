package notebook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
)

// manyNotes makes a store of notes that take several steps to read.
func manyNotes(t *testing.T, most int) *store.Store {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	dir := filepath.Join(root, ".blue", "notes")
	must(t, os.MkdirAll(dir, 0o755))
	body := strings.Repeat("Queues are drained before an upgrade.\n", 100)
	for i := range most {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%04d.md", i)), fmt.Appendf(nil, "# Note %d\n\n%s", i, body), 0o644))
	}
	s, err := store.Open(root, ".blue")
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// Processes that are ended while they read, each after the same amount of work, which
// is much less than all of it, bring the index in line together: none begins anew.
func TestEndedProcessesGoOn(t *testing.T) {
	const all, each = 800, 300
	s, dir := manyNotes(t, all), t.TempDir()
	known := 0
	for round := 1; ; round++ {
		x := index.Open(dir) // never closed: the process is killed
		if x.Len() < known || round > 1 && known == 0 || round > all/100 {
			t.Fatalf("process %d begins with %d notes, the one before has read %d", round, x.Len(), known)
		}
		process, kill := context.WithCancel(t.Context())
		var read atomic.Int64
		nb := &Notebook{Handles: &Handles{index: Catalog{x}, reading: index.Reading{Process: process}}, o: &Options{Now: time.Now}}
		err := nb.reading.Run(t.Context(), func(ctx context.Context) error {
			return files{s, nb}.compareAll(ctx, func() {
				if read.Add(1) == each {
					kill()
				}
			})
		})
		kill()
		known = x.Len()
		if err == nil && known == all {
			if round == 1 {
				t.Error("nothing was interrupted")
			}
			return
		}
		if err != nil && err != index.ErrGoesOn {
			t.Fatal(err)
		}
	}
}

// A small build that is asked for while a large one works ends before it.
func TestFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBuilds()
		b.working = make(chan struct{}, 1)
		var order []string
		var group sync.WaitGroup
		works := make(chan struct{})
		build := func(name string, turns int, begun func()) {
			group.Go(func() {
				_ = b.run(func(next func()) error {
					begun()
					for range turns {
						next()
					}
					order = append(order, name)
					return nil
				})
			})
		}
		build("large", 50, func() {
			close(works)
			synctest.Wait() // until the small one waits for its turn
		})
		<-works
		build("small", 1, func() {})
		group.Wait()
		if !slices.Equal(order, []string{"small", "large"}) {
			t.Errorf("%v", order)
		}
	})
}
