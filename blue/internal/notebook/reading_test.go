package notebook

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blue/errors"
)

// While notes are being read for longer than a call has time, each call of a client is
// answered with what is known and how far the reading is, and a change says that it must wait.
// When the reading has ended all is found.
func TestCallsAreAnsweredWhileNotesAreRead(t *testing.T) {
	project := newProject(t)
	synctest.Test(t, func(t *testing.T) {
		open := func() *Notebook { return project(Call{Serving: true}) }
		defer open().Close()
		p := open()
		must(t, os.MkdirAll(p.absolutePath("notes"), 0o755))
		must(t, os.WriteFile(p.absolutePath("notes/queues-a2b3.md"), []byte("# Queues\n\nThey are drained.\n"), 0o644))
		goOn := make(chan struct{})
		p.reading.Lock()
		p.reading.Begin(func(context.Context) error { <-goOn; return nil })
		p.reading.Unlock()
		p.reading.Done.Store(155)
		p.reading.Total.Store(1688)
		const line = "reading notes: 155 of 1,688, ask again"
		ctx, began := t.Context(), time.Now()
		answered := func() {
			t.Helper()
			if took := time.Since(began); took >= 25*time.Second { // clients wait for 30 s
				t.Errorf("answered after %v", took)
			}
			began = time.Now()
		}
		h, err := open().Search(ctx, Query{Text: "queues drained"})
		if text := h.Text(); err != nil || !strings.HasPrefix(text, "R"+line[1:]+"\n") || strings.Count(text, line[1:]) > 1 || !strings.Contains(text, "No hits yet among 0 notes") || strings.Contains(text, "Without a match") {
			t.Errorf("%v\n%s", err, text)
		}
		answered()
		r, err := open().List(ctx, Filter{})
		if text := r.Text(); err != nil || !strings.HasPrefix(text, "R"+line[1:]+"\nNo notes yet\n") {
			t.Errorf("%v\n%s", err, text)
		}
		answered()
		w, err := open().Where(ctx)
		if text := w.Text(); err != nil || !strings.Contains(text, "R"+line[1:]) {
			t.Errorf("%v\n%s", err, text)
		}
		answered()
		_, failed := open().Read(ctx, Reading{ID: "queues-a2b3"})
		answered()
		_, refused := open().Write(t.Context(), Draft{Title: "One", Body: "A body."})
		answered()
		for _, err := range []error{failed, refused} {
			if !errors.Is(err, errors.Busy) || fmt.Sprint(err) != line {
				t.Errorf("%v", err)
			}
		}
		close(goOn)
		if h, err := open().Search(t.Context(), Query{Text: "queues drained"}); err != nil || len(h.Hits) != 1 || len(h.Reading) > 0 {
			t.Errorf("%+v, %v", h, err)
		}
		if _, err := open().Write(t.Context(), Draft{Title: "One", Body: "A body."}); err != nil {
			t.Error(err)
		}
	})
}
