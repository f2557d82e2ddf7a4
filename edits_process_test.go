package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blue/errors"
)

var edits = flag.Int("edits", 5, "how many edits each of the 8 processes makes")

// Promise 7: eight processes edit one note, each from the revision it knows: at the
// terminal, on stdio and over HTTP. No edit is lost.
func TestPromise7EightProcessesEditOneNote(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "write", "--title", "Counter", "--key", "c", "start")
	names := p.notes(t)
	id := strings.TrimSuffix(filepath.Base(names[0]), ".md")
	var writers sync.WaitGroup
	var conflicts atomic.Int64
	for writer := range 8 {
		edit, done := p.editor(t, writer, id)
		writers.Go(func() {
			defer done()
			conflicts.Add(int64(appends(t, writer, edit)))
		})
	}
	writers.Wait()
	text, err := os.ReadFile(names[0])
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for writer := range 8 {
		for i := range *edits {
			if strings.Count(string(text), fmt.Sprintf("\nline %d of %d\n", i, writer)) != 1 {
				lost++
			}
		}
	}
	if lost > 0 {
		t.Errorf("%d of %d edits lost or doubled", lost, 8**edits)
	}
	t.Logf("%d of %d edits lost, %d conflicts on the way", lost, 8**edits, conflicts.Load())
}

// editor is how a process edits the note: two are commands, three servers on stdio,
// three servers on HTTP, of which one is asked without sessions.
func (p place) editor(t *testing.T, writer int, id string) (edit func(text, revision string) (answer, error), done func()) {
	arguments := func(text, revision string) map[string]any {
		return map[string]any{"id": id, "append": text, "revision": revision, "cwd": filepath.ToSlash(p.project)}
	}
	switch {
	case writer < 2:
		return func(text, revision string) (a answer, err error) {
			out, err := p.command(t, "edit", id, "--append", text, "--revision", revision, "--json").Output()
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				out = exit.Stderr
			} else if err != nil {
				return a, err
			}
			return a, json.Unmarshal(out, &a)
		}, func() {}
	case writer < 5:
		s := p.serve(t)
		return func(text, revision string) (answer, error) { return s.call("edit", arguments(text, revision)) }, func() { s.close(t) }
	}
	s := p.httpServer(t, nil, "--http", "127.0.0.1:0", "--allow-root", p.base)
	call := caller(s.standingAlone)
	if writer < 7 {
		call = s.inSession(s.open(t, `{}`))
	}
	return func(text, revision string) (answer, error) { return call("edit", arguments(text, revision)) }, func() {}
}

// appends makes the edits of one writer. It begins with a revision that is none: the
// conflict names the current one.
func appends(t *testing.T, writer int, edit func(text, revision string) (answer, error)) (conflicts int) {
	revision := "none"
	for i := 0; i < *edits; {
		a, err := edit(fmt.Sprintf("line %d of %d", i, writer), revision)
		if err != nil {
			t.Errorf("writer %d: %v", writer, err)
			return conflicts
		}
		switch a.Error {
		case "":
			revision = a.Revision
			i++
		case "conflict":
			if a.Body == "" || a.Revision == "" || a.Revision == revision {
				t.Errorf("a conflict with %q without the current text: %+v", revision, a)
			}
			revision = a.Revision
			conflicts++
		case "busy": // the lock, or the rate of a session
			time.Sleep(20 * time.Millisecond)
		default:
			t.Errorf("writer %d: %+v", writer, a)
			return conflicts
		}
	}
	return conflicts
}
