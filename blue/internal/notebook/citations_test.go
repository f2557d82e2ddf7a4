package notebook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
)

func putFile(t testing.TB, dir, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}

func citeAll(t testing.TB, root string, refs ...string) []note.Cited {
	t.Helper()
	cited, told, err := newCitations(root, nil).cite(refs, "")
	warnings := slices.DeleteFunc(told.warnings, func(w string) bool { return strings.HasPrefix(w, "later.go") && strings.Contains(w, "does not exist") })
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	return cited
}

// A plain path keeps the form that it has always had; a part stands beside the path and
// the hash of the whole file, which other programs can read.
func TestForm(t *testing.T) {
	root := t.TempDir()
	putFile(t, root, "a.go", "package a\n\nfunc A() {}\n")
	putFile(t, root, "a#b.go", "package b\n")
	hash := git.HashFile(root, "a.go")
	want := []note.Cited{
		{Path: "a.go", Hash: hash}, {Path: "a#b.go", Hash: git.HashFile(root, "a#b.go")}, {Path: "later.go#A"},
		{Path: "a.go", Hash: hash, Span: "A", Lines: "3-3", SpanHash: "0f8b3a7a0a0a0a0a"}, {Path: "a.go", Hash: hash, Span: "L3-L3"},
	}
	got := citeAll(t, root, "./a.go", "a#b.go", "later.go#A", "a.go#A", "a.go#L3")
	for i := range got {
		if len(got[i].SpanHash) != len(want[i].SpanHash) && i < 4 || i == 4 && got[4].SpanHash != got[3].SpanHash {
			t.Errorf("%+v", got[i])
		}
		want[i].SpanHash, want[i].Sketch = got[i].SpanHash, got[i].Sketch
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
	if got[3].SpanHash != "1fb9e52193ce8a74" {
		t.Errorf("the hash of a part, which notes hold, has become another: %s", got[3].SpanHash)
	}
}

// Whatever stands in the front matter of a note and lies in the project, a check
// ends, reads nothing outside, and says changed of what cannot be read.
func TestHostileCitations(t *testing.T) {
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	putFile(t, root, "a.go", "package a\n\nfunc A() {}\n")
	putFile(t, dir, "out.go", "package a\n\nfunc A() {}\n")
	putFile(t, root, "large.go", strings.Repeat("x", 1<<20)+"\n\nfunc A() {}\n")
	putFile(t, root, "many.go", strings.Repeat("\n", 60_000)+"func A() {}\n")
	putFile(t, root, "binary.go", "\x00\xff\nfunc A() {}\n")
	if err := os.Symlink("../out.go", filepath.Join(root, "link.go")); err != nil {
		t.Skip("no links here")
	}
	good := citeAll(t, root, "a.go#A")[0]
	asked := 0
	files := newCitations(root, func(paths []string) map[string]string { asked++; return map[string]string{paths[0]: "../out.go"} })
	for _, path := range []string{"../out.go", filepath.Join(dir, "out.go"), "link.go", "large.go", "many.go", ".", "", "a.go/x", "x\x00y"} {
		c := good
		c.Path = path
		if got := files.check([]note.Cited{c}, func() string { return "" })[0]; !got.Changed {
			t.Errorf("%q was read: %+v", path, got)
		}
	}
	for _, change := range []func(*note.Cited){
		func(c *note.Cited) { c.Lines = "9-1" }, func(c *note.Cited) { c.Lines = "999999999-999999999" }, func(c *note.Cited) { c.Lines = "x" }, func(c *note.Cited) { c.Span = strings.Repeat("A.", 10_000) },
		func(c *note.Cited) { c.Path = "binary.go" }, func(c *note.Cited) { c.SpanHash = strings.ToUpper(c.SpanHash) },
	} {
		c := good
		if change(&c); len(files.check([]note.Cited{c}, func() string { return "" })) != 1 {
			t.Error("no answer")
		}
	}
	asked = 0
	if got := files.check(slices.Repeat([]note.Cited{{Path: "gone.go", Hash: "x"}}, 500), func() string { return "" }); asked != 1 || len(got) != 500 {
		t.Errorf("git was asked %d times for one file", asked)
	}
}
