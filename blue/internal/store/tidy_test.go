package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

const moment = "20060102T150405.000000000Z"

// nobody is a process id that no system gives.
const nobody = 999_999_999

// age sets the time of a file back.
func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	must(t, os.Chtimes(path, then, then))
}

func TestTidyRemovesOnlyWhatIsOursAndOld(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	var old []string
	for _, dir := range []string{"", "notes/", "private/", "history/x/", "history/private/x/"} {
		for _, name := range []string{fmt.Sprintf(".tmp-%d-old", nobody), ".tmp-of-nobody"} {
			path := write(t, root, dir+name, "old")
			age(t, path, 2*time.Hour)
			old = append(old, path)
		}
		write(t, root, dir+fmt.Sprintf(".tmp-%d-young", nobody), "young")
		age(t, write(t, root, dir+fmt.Sprintf(".tmp-%d-living", os.Getpid()), "its process lives"), 2*time.Hour)
		age(t, write(t, root, dir+"old.txt", "not ours"), 99*time.Hour)
	}
	for _, dir := range []string{"trash/", "trash/private/"} {
		day := 24 * time.Hour
		age(t, write(t, root, dir+"x-"+time.Now().UTC().Add(-999*day).Format(moment)+".md", "stays"), 999*day)
		age(t, write(t, root, dir+"not-ours.md", "not ours"), 99*day)
	}
	before := strings.Count(tree(t, root), "\n")
	must(t, lock(t, s).Unlock())
	for _, path := range old {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if after := strings.Count(tree(t, root), "\n"); after != before-len(old) {
		t.Errorf("%d of %d lines are left, %d files were old:\n%s", after, before, len(old), tree(t, root))
	}

	again := write(t, root, "history/x/.tmp-of-nobody", "old")
	age(t, again, 2*time.Hour)
	must(t, lock(t, s).Unlock())
	if _, err := os.Lstat(again); err != nil {
		t.Error("the history was looked at twice within an hour")
	}
	hourAgo := fmt.Sprintf("1 %d\n", time.Now().Add(-61*time.Minute).Unix())
	must(t, os.WriteFile(filepath.Join(root, ".blue", ".lock"), []byte(hourAgo), 0o644))
	must(t, lock(t, s).Unlock())
	if _, err := os.Lstat(again); err == nil {
		t.Error("not tidied after an hour")
	}
}

// After a writer that was killed in the middle of an edit the next write sweeps the
// history of other notes as well.
func TestSweptAfterAKill(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	must(t, lock(t, s).Unlock())
	holder := hold(t, root)
	temp := write(t, root, fmt.Sprintf("history/y/.tmp-%d-0123456789abcdef", holder.Process.Pid), "left")
	age(t, temp, 2*time.Hour)
	must(t, holder.Process.Kill())
	holder.Wait()
	must(t, lock(t, s).Unlock())
	if _, err := os.Lstat(temp); err == nil {
		t.Error("what was left is still there")
	}
}

func TestHistoryKeepsTheFirstAndTheNewestHundred(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	h := lock(t, s)
	_, err := h.Create("notes/x.md", []byte("0"))
	must(t, err)
	for i := range 150 {
		_, err := h.Replace("notes/x.md", "", fmt.Append(nil, i+1))
		must(t, err)
	}
	past, err := s.Revisions("notes/x.md")
	must(t, err)
	if len(past) != 101 {
		t.Fatalf("%d revisions", len(past))
	}
	for i, p := range past[:100] {
		if p.Revision != store.Revision(fmt.Append(nil, 149-i)) {
			t.Fatalf("revision %d is not that of %d", i, 149-i)
		}
	}
	if past[100].Revision != store.Revision([]byte("0")) {
		t.Fatal("the first revision is gone")
	}
	if kept, _ := os.ReadDir(filepath.Join(root, ".blue", "history", "x")); len(kept) > 121 {
		t.Errorf("%d files are kept", len(kept))
	}
}

// A content that comes back and is replaced again is the newest of the history,
// so that it is not the first to go.
func TestReplacedAgainIsTheNewest(t *testing.T) {
	t.Parallel()
	_, s := project(t)
	h := lock(t, s)
	_, err := h.Create("notes/x.md", []byte("a"))
	must(t, err)
	for _, text := range []string{"b", "c", "b", "d", "a", "e"} {
		_, err := h.Replace("notes/x.md", "", []byte(text))
		must(t, err)
	}
	past, err := s.Revisions("notes/x.md")
	must(t, err)
	var got []string
	for _, p := range past {
		data, err := s.ReadPast("notes/x.md", p.Revision)
		must(t, err)
		got = append(got, string(data))
	}
	if want := []string{"d", "b", "c", "a"}; !slices.Equal(got, want) {
		t.Fatalf("history %v, want %v", got, want)
	}
}

func TestHistoryOfAProjectIsBounded(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	text := strings.Repeat("x", store.Limit-1)
	named := func(dir string, n, hours int) string {
		return write(t, root, fmt.Sprintf("%s/%s-%016x.md", dir, time.Now().UTC().Add(-time.Duration(hours)*time.Hour).Format(moment), n), text)
	}
	days := map[string]int{} // file → age
	for i := range 80 {
		days[named(fmt.Sprintf("history/n%d", i/40), i, 1000-i)] = 1000 - i
	}
	// One of a single revision, older than all, is first and last at once.
	named("history/private/single", 99, 9999)
	must(t, lock(t, s).Unlock())
	size, err := s.HistorySize(context.Background())
	must(t, err)
	if size > 64<<20 || size < 63<<20 {
		t.Errorf("history of %d bytes", size)
	}
	for path, hours := range days {
		_, err := os.Lstat(path)
		// 81 files were there, 64 fit: 17 of the oldest are gone, but not the first.
		if gone := hours <= 999 && hours > 999-17; (err != nil) != gone {
			t.Errorf("%s, %d hours old: %v", path, hours, err)
		}
	}
	if past, _ := s.Revisions("private/single.md"); len(past) != 1 {
		t.Error("the only revision of a note is gone")
	}
}

func TestDamagedHistoryIsNotServed(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	h := lock(t, s)
	first, err := h.Create("notes/x.md", []byte("one"))
	must(t, err)
	_, err = h.Replace("notes/x.md", "", []byte("two"))
	must(t, err)
	kept, err := filepath.Glob(filepath.Join(root, ".blue", "history", "x", "*-"+first.Revision+".md"))
	must(t, err)
	must(t, os.WriteFile(kept[0], []byte("tampered"), 0o644))
	_, err = s.ReadPast("notes/x.md", first.Revision)
	isKind(t, err, errors.Disk)
	for _, text := range []string{"one", "three"} { // replacing "one" mends it
		_, err = h.Replace("notes/x.md", "", []byte(text))
		must(t, err)
	}
	if data, err := s.ReadPast("notes/x.md", first.Revision); err != nil || string(data) != "one" {
		t.Errorf("%q, %v", data, err)
	}
}
