package index_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"blue/blue/internal/index"
	"blue/errors"
)

// A call that ends before the reading neither ends it nor lets the next call begin it
// anew, and is told how far it is. The end of the process ends it.
func TestReadingBelongsToTheProcess(t *testing.T) {
	process, stop := context.WithCancel(t.Context())
	defer stop()
	r := index.Reading{Process: process}
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
		if err := r.Run(call, work); err != index.ErrGoesOn {
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
	if err := r.Run(call, work); err != index.ErrGoesOn {
		t.Error(err)
	}
	stop()
	r.Wait()
}

// Each file is read once, in few steps, for after each all that there is by then is
// written.
func TestFilesAreReadOnceInFewSteps(t *testing.T) {
	const all, size, most = 1000, 8 << 10, 3
	x := index.Open(t.TempDir())
	defer x.Close()
	var read atomic.Int64
	r, steps := index.Reading{Process: t.Context()}, 0
	err := r.InSteps(t.Context(), x, func(s *index.Step) error {
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
