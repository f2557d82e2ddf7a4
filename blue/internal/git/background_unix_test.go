//go:build unix

package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"blue/blue/internal/git"
	"blue/fixtures"
)

// A git that ends well has done its work, though a process that it started goes on and has its
// standard error, as one that collects garbage in a remote on this machine.
func TestGitLeavesAProcessBehind(t *testing.T) {
	dir, programs := t.TempDir(), t.TempDir()
	fixtures.Must(t, os.Mkdir(filepath.Join(dir, ".git"), 0o755), os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o644),
		os.WriteFile(filepath.Join(programs, "git"), []byte("#!/bin/sh\nsleep 2 >&2 &\necho done\n"), 0o755))
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := git.Command{Dir: dir, Args: []string{"push"}}.Output(t.Context())
	if err != nil || string(out) != "done\n" {
		t.Errorf("%q, %v", out, err)
	}
}
