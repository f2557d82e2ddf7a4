package git_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"blue/blue/internal/git"
)

// A branch is compared with the default one of the remote, however a file is spelled
// that the file system takes for a note, below the directory alone, and from a cache once
// git has said it.
func TestFiles(t *testing.T) {
	dir, cache := t.TempDir(), filepath.Join(t.TempDir(), "cache")
	run := func(args ...string) {
		t.Helper()
		c := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Skipf("git %s: %v %s", args, err, out)
		}
	}
	put := func(name string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	holds := func(want bool, names ...string) {
		t.Helper()
		files, err := git.ReadBranch(filepath.Join(dir, "sub"), cache)
		for _, name := range names {
			if err != nil || files.Holds(name) != want {
				t.Errorf("%s: want %v of %q, %v", name, want, files, err)
			}
		}
	}
	run("init", "-q", "-b", "main")
	put("sub/.blue/notes/old.md")
	run("add", "-A")
	run("commit", "-qm", "one")
	run("checkout", "-qb", "work")
	put("sub/.BLUE/Notes/New.md")
	put("sub/.blue/notes/other.md")
	put("sub/.blue/note\u017f/long.md")    // file systems that do not tell case take this "s" for one,
	put("sub/.blue/no\u200ctes/joined.md") // or ignore what cannot be seen
	put("SUB/.blue/notes/upper.md")
	put("README.md")
	run("add", "-A")
	run("commit", "-qm", "two")
	holds(false, ".blue/notes/new.md", ".blue/notes/other.md") // there is no remote
	run("update-ref", "refs/remotes/origin/main", "main")
	holds(true, ".blue/notes/new.md", ".blue/notes/other.md", ".blue/notes/long.md", ".blue/notes/joined.md", ".blue/notes/upper.md")
	holds(false, ".blue/notes/old.md", "README.md", ".blue", "../README.md")
	t.Setenv("PATH", "")
	holds(true, ".blue/notes/new.md")
	if err := os.Remove(cache); err != nil {
		t.Fatal(err)
	}
	if files, err := git.ReadBranch(filepath.Join(dir, "sub"), cache); err == nil {
		t.Errorf("without git: %q", files)
	}
}
