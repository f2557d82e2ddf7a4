package corpus

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// unpack makes the files of an archive in a temporary directory.
func unpack(t testing.TB, archive string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		write(t, dir, f.Name, string(f.Data))
	}
	return dir
}

func write(t testing.TB, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	must(t, os.MkdirAll(filepath.Dir(file), 0o755))
	must(t, os.WriteFile(file, []byte(text), 0o644))
}

func list(t *testing.T, tree workTree) (names []string, left map[string]int) {
	t.Helper()
	l, err := listDocuments(t.Context(), tree)
	must(t, err)
	for _, f := range l.Files {
		names = append(names, f.Path)
	}
	slices.Sort(names)
	return names, l.Left
}

const ignoring = `
-- .gitignore --
# a comment
*.log.txt
/top.md
build/
docs/private/*
!docs/private/kept.md
a/**/z.md
**/deep/only.md
sp\ ace.md
trail.md   
[!x]q.md
\#hash.md
docs/all/**
cache*/
!cache2/
-- top.md --
-- sub/top.md --
-- x.log.txt --
-- sub/x.log.txt --
-- build/a.md --
-- sub/build/a.md --
-- sub/buildx/a.md --
-- docs/private/a.md --
-- docs/private/kept.md --
-- docs/all/x.md --
-- docs/all/y/z.md --
-- a/z.md --
-- a/b/z.md --
-- a/b/c/z.md --
-- q/a/b/z.md --
-- deep/only.md --
-- m/deep/only.md --
-- m/deep/n/only.md --
-- sp ace.md --
-- trail.md --
-- xq.md --
-- yq.md --
-- #hash.md --
-- cache1/a.md --
-- cache2/a.md --
-- sub/.gitignore --
*.md
!keep.md
!/anchored.md
other/
-- sub/keep.md --
-- sub/gone.md --
-- sub/anchored.md --
-- sub/in/anchored.md --
-- sub/in/keep.md --
-- sub/other/keep.md --
-- excluded/a.md --
-- README.md --
-- guide.rst --
-- manual.adoc --
-- plan.txt --
-- x.MARKDOWN --
-- code.go --
`

// What is listed is what git would track.
func TestListAsGitDoes(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	dir := unpack(t, ignoring)
	run := func(args ...string) string {
		c := exec.Command("git", args...)
		c.Dir, c.Env = dir, append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
		out, err := c.Output()
		must(t, err)
		return string(out)
	}
	run("init", "-q")
	write(t, dir, ".git/info/exclude", "excluded\n")
	tree := workTree{Root: dir, Top: dir, Rules: []string{filepath.Join(dir, ".git", "info", "exclude")}}
	for _, sub := range []string{"", "sub", "docs/private"} {
		var want []string
		for name := range strings.SplitSeq(strings.Trim(run("ls-files", "-z", "--others", "--exclude-standard", "--", filepath.Join(dir, sub)), "\x00"), "\x00") {
			if name, _ = strings.CutPrefix(name, sub+"/"); isDocument(name) {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		tree.Root = filepath.Join(dir, sub)
		if got, _ := list(t, tree); !slices.Equal(got, want) {
			t.Errorf("%q:\n%q, git has\n%q", sub, got, want)
		}
	}
	if got, _ := list(t, workTree{Root: dir}); len(got) < 37 {
		t.Errorf("without git only %q", got)
	}
}

// What is left out is counted, and nothing outside is read or waited for.
func TestListIsBounded(t *testing.T) {
	dir := unpack(t, `
-- README.md --
-- LICENSE.md --
-- licenses-of-us.md --
-- NOTICE.txt --
-- CLAUDE.md --
-- docs/AGENTS.md --
-- .cursor/rules/a.md --
-- .github/guide.md --
-- node_modules/x/README.md --
-- Vendor/x/README.md --
-- .blue/notes/a.md --
-- nested/.blue/project.yaml --
-- nested/README.md --
-- sub/.git --
-- sub/README.md --
`)
	write(t, dir, "large.md", strings.Repeat("x", sizeLimit+1))
	outside := addLinks(t, dir, "secret.md", "secret")
	names, left := list(t, workTree{Root: dir, Top: dir, Mark: ".blue"})
	if want := []string{".github/guide.md", "README.md", "licenses-of-us.md"}; !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
	want := map[string]int{leftLicence: 2, leftOfAgents: 3, leftForeign: 2, leftNested: 2, leftTooLarge: 1, leftNoFile: 2}
	if runtime.GOOS == "windows" {
		delete(want, leftNoFile)
	}
	if !maps.Equal(left, want) {
		t.Errorf("%v, want %v", left, want)
	}
	for _, name := range []string{"link.md", "linked/secret.md", "../" + filepath.Base(outside) + "/secret.md", "pipe.md", "large.md", "none.md"} {
		if text, reason, err := readText(dir, name); text != "" || reason == "" && err == nil {
			t.Errorf("%s: %q, %q, %v", name, text, reason, err)
		}
	}
	write(t, dir, "binary.txt", "a\x00b")
	if _, reason, err := readText(dir, "binary.txt"); reason != leftBinary || err != nil {
		t.Errorf("%q, %v", reason, err)
	}
	write(t, dir, "latin.txt", "\ufeffcaf\xe9")
	if text, _, err := readText(dir, "latin.txt"); text != "caf\uFFFD" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// No more files than the limit.
func TestListLimit(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o644))
	for i := range fileLimit + 5 { // names of one file, which are made faster than files
		name := filepath.Join(dir, strings.Repeat("a", i%50+1)+string(rune('a'+i/50%26))+string(rune('a'+i/1300))+".md")
		must(t, os.Link(file, name))
	}
	if names, left := list(t, workTree{Root: dir}); len(names) != fileLimit || left[leftTooMany] != 5 {
		t.Errorf("%d files, %v", len(names), left)
	}
}

func TestListGlobs(t *testing.T) {
	dir := unpack(t, "-- README.md --\n-- docs/a.md --\n-- docs/b/c.md --\n-- docs/b/c.txt --\n-- src/a.md --\n")
	for globs, want := range map[string]string{
		"docs/**/*.md README.md": "README.md docs/a.md docs/b/c.md",
		"docs/*.md":              "docs/a.md",
		"**/c.*":                 "docs/b/c.md docs/b/c.txt",
		"docs/**":                "docs/a.md docs/b/c.md docs/b/c.txt",
		"none/*.md":              "",
	} {
		if names, _ := list(t, workTree{Root: dir, Globs: strings.Fields(globs)}); strings.Join(names, " ") != want {
			t.Errorf("%s: %q, want %s", globs, names, want)
		}
	}
}

// FuzzIgnore: no rule and no path takes long or panics, and what a glob fits it reaches.
func FuzzIgnore(f *testing.F) {
	f.Add("a/**/b\n!*.md\n[z-a]\n\\", "a/x/b")
	f.Add("**/**/**/a/**", "a/a/a/a/a/a/b")
	f.Fuzz(func(t *testing.T, rules, name string) {
		parts := strings.Split(name, "/")
		ignores(parseRules(rules), parts, true)
		if g := parseGlob(rules); g.matches(parts) && !g.reaches(parts[:len(parts)-1]) {
			t.Errorf("%q fits %q and does not reach it", rules, name)
		}
	})
}

func BenchmarkList(b *testing.B) {
	dir := b.TempDir()
	for i := range 300 {
		write(b, dir, filepath.Join("docs", string(rune('a'+i%20)), strings.Repeat("x", i/20+1)+".md"), "# x\n")
	}
	for b.Loop() {
		if _, err := listDocuments(b.Context(), workTree{Root: dir, Top: dir}); err != nil {
			b.Fatal(err)
		}
	}
}
