//go:build unix

package notesync

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"blue/errors"
)

// A sync, whose commands may be silent for long, looks first for a reference or an
// object that git would wait for.
func TestReferences(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: git %s: %v %s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "one")
	git("worktree", "add", "-q", "-b", "side", filepath.Join(dir, "linked"))
	env := func(string) string { return "" }
	for _, at := range []string{dir, filepath.Join(dir, "linked")} {
		if _, err := openGit(t.Context(), at, env); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{"refs/heads/pipe", "refs/replace", "objects/pack/pack-1.idx"} {
			pipe := filepath.Join(dir, ".git", file)
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := openGit(t.Context(), at, env); !errors.Is(err, errors.Timeout) || !strings.Contains(err.Error(), ".git/"+file+" is a named pipe") {
				t.Errorf("%s is a named pipe: %v", file, err)
			}
			if err := syscall.Unlink(pipe); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"refs/blue", "refs/blue/remotes"} { // git would write where it leads
			link := filepath.Join(dir, ".git", name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(t.TempDir(), link)); err != nil {
				t.Fatal(err)
			}
			if _, err := openGit(t.Context(), at, env); err == nil || !strings.Contains(err.Error(), ".git/"+name+" is a link") {
				t.Errorf("%s is a link: %v", name, err)
			}
			if err := os.RemoveAll(filepath.Join(dir, ".git", "refs", "blue")); err != nil {
				t.Fatal(err)
			}
		}
	}
}
