package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"blue/blue/internal/git"
)

// TestRelative: a file has one name however it is spelled, and none outside.
func TestRelative(t *testing.T) {
	root := t.TempDir()
	other := filepath.Join(filepath.Dir(root), "other")
	for file, want := range map[string]string{
		"a.go": "a.go", "./sub//a.go": "sub/a.go", "sub/../a.go": "a.go", filepath.Join(root, "sub", "new.go"): "sub/new.go",
		filepath.Join(other, "a.go"): "a.go", ".": "", root: "", "../a.go": "", filepath.Dir(root): "",
	} {
		if name, ok := git.Relative(file, root, other); name != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", file, name, ok)
		}
	}
}

// TestHash: of a regular file below the directory alone, also through links.
func TestHash(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	for _, name := range []string{"out.go", "root/a.go", "root/same.go"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package a\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../out.go", filepath.Join(root, "link.go")); err != nil {
		t.Skip("no links here")
	}
	a := git.HashFile(root, "a.go")
	if len(a) != 16 || a != git.HashFile(root, "same.go") {
		t.Errorf("hashes %q, %q", a, git.HashFile(root, "same.go"))
	}
	for _, name := range []string{"none.go", "link.go", "../out.go", "."} {
		if hash := git.HashFile(root, name); hash != "" {
			t.Errorf("%s has the hash %q", name, hash)
		}
	}
}
