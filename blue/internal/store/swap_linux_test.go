package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"blue/blue/internal/store"

	"golang.org/x/sys/unix"
)

// swap exchanges two names over and over, and says on the channel how that ended.
func swap(one, other string) chan error {
	done := make(chan error, 1)
	go func() {
		var err error
		for i := 0; i < swaps() && err == nil; i++ {
			err = unix.Renameat2(unix.AT_FDCWD, one, unix.AT_FDCWD, other, unix.RENAME_EXCHANGE)
			time.Sleep(time.Duration(i%50) * time.Microsecond)
		}
		done <- err
	}()
	return done
}

// raced fails the test unless both outcomes were met, and skips it where two
// names cannot be exchanged.
func raced(t *testing.T, err error, served, refused int) {
	t.Helper()
	if err != nil {
		t.Skipf("SKIPPED: the file system cannot exchange two names: %v", err)
	}
	if served == 0 || refused == 0 {
		t.Errorf("%d reads served, %d refused: no race", served, refused)
	}
	t.Logf("%d swaps, %d reads served, %d refused", swaps(), served, refused)
}

// Promise 21: no swap of a directory for a link, at whatever moment, leads away.
// A link that leaves .blue is refused by os.Root, one that stays inside is not.
func TestSwappedDirectory(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"outside", "inside"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			root, s := project(t)
			away, target := filepath.Join(root, ".blue", "away"), "away" // absolute links lead out
			if where == "outside" {
				away = filepath.Join(t.TempDir(), "away")
				target = away
			}
			must(t, os.Mkdir(away, 0o755))
			for _, name := range []string{"x.md", "bait.md"} {
				must(t, os.WriteFile(filepath.Join(away, name), []byte("away"), 0o644))
			}
			write(t, root, "notes/x.md", "here")
			dir := filepath.Join(root, ".blue", "notes")
			must(t, os.Symlink(target, dir+"-link"))
			race(t, s, swap(dir, dir+"-link"))
			entries, err := os.ReadDir(away)
			must(t, err)
			bait, err := os.ReadFile(filepath.Join(away, "x.md"))
			if must(t, err); len(entries) != 2 || string(bait) != "away" {
				t.Fatalf("changed through the link: %v, %q", entries, bait)
			}
		})
	}
}

// race reads and writes until the swapping is done, and counts the reads.
func race(t *testing.T, s *store.Store, done chan error) {
	t.Helper()
	h := lock(t, s)
	served, refused := 0, 0
	for i := 0; len(done) == 0 || i < 10; i++ {
		data, _, err := s.Read("notes/x.md")
		if err == nil {
			served++
		} else {
			refused++
		}
		if _, _, baited := s.Read("notes/bait.md"); string(data) == "away" || baited == nil {
			t.Fatal("read through the link")
		}
		if i%8 == 0 {
			h.Replace("notes/x.md", "", fmt.Append(nil, i))
			h.Create("notes/y.md", []byte("y"))
			h.Remove("notes/y.md", "")
		}
	}
	raced(t, <-done, served, refused)
}

// What is opened is what was looked at: no other file by a link, and no FIFO that
// hangs.
func TestSwappedNote(t *testing.T) {
	t.Parallel()
	for kind, make := range map[string]func(path string) error{
		"link": func(path string) error { return os.Symlink("other.md", path) },
		"FIFO": func(path string) error { return unix.Mkfifo(path, 0o644) },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			root, s := project(t)
			write(t, root, "notes/other.md", "other")
			path := write(t, root, "notes/x.md", "x")
			must(t, make(path+"-swapped"))
			served, refused := 0, 0
			done := swap(path, path+"-swapped")
			for i := 0; len(done) == 0 || i < 10; i++ {
				switch data, _, err := s.Read("notes/x.md"); {
				case err != nil:
					refused++
				case string(data) != "x":
					t.Fatalf("read %q", data)
				default:
					served++
				}
			}
			raced(t, <-done, served, refused)
		})
	}
}
