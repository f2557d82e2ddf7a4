package store_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures"
)

// project makes an empty project and opens its store.
func project(t testing.TB) (root string, s *store.Store) {
	t.Helper()
	root = t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, ".blue"), 0o755))
	return root, open(t, root)
}

func open(t testing.TB, root string) *store.Store {
	t.Helper()
	s, err := store.Open(root, ".blue")
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func lock(t testing.TB, s *store.Store) *store.Held {
	t.Helper()
	h, err := s.Lock(context.Background())
	must(t, err)
	t.Cleanup(func() { h.Unlock() })
	return h
}

var must = fixtures.Must

// isKind fails the test unless err is of the kind and, if it was made to be seen,
// says what to do.
func isKind(t testing.TB, err error, kind errors.Kind) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want kind %s", err, kind)
	}
	if e, ok := errors.AsType[*errors.Error](err); ok && len(e.Hints) == 0 {
		t.Fatalf("error %v has no hint", err)
	}
}

// tree lists everything below .blue but the lock: path, mode and bytes.
func tree(t testing.TB, root string) string {
	t.Helper()
	var lines []string
	top := filepath.Join(root, ".blue")
	must(t, filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == ".lock" {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = store.Revision(data)
		}
		name, _ := filepath.Rel(top, path)
		lines = append(lines, fmt.Sprintf("%s %s %s", filepath.ToSlash(name), info.Mode(), content))
		return nil
	}))
	return strings.Join(lines, "\n")
}

func write(t testing.TB, root, name, text string) string {
	t.Helper()
	path := filepath.Join(root, ".blue", filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func content(t testing.TB, s *store.Store, name string) string {
	t.Helper()
	data, revision, err := s.Read(name)
	must(t, err)
	if revision != store.Revision(data) {
		t.Fatalf("revision %s of %q", revision, data)
	}
	return string(data)
}

func noTemps(t testing.TB, root string) {
	t.Helper()
	if strings.Contains(tree(t, root), ".tmp-") {
		t.Fatalf("temporary file left:\n%s", tree(t, root))
	}
}

func TestLifeOfANote(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"notes/x-a2b3.md", "private/x-a2b3.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, s := project(t)
			h := lock(t, s)
			one, err := h.Create(name, []byte("one\n"))
			must(t, err)
			if one != (store.Saved{Revision: store.Revision([]byte("one\n")), Durable: one.Durable}) {
				t.Fatalf("created %+v", one)
			}
			two, err := h.Replace(name, one.Revision, []byte("two\n"))
			must(t, err)
			if _, err := h.Replace(name, "", []byte("three\n")); err != nil {
				t.Fatal(err)
			}
			past, err := s.Revisions(name)
			must(t, err)
			if len(past) != 2 || past[0].Revision != two.Revision || past[1].Revision != one.Revision || past[0].Size != 4 {
				t.Fatalf("history %+v", past)
			}
			old, err := s.ReadPast(name, one.Revision)
			must(t, err)
			if string(old) != "one\n" {
				t.Fatalf("past %q", old)
			}
			_, trashed, err := h.Remove(name, store.Revision([]byte("three\n")))
			must(t, err)
			_, _, err = s.Read(name)
			isKind(t, err, errors.NotFound)
			bin, err := s.Trash()
			must(t, err)
			if len(bin) != 1 || bin[0].Name != name || bin[0].File != trashed || bin[0].Size != 6 {
				t.Fatalf("trash %+v, removed to %s", bin, trashed)
			}
			if data, _, err := s.ReadTrashed(trashed); err != nil || string(data) != "three\n" {
				t.Fatalf("trashed %q, %v", data, err)
			}
			back, err := h.Untrash(name)
			must(t, err)
			if content(t, s, name) != "three\n" || back.Revision != store.Revision([]byte("three\n")) {
				t.Fatalf("came back as %+v", back)
			}
			noTemps(t, root)
		})
	}
}

func TestPrivateFilesAreForTheirOwner(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no permission bits here")
	}
	root, s := project(t)
	h := lock(t, s)
	for _, name := range []string{"notes/p.md", "private/p.md"} {
		_, err := h.Create(name, []byte("a"))
		must(t, err)
		_, err = h.Replace(name, "", []byte("b"))
		must(t, err)
		_, _, err = h.Remove(name, "")
		must(t, err)
	}
	for line := range strings.Lines(tree(t, root)) {
		words := strings.Fields(line)
		isPrivate, open := strings.Contains(words[0], "private"), words[1][4:] != "------"
		if words[0] == "history/.log" { // which names private notes too
			isPrivate = true
		}
		if words[0] != "." && isPrivate == open {
			t.Errorf("mode of %s", line)
		}
	}
}

func TestOwnersModeIsNotWidened(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no permission bits here")
	}
	root, s := project(t)
	must(t, os.Chmod(write(t, root, "notes/x.md", "a"), 0o600))
	_, err := lock(t, s).Replace("notes/x.md", "", []byte("b"))
	must(t, err)
	if all := tree(t, root); strings.Count(all, "-rw-------") != 3 { // and history/.log
		t.Fatalf("modes:\n%s", all)
	}
}
