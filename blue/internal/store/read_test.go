package store_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/store"
	"blue/errors"
)

func TestFilesInOrderWithProblems(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	for _, name := range []string{"notes/b.md", "notes/a.md", "notes/.tmp-1-2", "notes/.hidden.md", "notes/readme.txt", "private/c.md"} {
		write(t, root, name, "text")
	}
	write(t, root, "notes/d.md/inner.md", "a directory is no note")
	write(t, root, "notes/big.md", strings.Repeat("x", store.Limit+1))
	write(t, root, "notes/full.md", strings.Repeat("x", store.Limit))
	var got []string
	for file, err := range s.Files(context.Background()) {
		must(t, err)
		got = append(got, file.Name+" "+file.Problem)
		if file.Problem == "" && (file.Size == 0 || file.ModTime.IsZero()) {
			t.Errorf("no size or time: %+v", file)
		}
		if _, _, err := s.Read(file.Name); (err == nil) != (file.Problem == "") {
			t.Errorf("%s: problem %q, reading says %v", file.Name, file.Problem, err)
		}
	}
	want := []string{
		"notes/.hidden.md the name begins or ends with a space or dot", "notes/a.md ", "notes/b.md ",
		"notes/big.md it is larger than 1 MiB", "notes/d.md it is a directory", "notes/full.md ",
		"notes/readme.txt the name does not end in .md", "private/c.md ",
	}
	if !slices.Equal(got, want) {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestFilesEndsWithItsContext(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	write(t, root, "notes/a.md", "a")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, err := range s.Files(ctx) {
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v", err)
		}
	}
}

// `.blue` replaced by another directory while the server runs.
func TestReplacedMarkerIsNoticed(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	write(t, root, "notes/old.md", "old")
	if !s.Same() {
		t.Fatal("not the same although nothing happened")
	}
	blue := filepath.Join(root, ".blue")
	if err := os.Rename(blue, blue+"-before"); err != nil {
		t.Skipf("SKIPPED: an open directory cannot be moved here: %v", err)
	}
	if s.Same() {
		t.Fatal("the same although .blue is gone")
	}
	write(t, root, "notes/new.md", "new")
	if s.Same() {
		t.Fatal("the same although .blue is another one")
	}
	if content(t, open(t, root), "notes/new.md") != "new" || content(t, s, "notes/old.md") != "old" {
		t.Fatal("a store must keep to the directory it opened")
	}
}

// An unreadable store is an error with file and cause, never "no notes".
func TestUnreadableStoreIsNotEmpty(t *testing.T) {
	t.Parallel()
	t.Run("closed to us", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() <= 0 {
			t.Skip("SKIPPED: needs an ordinary user, permissions do not hold for root")
		}
		root, s := project(t)
		path := filepath.Dir(write(t, root, "notes/x.md", "x"))
		must(t, os.Chmod(path, 0))
		t.Cleanup(func() { os.Chmod(path, 0o755) })
		refusesToList(t, s, path, errors.Disk)
	})
	t.Run("a note closed to us", func(t *testing.T) {
		t.Parallel()
		if os.Geteuid() <= 0 {
			t.Skip("SKIPPED: needs an ordinary user, permissions do not hold for root")
		}
		root, s := project(t)
		path := write(t, root, "notes/x.md", "x")
		must(t, os.Chmod(path, 0))
		_, _, err := s.Read("notes/x.md")
		isKind(t, err, errors.Disk)
		if !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("no file or cause in %q", err)
		}
	})
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		root, s := project(t)
		refusesToList(t, s, write(t, root, "notes", "no directory"), errors.BadMarker)
	})
	t.Run("gone", func(t *testing.T) {
		t.Parallel()
		root, s := project(t)
		if err := os.Remove(filepath.Join(root, ".blue")); err != nil {
			t.Skipf("SKIPPED: an open directory cannot be removed here: %v", err)
		}
		refusesToList(t, s, filepath.Join(root, ".blue"), errors.Disk)
		_, _, err := s.Read("notes/x.md")
		isKind(t, err, errors.Disk)
	})
}

func refusesToList(t *testing.T, s *store.Store, path string, kind errors.Kind) {
	t.Helper()
	var first error
	for _, err := range s.Files(context.Background()) {
		if first == nil {
			first = err
		}
	}
	isKind(t, first, kind)
	if !strings.Contains(first.Error(), errors.Quote(path)) {
		t.Errorf("%q does not name %s", first, path)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	t.Run("nothing there", func(t *testing.T) {
		t.Parallel()
		_, err := store.Open(t.TempDir(), ".blue")
		isKind(t, err, errors.Disk)
	})
	t.Run("a file", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		must(t, os.WriteFile(filepath.Join(root, ".blue"), nil, 0o644))
		_, err := store.Open(root, ".blue")
		isKind(t, err, errors.BadMarker)
	})
	t.Run("a link", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		symlink(t, t.TempDir(), filepath.Join(root, ".blue"))
		_, err := store.Open(root, ".blue")
		isKind(t, err, errors.BadMarker)
	})
	t.Run("a link that stays inside", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		must(t, os.Mkdir(filepath.Join(root, "real"), 0o755))
		symlink(t, "real", filepath.Join(root, ".blue"))
		_, err := store.Open(root, ".blue")
		isKind(t, err, errors.BadMarker)
	})
}

func symlink(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
}
