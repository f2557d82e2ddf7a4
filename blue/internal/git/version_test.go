package git

import (
	"os"
	"path/filepath"
	"testing"
)

// The commit with a cited text is found below the directory alone, also of a file that is gone; where there is
// none, or no commit at all, nothing is said.
func TestFindVersion(t *testing.T) {
	r := newRepository(t)
	dir := filepath.Join(r.dir, "sub")
	find := func(name, hash string) (commit, text string, changed bool) {
		t.Helper()
		commit, text, changed, err := FindVersion(t.Context(), dir, name, hash)
		if err != nil {
			t.Error(err)
		}
		return commit, text, changed
	}
	r.write("sub/*.go", "one\n")
	first := HashFile(dir, "*.go")
	if commit, _, changed := find("*.go", first); commit != "" || changed {
		t.Errorf("without commits: %s", commit)
	}
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		r.write("sub/*.go", text)
		r.write("sub/other.go", "one\n")
		r.git("add", "-A")
		r.git("commit", "-q", "-m", text)
	}
	if commit, text, _ := find("*.go", first); len(commit) < 40 || text != "one\n" {
		t.Errorf("%s, %q", commit, text)
	}
	if commit, _, changed := find("*.go", "0123456789abcdef"); commit != "" || !changed {
		t.Errorf("a text that was never committed: %s", commit)
	}
	must(t, os.Remove(filepath.Join(dir, "*.go")))
	r.git("commit", "-q", "-a", "-m", "gone")
	if commit, text, _ := find("*.go", first); commit == "" || text != "one\n" {
		t.Errorf("of a file that is gone: %s, %q", commit, text)
	}
	for _, name := range []string{"never.go", "", "a\nb"} {
		if commit, _, changed := find(name, first); commit != "" || changed && name != "" {
			t.Errorf("%q: %s", name, commit)
		}
	}
}
