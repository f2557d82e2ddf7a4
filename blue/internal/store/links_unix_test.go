//go:build unix

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/errors"

	"golang.org/x/sys/unix"
)

// Nothing that is not a regular file is opened: a FIFO would hang its reader.
func TestOnlyRegularFilesAreOpened(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	dir := filepath.Join(root, ".blue", "notes")
	must(t, os.Mkdir(dir, 0o755))
	outside := filepath.Join(t.TempDir(), "outside.md")
	must(t, os.WriteFile(outside, []byte("outside"), 0o644))
	write(t, root, "notes/real.md", "real")
	must(t, unix.Mkfifo(filepath.Join(dir, "fifo.md"), 0o644))
	must(t, os.Symlink(outside, filepath.Join(dir, "out.md")))
	must(t, os.Symlink("real.md", filepath.Join(dir, "in.md")))
	must(t, os.Symlink("nowhere.md", filepath.Join(dir, "dead.md")))
	if err := unix.Mknod(filepath.Join(dir, "socket.md"), unix.S_IFSOCK|0o644, 0); err != nil {
		t.Logf("SKIPPED: no socket: %v", err) // needs root on macOS
	}

	h := lock(t, s)
	before := tree(t, root)
	for file, err := range s.Files(context.Background()) {
		must(t, err)
		if (file.Problem == "") != (file.Name == "notes/real.md") {
			t.Errorf("%s: %q", file.Name, file.Problem)
		}
		if file.ChangeTime.IsZero() || file.Inode == 0 {
			t.Errorf("no change time or inode: %+v", file)
		}
		if file.Problem == "" {
			continue
		}
		_, _, err = s.Read(file.Name)
		isKind(t, err, errors.Invalid)
		_, err = h.Replace(file.Name, "", []byte("new"))
		isKind(t, err, errors.Invalid)
		_, _, err = h.Remove(file.Name, "")
		isKind(t, err, errors.Invalid)
		_, err = h.Create(file.Name, []byte("new"))
		isKind(t, err, errors.Exists)
	}
	if tree(t, root) != before {
		t.Errorf("before\n%s\nafter\n%s", before, tree(t, root))
	}
}

// A directory of the store that is a link is left alone, wherever it leads; the
// others still work.
func TestLinkedDirectories(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"outside", "inside"} {
		for _, linked := range []string{"notes", "private", "history", "trash", "history/x", "trash/private"} {
			t.Run(linked+" "+target, func(t *testing.T) {
				t.Parallel()
				root, _ := project(t)
				link := filepath.Join(root, ".blue", linked)
				must(t, os.MkdirAll(filepath.Dir(link), 0o755))
				elsewhere := filepath.Join(root, ".blue", "elsewhere")
				leads, err := filepath.Rel(filepath.Dir(link), elsewhere) // os.Root refuses absolute links
				must(t, err)
				if target == "outside" {
					elsewhere = t.TempDir()
					leads = elsewhere
				}
				must(t, os.MkdirAll(elsewhere, 0o755))
				must(t, os.Symlink(leads, link))
				useEverything(t, root, linked)
				if names, _ := os.ReadDir(elsewhere); len(names) != 0 {
					t.Errorf("written through the link: %v", names)
				}
			})
		}
	}
}

// useEverything writes and reads in both directories; whatever needs the linked
// one must be refused, naming it, and nothing else.
func useEverything(t *testing.T, root, linked string) {
	t.Helper()
	s := open(t, root)
	h := lock(t, s)
	top := strings.Split(linked, "/")[0]
	refused := 0
	check := func(err error) {
		t.Helper()
		if err == nil {
			return
		}
		if refused++; errors.Is(err, errors.NotFound) {
			return // follows from an earlier refusal
		}
		isKind(t, err, errors.BadMarker)
		if !strings.Contains(err.Error(), filepath.Join(".blue", linked)) {
			t.Errorf("%q does not name %s", err, linked)
		}
	}
	for _, name := range []string{"notes/x.md", "private/x.md"} {
		_, err := h.Create(name, []byte("one"))
		check(err)
		_, err = h.Replace(name, "", []byte("two"))
		check(err)
		_, _, err = s.Read(name)
		check(err)
		_, err = s.Revisions(name)
		check(err)
		_, _, err = h.Remove(name, "")
		check(err)
		_, err = h.Untrash(name)
		check(err)
	}
	_, err := s.Trash()
	check(err)
	seen := 0
	for _, err := range s.Files(context.Background()) {
		check(err)
		seen++
	}
	if refused == 0 {
		t.Errorf("%s is linked and nothing was refused", linked)
	}
	if want := 2; seen != want && top != "trash" {
		t.Errorf("%d entries or errors listed", seen)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("SKIPPED: needs an ordinary user, permissions do not hold for root")
	}
	root, s := project(t)
	write(t, root, "notes/x.md", "old")
	must(t, lock(t, s).Unlock())
	dir := filepath.Join(root, ".blue", "notes")
	must(t, os.Chmod(dir, 0o555))
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	h := lock(t, s)
	_, err := h.Create("notes/y.md", []byte("new"))
	isKind(t, err, errors.Disk)
	_, err = h.Replace("notes/x.md", "", []byte("new"))
	isKind(t, err, errors.Disk)
	_, _, err = h.Remove("notes/x.md", "")
	isKind(t, err, errors.Disk)
	if content(t, s, "notes/x.md") != "old" {
		t.Error("the note has changed")
	}
	noTemps(t, root)

	must(t, h.Unlock())
	must(t, os.Remove(filepath.Join(root, ".blue", ".lock")))
	must(t, os.Chmod(filepath.Dir(dir), 0o555))
	t.Cleanup(func() { os.Chmod(filepath.Dir(dir), 0o755) })
	_, err = s.Lock(context.Background())
	isKind(t, err, errors.Disk)
}
