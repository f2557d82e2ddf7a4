package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"blue/blue/internal/store"
)

// newestFirst fails the test unless the history of notes/x.md is these texts.
func newestFirst(t *testing.T, s *store.Store, want ...string) {
	t.Helper()
	past, err := s.Revisions("notes/x.md")
	must(t, err)
	var got []string
	for i, p := range past {
		data, err := s.ReadPast("notes/x.md", p.Revision)
		must(t, err)
		got = append(got, string(data))
		if i > 0 && p.Time.After(past[i-1].Time) {
			t.Errorf("%s was replaced after %s", got[i], got[i-1])
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("history %q\nwant %q", got, want)
	}
}

// texts are "from" down to "to".
func texts(from, to int) (all []string) {
	for i := from; i >= to; i-- {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

// edit replaces the text of notes/x.md by each number, the first of which creates it.
func edit(t *testing.T, s *store.Store, from, to int) {
	t.Helper()
	h := lock(t, s)
	defer h.Unlock()
	for i := from; i <= to; i++ {
		do := func() error { _, err := h.Replace("notes/x.md", "", fmt.Append(nil, i)); return err }
		if i == 0 {
			do = func() error { _, err := h.Create("notes/x.md", []byte("0")); return err }
		}
		must(t, do())
		if i > 0 {
			past, err := s.Revisions("notes/x.md")
			must(t, err)
			first, last := past[len(past)-1], past[0]
			if first.Revision != store.Revision([]byte("0")) || last.Revision != store.Revision(fmt.Append(nil, i-1)) {
				t.Fatalf("after edit %d the history goes from %+v to %+v", i, first, last)
			}
		}
	}
}

// The clock is set back between edits (that of a bubble begins in the year 2000).
// The history keeps the first text, each one that was just replaced, and their order.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	for _, before := range []int{10, 110, 130} {
		t.Run(fmt.Sprint(before), func(t *testing.T) {
			t.Parallel()
			_, s := project(t)
			edit(t, s, 0, before)
			synctest.Test(t, func(t *testing.T) { edit(t, s, before+1, before+30) })
			edit(t, s, before+31, before+35)
			newest := texts(before+34, max(before+35-100, 1))
			newestFirst(t, s, append(newest, "0")...)
		})
	}
}

// The files were copied without their times, in whatever order.
func TestCopiedWithoutTimes(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	edit(t, s, 0, 110)
	files, err := filepath.Glob(filepath.Join(root, ".blue", "history", "x", "*.md"))
	must(t, err)
	for i, path := range files { // the oldest looks the newest
		age(t, path, time.Duration(i)*time.Hour)
	}
	edit(t, s, 111, 140)
	newestFirst(t, s, append(texts(139, 40), "0")...)
}

// What was removed last comes back first, though the clock has been set back.
func TestTrashAndClockSetBack(t *testing.T) {
	t.Parallel()
	_, s := project(t)
	remove := func(t *testing.T, text string) {
		h := lock(t, s)
		defer h.Unlock()
		_, err := h.Create("notes/x.md", []byte(text))
		must(t, err)
		_, _, err = h.Remove("notes/x.md", "")
		must(t, err)
	}
	remove(t, "first")
	synctest.Test(t, func(t *testing.T) { remove(t, "second") })
	_, err := lock(t, s).Untrash("notes/x.md")
	must(t, err)
	if got := content(t, s, "notes/x.md"); got != "second" {
		t.Errorf("%q came back", got)
	}
}
