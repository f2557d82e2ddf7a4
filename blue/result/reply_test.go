package result

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCursor(t *testing.T) {
	at, err := ReadCursor(MakeCursor("call", 3, 40), "call", 2)
	if err != nil || !slices.Equal(at, []int{3, 40}) {
		t.Errorf("%v %v", at, err)
	}
	for _, bad := range []string{MakeCursor("other call", 3, 40), MakeCursor("call", 3), "x", "%%%"} {
		if _, err := ReadCursor(bad, "call", 2); err == nil {
			t.Errorf("cursor %q is taken", bad)
		}
	}
}

// A model is not told how to accept a proposal; of several, a person is told how to accept all as shown.
func TestReviewOfProposals(t *testing.T) {
	r := Reviewed{Total: 2, Review: []Due{{ID: "a", Kind: DueProposed, Command: "blue accept a@01234567"}, {ID: "b", Kind: DueProposed, Command: "blue accept b@89abcdef"}}}
	if text := r.Text(); strings.Contains(text, "blue accept") {
		t.Error(text)
	}
	r.Terminal = true
	if text := r.Text(); !strings.Contains(text, "All of these 2 proposals: blue accept a@01234567 b@89abcdef\n") {
		t.Error(text)
	}
}

func TestSince(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-01-31": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), "7d": now.AddDate(0, 0, -7), "2w": now.AddDate(0, 0, -14),
		"12h": now.Add(-12 * time.Hour), "2026-01-31T10:00:00+02:00": time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC), "": {},
	} {
		if got, err := ParseSince(text, now); err != nil || !got.Equal(want) {
			t.Errorf("since %q: %v %v", text, got, err)
		}
	}
	for _, bad := range []string{"tomorrow", "-3h", "5", "d"} {
		if _, err := ParseSince(bad, now); err == nil {
			t.Errorf("since %q is taken", bad)
		}
	}
}

// A sync names the notes that others have removed, eight of them at most, and its JSON
// names all.
func TestRemovedNotesAreNamed(t *testing.T) {
	t.Parallel()
	s := NewSynced()
	for i := range 10 {
		s.Removed = append(s.Removed, fmt.Sprintf("note-%d", i))
	}
	if text := s.Text(); !strings.Contains(text, "10 removed") || !strings.Contains(text, "note-0, note-1") || !strings.Contains(text, "note-7, and 2 more") {
		t.Error(text)
	}
	if data, err := json.Marshal(s); err != nil || !strings.Contains(string(data), `"note-9"`) {
		t.Errorf("%s, %v", data, err)
	}
}

// A sync names the open conflicts, eight of them at most, with the commands that end them,
// and is not sound until there are none.
func TestSyncNamesOpenConflicts(t *testing.T) {
	t.Parallel()
	s := NewSynced()
	if !s.Sound() {
		t.Error("a sync without conflicts is not sound")
	}
	for i := range 10 {
		s.Conflicts = append(s.Conflicts, Clash{ID: "deploys", With: fmt.Sprintf("a b-%d", i)})
	}
	const first = "Conflict: a b-0 is another machine's text of deploys: blue diff deploys 'a b-0', then blue resolve 'a b-0'\n"
	if text := s.Text(); s.Sound() || strings.Count(text, "Conflict: ") != 9 || !strings.Contains(text, first) || !strings.Contains(text, "Conflict: 2 more; blue list marks them\n") {
		t.Error(text)
	}
	if text := (SyncStatus{Conflicts: s.Conflicts}).Text(); !strings.Contains(text, first) {
		t.Error(text)
	}
}

// A similar note is named with what replaces it, by its title if that may be told.
func TestWrittenNamesSimilarNotes(t *testing.T) {
	w := Written{ID: "new-aaaa", Created: true, Durable: true, Alike: Alike{Similar: Similar{[]Named{{"one-aaaa", "One"}, {"two-bbbb", ""}}}}}
	want := "Similar: \"One\" (one-aaaa). If this replaces it: blue_edit new-aaaa supersedes one-aaaa\nSimilar: two-bbbb. If this replaces it: "
	if text := w.Text(); !strings.Contains(text, want) {
		t.Error(text)
	}
}
