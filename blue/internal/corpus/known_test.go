package corpus

import (
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"blue/blue/internal/index"
)

// Directories that have not changed are not read again, and those that have are.
func TestListKnown(t *testing.T) {
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	put("README.md", "# Shop\n")
	put("docs/a.md", "# A\n")
	put("docs/more/b.md", "# B\n")
	put("src/c.go", "package c\n")
	tree := workTree{Root: root, Top: root, Mark: ".blue"}
	list := func(fresh int, want ...string) listing {
		t.Helper()
		found, err := listDocuments(t.Context(), tree)
		var paths []string
		for _, f := range found.Files {
			paths = append(paths, f.Path)
		}
		if err != nil || !slices.Equal(paths, want) || fresh >= 0 && found.Fresh != fresh {
			t.Errorf("%q with %d directories read again, %v; want %q with %d", paths, found.Fresh, err, want, fresh)
		}
		return found
	}
	// know remembers a listing as one that was made long after the last change.
	know := func(found listing) {
		t.Helper()
		for dir, d := range found.Known {
			path, past := filepath.Join(root, filepath.FromSlash(dir)), time.Now().Add(-time.Hour)
			must(t, os.Chtimes(path, past, past))
			now, _, err := stampFile(path)
			if err != nil || now.ChangeTime == 0 {
				t.Skip("SKIPPED: the system does not say when a file was changed")
			}
			now.Size = 0
			d.Stamp = now
			found.Known[dir] = d
		}
		tree.Known = decodeDirs(encodeDirs(found.Known))
		if !reflect.DeepEqual(tree.Known, found.Known) {
			t.Errorf("%+v\n%+v", tree.Known, found.Known)
		}
	}
	know(list(-1, "README.md", "docs/a.md", "docs/more/b.md"))
	list(0, "README.md", "docs/a.md", "docs/more/b.md")
	put("docs/more/d.md", "# D\n")
	put("docs/a.md", "# A, changed\n")
	know(list(-1, "README.md", "docs/a.md", "docs/more/b.md", "docs/more/d.md"))
	put(".gitignore", "more\n")
	know(list(-1, "README.md", "docs/a.md"))
	put(".gitignore", "a.md\n") // no directory changes
	list(0, "README.md", "docs/more/b.md", "docs/more/d.md")
	must(t, os.Remove(filepath.Join(root, ".gitignore")))
	put("docs/more/.git/HEAD", "x")
	list(-1, "README.md", "docs/a.md")
}

func FuzzDecodeDirs(f *testing.F) {
	f.Add(encodeDirs(map[string]dirState{".": {listedFile: listedFile{".", index.Stamp{ModTime: 1, ChangeTime: -2, Inode: 3}}, Count: 4, Entries: []string{"fa.md", "dsrc"}}}))
	f.Add([]byte{1, '.', 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, d := range maps.All(decodeDirs(b)) {
			if name == "" || name != d.Path || len(d.Entries) > len(b) || slices.Contains(d.Entries, "") {
				t.Errorf("%q: %+v", name, d)
			}
		}
	})
}
