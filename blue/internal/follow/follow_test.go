package follow_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/errors"
)

// manyNotes makes a store of notes that take several steps to read.
func manyNotes(t *testing.T, most int) *store.Store {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, ".blue", "notes")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	body := strings.Repeat("Queues are drained before an upgrade.\n", 100)
	for i := range most {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("note-%04d.md", i)), fmt.Appendf(nil, "# Note %d\n\n%s", i, body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := store.Open(root, ".blue")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// R026: processes that are ended while they read, each after the same amount of work, which
// is much less than all of it, bring the index in line together: none begins anew.
func TestR026EndedProcessesGoOn(t *testing.T) {
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
		notes := follow.Notes{
			Store: s, Index: x, Now: time.Now, LeaveOut: func(string, error) bool { return false },
			Entry: func(name string, data []byte) (index.Document, error) {
				if read.Add(1) == each {
					kill()
				}
				return index.Document{Row: index.Row{Name: name, Title: name}, Body: string(data)}, nil
			},
		}
		r := follow.Reading{Process: process}
		err := r.Run(t.Context(), func(ctx context.Context) error { return notes.CompareAll(ctx, &r) })
		kill()
		known = x.Len()
		if err == nil && known == all {
			if round == 1 {
				t.Error("nothing was interrupted")
			}
			return
		}
		if err != nil && err != follow.ErrGoesOn {
			t.Fatal(err)
		}
	}
}

// R026: a call that ends before the reading neither ends it nor lets the next call begin it
// anew, and is told how far it is. The end of the process ends it.
func TestR026ReadingBelongsToTheProcess(t *testing.T) {
	process, stop := context.WithCancel(t.Context())
	defer stop()
	r := follow.Reading{Process: process}
	goOn, begun := make(chan struct{}), 0
	work := func(ctx context.Context) error {
		begun++
		select {
		case <-goOn:
		case <-ctx.Done():
		}
		return ctx.Err()
	}
	call, hangUp := context.WithCancel(t.Context())
	hangUp()
	for range 3 {
		if err := r.Run(call, work); err != follow.ErrGoesOn {
			t.Fatal(err)
		}
	}
	close(goOn)
	r.Wait()
	if begun != 1 {
		t.Errorf("begun %d times", begun)
	}
	fault := errors.New("no such file")
	if err := r.Run(t.Context(), func(context.Context) error { return fault }); err != fault {
		t.Error(err)
	}
	goOn = make(chan struct{})
	if err := r.Run(call, work); err != follow.ErrGoesOn {
		t.Error(err)
	}
	stop()
	r.Wait()
}

// F012: each file is read once, in few steps, for after each all that there is by then is
// written.
func TestF012FilesAreReadOnceInFewSteps(t *testing.T) {
	const all, size, most = 1000, 8 << 10, 3
	x := index.Open(t.TempDir())
	defer x.Close()
	var read atomic.Int64
	r, steps := follow.Reading{Process: t.Context()}, 0
	err := r.InSteps(t.Context(), x, func(s *follow.Step) error {
		steps++
		for i := range all {
			name := fmt.Sprintf("%04d.md", i)
			if s.Same(name, index.Stamp{}) || !s.Takes(size) {
				s.Keep(name)
				continue
			}
			s.Load(name, size, func() (index.Document, bool, error) {
				read.Add(1)
				return index.Document{Row: index.Row{Name: name}}, true, nil
			})
		}
		return nil
	})
	if err != nil || steps > most || read.Load() != all || x.Len() != all {
		t.Errorf("%d steps, %d files read, %d in the index: %v", steps, read.Load(), x.Len(), err)
	}
}
