package git

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that is gone is followed by what is staged and by commits, below the
// directory alone, and no name becomes an option or a pattern.
func TestRenamed(t *testing.T) {
	r := newRepository(t)
	text := "package a\n\nfunc A() {}\nfunc B() {}\nfunc C() {}\n"
	for _, name := range []string{"sub/a.go", "sub/out.go", "sub/*.go", "sub/--all", "sub/gone.go"} {
		r.write(name, name+text)
	}
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "One")
	for _, names := range [][2]string{{"sub/a.go", "sub/b.go"}, {"sub/out.go", "out.go"}, {"sub/*.go", "sub/star.go"}, {"sub/--all", "sub/all.go"}} {
		r.git("mv", "--", names[0], names[1])
	}
	r.git("rm", "-q", "sub/gone.go")
	dir := filepath.Join(r.dir, "sub")
	isMissing := func(name string) bool {
		_, err := os.Lstat(filepath.Join(dir, name))
		return err != nil
	}
	renamed := func(about string, want map[string]string) {
		t.Helper()
		for file, now := range want {
			got, err := Renamed(t.Context(), dir, []string{file}, isMissing)
			if got[file] != now {
				t.Errorf("%s: %s is now %q, want %q, %v", about, file, got[file], now, err)
			}
		}
	}
	want := map[string]string{"a.go": "b.go", "out.go": "", "*.go": "star.go", "--all": "all.go", "gone.go": "", "../out.go": "", "never.go": "", ":(top)a.go": ""}
	renamed("staged", want)
	r.git("commit", "-q", "-m", "Two")
	renamed("committed", want)
	r.git("mv", "sub/b.go", "sub/c.go")
	r.git("commit", "-q", "-m", "Three")
	want["a.go"] = "c.go"
	renamed("twice", want)
	t.Setenv("PATH", "")
	renamed("without git", map[string]string{"a.go": ""})
}
