package mcp

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/marker"
)

// put writes a file and makes the directories above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(text), 0o644))
}

// Projects that are alike, by their name or by the id of two worktrees, have
// a store and an index each.
func TestProjectsThatAreAlike(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	for _, dir := range []string{"a/app", "b/app"} {
		must(t, os.MkdirAll(base+"/"+dir+"/.blue", 0o755))
	}
	put(t, base+"/m/.git/worktrees/wt/commondir", "../..\n")
	put(t, base+"/m/.git/worktrees/wt/gitdir", base+"/wt/.git\n")
	put(t, base+"/wt/.git", "gitdir: "+base+"/m/.git/worktrees/wt\n")
	put(t, base+"/m/.blue/project.yaml", "id: same\nname: twin\n")
	put(t, base+"/wt/.blue/project.yaml", "id: same\nname: twin\n")
	o := w.options(t)
	p := startWith(t, o)
	p.open(`{}`)
	for _, test := range []struct{ name, one, two string }{{"same name", "a/app", "b/app"}, {"same id", "m", "wt"}} {
		one, two := base+"/"+test.one, base+"/"+test.two
		words := map[string]string{one: "kingfisher", two: "hedgehog"}
		ids := map[string]bool{}
		for dir, word := range words {
			o := p.call("write", args("title", word, "body", word, "cwd", dir))
			if o.IsError || o.StructuredContent.Project.Root != dir || len(notes(dir)) != 1 {
				t.Errorf("%s: %s has %v: %s", test.name, dir, notes(dir), o.text())
			}
			ids[o.StructuredContent.Project.ID] = true
		}
		if len(ids) != map[string]int{"same name": 2, "same id": 1}[test.name] {
			t.Errorf("%s: ids %v", test.name, ids)
		}
		for _, dir := range []string{one, two, one} {
			for other, word := range words {
				if o := p.call("search", args("query", word, "cwd", dir)); o.IsError || (len(o.StructuredContent.Hits) == 1) != (dir == other) {
					t.Errorf("%s: %s in %s: %s", test.name, word, dir, o.text())
				}
			}
		}
	}
	for _, dir := range []string{"a/app", "b/app", "m", "wt"} { // to disk
		project, err := o.Blue.Open(t.Context(), blue.Call{From: slices.Values([]marker.Candidate{{Source: marker.Argument, Value: base + "/" + dir}})})
		if err == nil {
			_, err = project.Reindex(t.Context(), nil)
		}
		must(t, err)
	}
	if indexes, err := filepath.Glob(w.home + "/cache/blue/*"); err != nil || len(indexes) != 4 {
		t.Errorf("indexes %v, %v", indexes, err)
	}
}

// Nothing is written to a project of a later Blue.
func TestLaterFormat(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	put(t, base+"/shop/.blue/project.yaml", "format: 2\nid: shop-id\n")
	before := tree(t, base)
	p := w.start(t)
	p.open(`{}`)
	for tool, a := range map[string]map[string]any{
		"write": args("body", "x"), "edit": args("id", "deploy", "append", "y"), "remove": args("id", "deploy"), "list": args(), "use": args(),
	} {
		a["cwd"] = base + "/shop"
		o := p.call(tool, a)
		expect(t, tool, o, "unknown_format")
		if want := base + "/shop/.blue/project.yaml has format 2; this Blue reads format 1. Update Blue."; o.StructuredContent.Message != want {
			t.Errorf("%s", o.text())
		}
	}
	if after := tree(t, base); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// A running server learns what its user trusts; neither the project nor
// the client can say so, and another directory at the same place is not meant.
func TestTrustWhileRunning(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: modes of Unix")
	}
	base, w := scene(t)
	root := base + "/shared"
	found := func() {
		t.Helper()
		put(t, root+"/.blue/project.yaml", "name: shared\ntrust: true\ntrusted: '*'\n")
		must(t, os.Chmod(root, 0o777))
	}
	found()
	o := w.options(t)
	p := startWith(t, o)
	p.open(`{}`)
	claims := map[string]any{"trust": true, "trusted": "*", "dev.blue/trust": "*"}
	list := func(name, want string) {
		t.Helper()
		o := p.outcome(p.askMeta("list", args("cwd", root), claims))
		expect(t, name, o, want)
		if first := "Untrusted project: " + root + " is writable by everyone. Run: blue trust " + root; o.IsError && o.StructuredContent.Message != first {
			t.Errorf("%s: %s", name, o.text())
		}
	}
	list("trusted by the project and the client", "untrusted_project")
	if _, err := w.options(t).Blue.Trust(t.Context(), root); err != nil { // as another process does
		t.Fatal(err)
	}
	list("trusted by the user", "argument:shared")
	must(t, os.Rename(root, base+"/before"))
	found()
	list("another directory in its place", "untrusted_project")
}

// A store that cannot be read is no empty one, for any tool.
func TestUnreadableStore(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	file := base + "/shop/.blue/notes"
	must(t, os.RemoveAll(file))
	put(t, file, "a file where the notes should be")
	p := w.start(t)
	p.open(`{}`)
	for tool, a := range map[string]map[string]any{"list": args(), "search": args("query", "webhook"), "read": args("id", "deploy"), "write": args("body", "x")} {
		a["cwd"] = base + "/shop"
		if o := p.call(tool, a); !o.IsError || !strings.Contains(o.text(), file) || strings.Contains(strings.ToLower(o.text()), "no notes") {
			t.Errorf("%s: %s", tool, o.text())
		}
	}
}
