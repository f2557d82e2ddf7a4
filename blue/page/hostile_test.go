package page_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/fixtures"
)

// The page bounds what a clone brings, and shows no character that hides.
func TestHostileClone(t *testing.T) {
	fixtures.Slow(t)
	s := in(t)
	mark := filepath.Join(s.dir, ".blue")
	must(t, os.RemoveAll(mark))
	must(t, os.Rename(filepath.Join(fixtures.Hostile(t), ".blue"), mark))
	for path, bound := range map[string]int{
		"/": 300 << 10, "/?q=kettle": 200 << 10, "/trash": 32 << 10, "/why": 32 << 10, "/review": 64 << 10, "/notes/broken.html": 32 << 10, "/graph": 300 << 10,
	} {
		if view := s.get(path); len(view) > bound || strings.Contains(view, "\u202e") {
			t.Errorf("%s has %d bytes, bound %d: %.500s", path, len(view), bound, view)
		}
	}
	view := s.get("/notes/hub.html")
	head, rest, _ := strings.Cut(view, `<div class="prose">`)
	_, aside, _ := strings.Cut(rest, "<aside")
	if len(head) > 64<<10 || len(aside) > 96<<10 || !strings.Contains(head, "left out: ") {
		t.Errorf("a note: %d bytes before the text, %d beside it", len(head), len(aside))
	}
}
