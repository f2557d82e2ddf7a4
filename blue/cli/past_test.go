package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// files are the notes of a place.
func (p *place) files(t *testing.T) (ids []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.dir, ".blue", "notes", "*.md"))
	must(t, err)
	for _, name := range names {
		ids = append(ids, strings.TrimSuffix(filepath.Base(name), ".md"))
	}
	return ids
}

// text is the file of a note.
func (p *place) text(t *testing.T, id string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, ".blue", "notes", id+".md"))
	must(t, err)
	return string(data)
}

// Who wrote what, newest first.
func TestLog(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"old-aaaa": "---\ntitle: Old\ncreated: 2025-01-02\nauthor: claude-code\n---\n\nText.\n",
		"new-aaaa": "---\ntitle: New\ncreated: 2025-03-04\nauthor: codex\ntags: [ops]\n---\n\nText.\n",
	})
	p.says(t, "edit", "old", "--append", "more")
	want := regexp.MustCompile(`^\S+Z  old-aaaa  Old  \(edited by tester via cli\)\n2025-03-04T00:00:00Z  new-aaaa  New  \(written by codex\)\n2025-01-02T00:00:00Z  old-aaaa  Old  \(written by claude-code\)\n$`)
	if said := p.says(t, "log"); !want.MatchString(said) {
		t.Error(said)
	}
	if said := p.says(t, "log", "-t", "ops"); strings.Contains(said, "old-aaaa") || !strings.Contains(said, "new-aaaa") {
		t.Error(said)
	}
	if said := p.says(t, "log", "new-"); strings.Contains(said, "old-aaaa") || !strings.Contains(said, "new-aaaa") {
		t.Error(said)
	}
	if said := p.says(t, "log", "-n", "1"); strings.Count(said, "-aaaa") != 1 || !strings.Contains(said, "2 more of 3") {
		t.Error(said)
	}
	if screen := p.screen(t, 40, false, "log"); !strings.Contains(screen, "Old\n  old-aaaa") {
		t.Error(screen)
	}
}

// The change of a note, in the form that patch reads.
func TestDiff(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("same\n", 10)
	p := newPlace(t, map[string]string{"a-aaaa": "one\n" + lines + "two\n"})
	if said := p.says(t, "diff", "a-"); !strings.Contains(said, "@@ -0,0 +1,12 @@\n+one\n") {
		t.Error(said)
	}
	first := revisionOf(t, p)
	p.says(t, "edit", "a-", "--old-text", "one", "--new-text", "1")
	second := revisionOf(t, p)
	p.says(t, "edit", "a-", "--old-text", "two\n", "--new-text", "2\n3\n")
	third := revisionOf(t, p)
	tail := "@@ -9,4 +9,5 @@\n same\n same\n same\n-two\n+2\n+3\n"
	if said, want := p.says(t, "diff", "a-"), "--- a-aaaa\t"+second+"\n+++ a-aaaa\t"+third+"\n"+tail; said != want {
		t.Errorf("%s--- instead of\n%s", said, want)
	}
	want := "--- a-aaaa\t" + first + "\n+++ a-aaaa\t" + third + "\n@@ -1,4 +1,4 @@\n-one\n+1\n same\n same\n same\n" + tail
	for _, args := range [][]string{{first}, {first[:6]}, {first, third}} {
		if said := p.says(t, append([]string{"diff", "a-"}, args...)...); said != want {
			t.Errorf("%q: %s--- instead of\n%s", args, said, want)
		}
	}
	if said := p.says(t, "diff", "a-", third); said != "" {
		t.Errorf("no change: %s", said)
	}
	if screen := p.screen(t, 40, true, "diff", "a-"); !strings.Contains(screen, "\x1b[0;31m-two\x1b[0m\n\x1b[0;32m+2\x1b[0m\n") {
		t.Errorf("%q", screen)
	}
	p.refuses(t, 3, "no revision", "diff", "a-", "0123")
	if patch, err := exec.LookPath("patch"); err == nil {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "f"), []byte("one\n"+lines+"two\n"), 0o644))
		c := exec.Command(patch, "f")
		c.Dir, c.Stdin = dir, strings.NewReader(want)
		out, err := c.CombinedOutput()
		if data, _ := os.ReadFile(filepath.Join(dir, "f")); err != nil || string(data) != p.text(t, "a-aaaa") {
			t.Errorf("patch: %v: %s%s", err, out, data)
		}
	}
}

// revisionOf is the present revision of the note a-aaaa.
func revisionOf(t *testing.T, p *place) string {
	t.Helper()
	return strings.Fields(p.says(t, "history", "a-"))[0]
}

// The file of a note, for the editor and for other programs.
func TestOpenAndPath(t *testing.T) {
	t.Parallel()
	p, file := editing(t, "a\n", "echo more >>$1; echo $1 >$0.seen")
	if said := p.says(t, "path", "n-", "n-aaaa"); said != file+"\n"+file+"\n" {
		t.Error(said)
	}
	if said := p.says(t, "open", "n-"); !strings.HasPrefix(said, "Edited n-aaaa, revision ") || p.text(t, "n-aaaa") != "a\nmore\n" {
		t.Errorf("%s%s", said, p.text(t, "n-aaaa"))
	}
	seen, err := os.ReadFile(strings.TrimPrefix(p.b.Env("EDITOR"), "sh ") + ".seen")
	if err != nil || string(seen) != file+"\n" {
		t.Errorf("%v: the editor got %s", err, seen)
	}
	if said := p.says(t, "diff", "n-"); !strings.Contains(said, "\n+more\n") {
		t.Errorf("the former text is gone: %s", said)
	}
	must(t, os.WriteFile(strings.TrimPrefix(p.b.Env("EDITOR"), "sh "), []byte("true\n"), 0o755))
	if said := p.says(t, "open", "n-"); !strings.HasPrefix(said, "Unchanged: n-aaaa") || strings.Contains(said, "durable") {
		t.Error(said)
	}
	bare := newPlace(t, map[string]string{"n-aaaa": "a\n"})
	if said := bare.says(t, "open", "n-"); !strings.HasSuffix(said, "n-aaaa.md\n") {
		t.Errorf("without an editor: %s", said)
	}
	bare.refuses(t, 3, "no note", "path", "x")
}

// The tags, with how many notes have each.
func TestTags(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "---\ntags: [ops, db]\n---\n\nA\n", "b": "---\ntags: ops\n---\n\nB\n"})
	if said := p.says(t, "tags"); !strings.HasPrefix(said, "    2  ops\n    1  db\n") {
		t.Error(said)
	}
}

// The editor shows the front matter too, in a file that is named by the id.
func TestEditorShowsTheFile(t *testing.T) {
	t.Parallel()
	const before = "---\ntitle: T\ntags: [ops]\nx: kept\n---\n\nText.\n"
	p, _ := editing(t, before, "cp $1 $0.seen; basename $1 >$0.name; sed 's/title: T/title: Better/; s/Text/Words/' $1 >$1.x; mv $1.x $1")
	p.says(t, "edit", "n-")
	editor := strings.TrimPrefix(p.b.Env("EDITOR"), "sh ")
	seen, _ := os.ReadFile(editor + ".seen")
	name, _ := os.ReadFile(editor + ".name")
	if string(seen) != before || string(name) != "n-aaaa.md\n" {
		t.Errorf("%s in %s", seen, name)
	}
	if text := p.text(t, "n-aaaa"); text != strings.Replace(strings.Replace(before, ": T", ": Better", 1), "Text", "Words", 1) {
		t.Error(text)
	}
	script := func(line string) {
		must(t, os.WriteFile(editor, []byte(line+"\n"), 0o644))
	}
	now := p.text(t, "n-aaaa")
	for line, words := range map[string]string{
		"sed 's/tags: .*/tags: [/' $1 >$1.x; mv $1.x $1":                "front matter",
		"sed 's/x: kept/supersedes: [none]/' $1 >$1.x; mv $1.x $1":      "none",
		"sed 's/Words/ghp_0123456789abcdefghijABCDEFGHIJ012345/' -i $1": "secret",
		"sed '/^Words/d' -i $1":                                         "empty",
	} {
		script(line)
		if out, code := p.run("edit", "n-"); code == 0 || !strings.Contains(out, words) || !strings.Contains(out, "your text is kept in") || p.text(t, "n-aaaa") != now {
			t.Errorf("%s: exit %d: %s", line, code, out)
		}
	}
	p.std.Typed = true
	script("cp $1 $0.seen; printf -- '---\\ntype: decision\\ntitle: Typed\\ntags: [ops]\\n---\\n\\nWords.\\n' >$1")
	if said := p.says(t, "write", "--tag", "ops"); !strings.HasPrefix(said, "Wrote typed-") {
		t.Error(said)
	}
	if seen, _ := os.ReadFile(editor + ".seen"); string(seen) != "---\ntype: note\ntitle: \"\"\ntags: [ops]\n---\n\n" {
		t.Errorf("a new note begins as %q", seen)
	}
	if said := p.says(t, "read", "typed"); !strings.Contains(said, "decision") || !strings.Contains(said, "tags: ops") {
		t.Error(said)
	}
}

// Tags and types are completed from the index, ids and revisions where they fit.
func TestCompletion(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"a-aaaa": "---\ntype: runbook\ntags: [ops, online]\n---\n\nA\n", "b-aaaa": "---\ntags: [ops]\n---\n\nB\n", "c-aaaa": "C\n",
	})
	p.says(t, "list")
	p.says(t, "rm", "c-")
	p.says(t, "edit", "a-", "--append", "more")
	revision := strings.Fields(strings.Split(p.says(t, "history", "a-"), "\n")[1])[0]
	for words, want := range map[string]string{
		"list --tags o":          "words\nops\t2 notes\nonline\t1 note\n",
		"list -t on":             "words\nonline\t1 note\n",
		"write --tag=o":          "words\n--tag=ops\t2 notes\n--tag=online\t1 note\n",
		"write --tags x,o":       "words\nx,ops\t2 notes\nx,online\t1 note\n",
		"list --type r":          "words\nrunbook\t1 note\nreference\n",
		"log b":                  "words\nb-aaaa\tb-aaaa\n",
		"log c":                  "words\nc-aaaa\tin the trash since",
		"restore c":              "words\nc-aaaa\tin the trash since",
		"mv a":                   "words\na-aaaa\ta-aaaa\n",
		"open a":                 "words\na-aaaa\ta-aaaa\n",
		"path a-aaaa b":          "words\nb-aaaa\tb-aaaa\n",
		"diff a-aaaa ":           "words\n" + revision + "\t",
		"rm a":                   "words\na-aaaa\ta-aaaa\n",
		"ls --so":                "words\n--sort\t",
		"-C shop rea":            "words\nread\t",
		"help rea":               "words\nread\t",
		"-C ":                    "dirs\n",
		"-":                      "words\n--cwd\t",
		"list -n 1 --tags onlin": "words\nonline\t",
	} {
		if got := p.says(t, append([]string{"__complete", "zsh"}, strings.Split(words, " ")...)...); !strings.HasPrefix(got, want) {
			t.Errorf("%q: %s--- instead of\n%s", words, got, want)
		}
	}
}
