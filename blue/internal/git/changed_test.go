package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Git only lists its index, in each of its forms; Blue compares the files with it.
func TestChanged(t *testing.T) {
	for _, version := range []string{"2", "3", "4"} {
		r := newRepository(t)
		for _, name := range []string{"base.go", "sub/a.go", "sub/ab.go", "sub/abc/same.go", "sub/gone.go", "sub/skipped.go", "sub/staged.go", ".blue/notes/n.md"} {
			r.write(name, "1 "+name)
		}
		r.git("add", "-A")
		r.git("commit", "-q", "-m", "One")
		r.git("checkout", "-q", "-b", "side")
		r.write("sub/committed.go", "1")
		r.git("add", "-A")
		r.git("commit", "-q", "-m", "Two")
		r.write("sub/staged.go", "2 sub/staged.go")
		r.git("add", "-A")
		if version == "3" { // which an extended flag takes
			r.git("update-index", "--skip-worktree", "sub/skipped.go")
		}
		r.git("update-index", "--index-version="+version)
		r.write("sub/ab.go", "2 sub/ab.go") // of the same size
		r.write(".blue/notes/n.md", "2")
		long := time.Now().Add(-time.Hour)
		for _, name := range []string{"sub/ab.go", "sub/abc/same.go", "base.go"} {
			must(t, os.Chtimes(filepath.Join(r.dir, name), long, long))
		}
		want := []string{"ab.go", "committed.go", "gone.go", "staged.go"}
		_ = os.Remove(filepath.Join(r.dir, "sub", "gone.go"))
		if _ = os.Remove(filepath.Join(r.dir, "sub", "skipped.go")); version != "3" {
			want = slices.Insert(want, 3, "skipped.go")
		}
		got := modified(t.Context(), r.dir)
		slices.Sort(got)
		if all := []string{".blue/notes/n.md", "sub/ab.go", "sub/gone.go"}; version == "3" && !slices.Equal(got, all) || version != "3" && !slices.Equal(got, append(all, "sub/skipped.go")) {
			t.Errorf("index version %s: modified are %q", version, got)
		}
		for range 50 { // a machine may be slower than git is waited for
			if got, err := Changed(t.Context(), filepath.Join(r.dir, "sub"), "side"); err != nil {
				t.Fatal(err)
			} else if slices.Sort(got); slices.Equal(got, want) {
				want = nil
				break
			}
		}
		if want != nil {
			t.Errorf("index version %s: no %q", version, want)
		}
	}
}
