package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What follows from a note sees it in place, and is done when the write returns; its panic
// belongs to the caller, who can let the lock go.
func TestNamed(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	held, err := s.Lock(t.Context())
	must(t, err)
	called := ""
	held.Named = func(revision string) {
		data, err := os.ReadFile(filepath.Join(root, ".blue", "notes", "x.md"))
		if err == nil {
			called = revision + " " + string(data)
		}
	}
	saved, err := held.Create("notes/x.md", []byte("one"))
	must(t, err)
	if called != saved.Revision+" one" || !saved.Durable {
		t.Errorf("created: called with %q, %+v", called, saved)
	}
	saved, err = held.Replace("notes/x.md", saved.Revision, []byte("two"))
	must(t, err)
	if called != saved.Revision+" two" || !saved.Durable {
		t.Errorf("replaced: called with %q, %+v", called, saved)
	}
	held.Named = func(string) { panic("fault") }
	func() {
		defer func() {
			if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "fault\n") || !strings.Contains(r, "named_test.go") {
				t.Errorf("recovered %v", r)
			}
		}()
		defer held.Unlock()
		_, err = held.Create("notes/y.md", []byte("three"))
		t.Errorf("went on with %v", err)
	}()
	again, err := s.Lock(t.Context())
	must(t, err)
	must(t, again.Unlock())
}
