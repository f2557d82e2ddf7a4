package store_test

import (
	"os"
	"path/filepath"
	"testing"
)

// A line of the changes that a crash has cut is lost alone.
func TestJournalAfterACut(t *testing.T) {
	root, s := project(t)
	write := func(name string) {
		t.Helper()
		h := lock(t, s)
		defer h.Unlock()
		_, err := h.Create(name, []byte("# Note\n"))
		must(t, err)
	}
	write("notes/a.md")
	write("notes/b.md")
	file := filepath.Join(root, ".blue", "history", ".log")
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, os.Truncate(file, int64(len(text)-10)))
	write("notes/c.md")
	write("notes/d.md")
	all, err := s.Journal()
	must(t, err)
	if len(all) != 3 || all[0].Name != "notes/a.md" || all[1].Name != "notes/c.md" || all[2].Name != "notes/d.md" {
		t.Errorf("the changes are %+v", all)
	}
}
