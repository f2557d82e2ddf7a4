package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures"
)

// An editor that saves at whatever moment of an edit, by a rename or in place, loses
// nothing: its text stands in the note, or is in the history.
func TestEditorDuringAnEdit(t *testing.T) {
	t.Parallel()
	for how, save := range map[string]func(path, text string) error{"by rename": saveByRename, "in place": saveInPlace} {
		for _, aware := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, with a revision %v", how, aware), func(t *testing.T) {
				root, s := project(t)
				e := editing{root: root, s: s, save: save, aware: aware}
				for i := range rounds() / 4 {
					e.round(t, i)
				}
				noTemps(t, root)
				t.Logf("%d rounds: the editor stood in the end in %d, %d conflicts, its text in the history of %d, lost %d",
					rounds()/4, e.stands, e.conflicts, e.kept, e.lost)
				if e.lost > 0 {
					t.Errorf("%d texts of the editor are lost", e.lost)
				}
			})
		}
	}
}

// A process that was forked while a note was written holds it open for a moment. The
// edit waits for it.
func TestHeldOpenByAForkedProcess(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	path := write(t, root, "notes/n.md", "before")
	held, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	go func() {
		time.Sleep(300 * time.Millisecond)
		held.Close()
	}()
	h := lock(t, s)
	defer h.Unlock()
	_, err = h.Replace("notes/n.md", "", []byte("after"))
	must(t, err)
}

// editing is an editor and Blue at work on notes, one a round.
type editing struct {
	root  string
	s     *store.Store
	save  func(path, text string) error
	aware bool // Blue names the revision that it has read

	stands, conflicts, kept, lost int
}

func (e *editing) round(t *testing.T, i int) {
	t.Helper()
	name := fmt.Sprintf("notes/n%d.md", i%50)
	before, byHand := fmt.Sprintf("before %d", i), fmt.Sprintf("by hand %d", i)
	path := write(t, e.root, name, before)
	saved, done := make(chan error, 1), make(chan bool)
	go func() {
		waitForTemp(filepath.Dir(path), done)
		for began, pause := time.Now(), rand.N(2*time.Millisecond); time.Since(began) < pause; {
		}
		saved <- e.save(path, byHand)
	}()
	h := lock(t, e.s)
	revision := ""
	if e.aware {
		revision = store.Revision([]byte(before))
	}
	_, err := h.Replace(name, revision, fmt.Appendf(nil, "by Blue %d", i))
	must(t, h.Unlock())
	close(done)
	must(t, <-saved)
	switch {
	case errors.Is(err, errors.Conflict):
		e.conflicts++
	case err != nil:
		t.Fatal(err)
	}
	if content(t, e.s, name) == byHand {
		e.stands++
	} else if past, err := e.s.ReadPast(name, store.Revision([]byte(byHand))); err == nil && string(past) == byHand {
		e.kept++
	} else {
		e.lost++
	}
}

// waitForTemp waits until a temporary file is in the directory: Blue has read the note,
// and is about to look at it for the last time.
func waitForTemp(dir string, done chan bool) {
	for {
		select {
		case <-done:
			return
		default:
		}
		entries, _ := os.ReadDir(dir)
		if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".tmp-") }) {
			return
		}
	}
}

func saveByRename(path, text string) error {
	temp := path + "~"
	if err := os.WriteFile(temp, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

func saveInPlace(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }

// rounds is the number of edits in the middle of which an editor saves.
func rounds() int { return fixtures.Size(20, 120, 10_000) }
