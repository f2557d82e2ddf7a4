package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// HEAD is read as git says it stands, wherever the reference is kept.
func TestFindCheckout(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "repo")
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	must(t, os.Mkdir(dir, 0o755))
	r := repository{t, dir}
	if c := FindCheckout(dir); c.Top != "" || c.State() != "" {
		t.Errorf("outside a working tree: %+v", c)
	}
	r.git("init", "-q", "-b", "main")
	if c := FindCheckout(dir); c.Top != dir || c.Commit != "" || c.Shallow {
		t.Errorf("before the first commit: %+v", c)
	}
	r.git("commit", "-q", "--allow-empty", "-m", "one")
	same := func(what, dir string) {
		t.Helper()
		if c, want := FindCheckout(dir), (repository{t, dir}).git("rev-parse", "HEAD"); c.Commit != want {
			t.Errorf("%s: %+v, want %s", what, c, want)
		}
	}
	same("loose", dir)
	r.git("branch", "other/branch")
	r.git("pack-refs", "--all")
	same("packed", dir)
	r.git("commit", "-q", "--allow-empty", "-m", "two")
	same("loose above packed", dir)
	linked := filepath.Join(filepath.Dir(dir), "linked")
	r.git("worktree", "add", "-q", linked, "other/branch")
	same("linked worktree", linked)
	if branch := Branch(linked); branch != "other/branch" {
		t.Errorf("branch %q", branch)
	}
	repository{t, linked}.git("checkout", "-q", "--detach")
	same("detached", linked)
	bare := filepath.Join(filepath.Dir(dir), "bare.git")
	repository{t, filepath.Dir(dir)}.git("clone", "-q", "--bare", dir, bare)
	repository{t, bare}.git("worktree", "add", "-q", filepath.Join(filepath.Dir(dir), "of-bare"), "main")
	same("worktree of a bare repository", filepath.Join(filepath.Dir(dir), "of-bare"))
	shallow := filepath.Join(filepath.Dir(dir), "shallow")
	repository{t, filepath.Dir(dir)}.git("clone", "-q", "--depth", "1", "file://"+dir, shallow)
	if c := FindCheckout(shallow); !c.Shallow {
		t.Errorf("shallow: %+v", c)
	}
	same("shallow", shallow)
	must(t, os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/../../../etc/passwd\n"), 0o644))
	if c := FindCheckout(dir); c.Commit != "" {
		t.Errorf("a reference out of the directory: %+v", c)
	}
}
