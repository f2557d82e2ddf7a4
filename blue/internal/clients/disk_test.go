package clients_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/blue/internal/clients"
	"blue/errors"
)

// listing names the entries of a directory.
func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func content(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	return string(text)
}

func write(path string, before, after []byte) error {
	return clients.ConfigFile{Path: path}.Write(before, after)
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, ".kiro", "settings", "mcp.json")
	if got, err := clients.Load(path); got != nil || err != nil {
		t.Fatalf("absent: %q %v", got, err)
	}
	must(t, write(path, nil, []byte("one")))
	if got := listing(t, filepath.Dir(path)); got != "mcp.json" {
		t.Errorf("a new file leaves %s", got)
	}
	if runtime.GOOS != "windows" {
		if err := os.Chmod(path, 0o664); err != nil { // wider than the usual mask
			t.Fatal(err)
		}
	}
	must(t, write(path, []byte("one"), []byte("two")))
	if info, _ := os.Stat(path); content(t, path) != "two" || runtime.GOOS != "windows" && info.Mode().Perm() != 0o664 {
		t.Errorf("%s, mode %v", content(t, path), info.Mode())
	}
	then, _ := os.Stat(path)
	must(t, write(path, []byte("two"), []byte("two")))
	if now, _ := os.Stat(path); !os.SameFile(then, now) {
		t.Error("nothing to write, and yet the file was written")
	}
	if got := listing(t, filepath.Dir(path)); got != "mcp.json" {
		t.Errorf("left are %s", got)
	}
}

// The text from before Blue's first edit is known as long as the file holds what Blue has left, or
// was about to leave.
func TestOriginals(t *testing.T) {
	o, f := clients.Originals(filepath.Join(t.TempDir(), "setup")), clients.ConfigFile{Path: "/x/mcp.json"}
	if _, known := o.Of(f, []byte("one")); known {
		t.Error("known before anything was kept")
	}
	for _, was := range [][]byte{[]byte("zero"), {}, nil} {
		must(t, o.Keep(f, was, was, []byte("one")))
		must(t, o.Keep(f, was, []byte("one"), []byte("two")))
		for now, want := range map[string]bool{"one": true, "two": true, "three": false, "": false} {
			text, known := o.Of(f, []byte(now))
			if known != want || known && (string(text) != string(was) || (text == nil) != (was == nil)) {
				t.Errorf("%q after %q: %q, %v", now, was, text, known)
			}
		}
	}
	if _, known := o.Of(clients.ConfigFile{Path: "/y/mcp.json"}, []byte("two")); known {
		t.Error("known of another file")
	}
	o.Drop(f)
	if _, known := o.Of(f, []byte("two")); known {
		t.Error("known after it was dropped")
	}
}

// TestWriteEmpty: an empty file is not an absent one.
func TestWriteEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mcp.json")
	must(t, os.WriteFile(path, nil, 0o600))
	before, err := clients.Load(path)
	if before == nil || err != nil {
		t.Fatalf("%v %v", before, err)
	}
	if err := write(path, nil, []byte("x")); !errors.Is(err, errors.Conflict) {
		t.Errorf("written over a file that appeared: %v", err)
	}
	if err := write(path, before, []byte("x")); err != nil || content(t, path) != "x" {
		t.Errorf("%v", err)
	}
}

func TestWriteChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp.json")
	must(t, write(path, nil, []byte("theirs")))
	err := write(path, []byte("as read"), []byte("ours"))
	if !errors.Is(err, errors.Conflict) || content(t, path) != "theirs" {
		t.Errorf("%v, %s", err, content(t, path))
	}
	must(t, os.Remove(path))
	if err := write(path, []byte("as read"), []byte("ours")); !errors.Is(err, errors.Conflict) {
		t.Errorf("removed meanwhile: %v", err)
	}
	if got := listing(t, dir); strings.Contains(got, "setup") {
		t.Errorf("left are %s", got)
	}
}

func TestWriteLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on this system")
	}
	dir := t.TempDir()
	target := filepath.Join(dir, "dotfiles", "mcp.json")
	link := filepath.Join(dir, "mcp.json")
	must(t, write(target, nil, []byte("one")))
	must(t, os.Symlink(filepath.Join("dotfiles", "mcp.json"), link))
	must(t, write(link, []byte("one"), []byte("two")))
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || content(t, target) != "two" {
		t.Errorf("the link became %v, its target %s", info.Mode(), content(t, target))
	}
	must(t, os.Remove(target))
	if _, err := clients.Load(link); !errors.Is(err, errors.Untouched) {
		t.Errorf("a dangling link: %v", err)
	}
	if err := write(link, nil, []byte("x")); !errors.Is(err, errors.Untouched) {
		t.Errorf("written through a dangling link: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := clients.Load(dir); !errors.Is(err, errors.Untouched) {
		t.Errorf("a directory: %v", err)
	}
	huge := filepath.Join(dir, "huge")
	must(t, os.WriteFile(huge, nil, 0o600))
	must(t, os.Truncate(huge, 65<<20))
	if _, err := clients.Load(huge); !errors.Is(err, errors.TooLarge) {
		t.Errorf("65 MiB: %v", err)
	}
	if err := write(filepath.Join(huge, "x"), nil, []byte("x")); !errors.Is(err, errors.Disk) {
		t.Errorf("below a file: %v", err)
	}
}

func TestReadOnlyDirectory(t *testing.T) {
	if os.Geteuid() <= 0 {
		t.Skip("root writes everywhere; Windows has no such mode")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "mcp.json")
	must(t, write(path, nil, []byte("one")))
	must(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	err := write(path, []byte("one"), []byte("two"))
	if !errors.Is(err, errors.Disk) || content(t, path) != "one" || listing(t, dir) != "mcp.json" {
		t.Errorf("%v: %s, %s", err, content(t, path), listing(t, dir))
	}
}
