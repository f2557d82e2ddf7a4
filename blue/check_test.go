package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/result"
)

// token looks like a secret, and no line of this file does.
var token = "ghp_" + strings.Repeat("aB3", 12)

// findings are what a check finds, as "file:line kind", hints with a "?".
func findings(t *testing.T, p *blue.Project) (found []string, c result.Checked) {
	t.Helper()
	c, err := p.Check(t.Context())
	must(t, err)
	wrong := 0
	for _, f := range c.Findings {
		text := fmt.Sprintf("%s:%d %s", strings.TrimPrefix(f.File, ".blue/"), f.Line, f.Kind)
		if f.Wrong {
			wrong++
		} else {
			text += "?"
		}
		found = append(found, text)
		if f.What == "" || f.Remedy == "" {
			t.Errorf("%s says too little: %+v", text, f)
		}
	}
	if c.Wrong != wrong || c.Sound() != (wrong == 0) {
		t.Errorf("%d counted wrong of %d, sound: %v", c.Wrong, wrong, c.Sound())
	}
	return found, c
}

// trashed is the time in the name of a note that was removed so many days ago.
func trashed(days int) string {
	return time.Now().UTC().AddDate(0, 0, -days).Format("20060102T150405.000000000Z")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"an empty project": {},
		"all well": {files: map[string]string{
			"notes/a.md": "---\ntype: note\nfiles: [.blue/notes/b.md]\n---\n[[b]] [c](../private/c.md#x) `[[no]]`\n", "notes/b.md": "# B\r\n\r\n\ttext\r\n",
			"private/c.md": "[[a]] [[notes/a]] [[b|shown]]", "notes/.gitkeep": "", "notes/.tmp-1": "x",
		}},
		"broken front matter":     {map[string]string{"notes/a.md": "---\ntype: note\ntitle: x: y\n---\nbody\n"}, []string{"notes/a.md:3 front"}},
		"front matter not closed": {map[string]string{"notes/a.md": "---\ntype: note\n"}, []string{"notes/a.md:1 front"}},
		"one uid twice": {map[string]string{"notes/a.md": "---\nuid: abcdefghijklmnopqrstuvwxyz\n---\nx\n", "notes/b.md": "---\n\nuid: abcdefghijklmnopqrstuvwxyz\n---\ny\n",
			"private/a.md": "---\nuid: abcdefghijklmnopqrstuvwxyz\n---\nz\n"}, []string{"notes/b.md:3 uid", "private/a.md:0 pair?"}},
		"front matter is a list": {map[string]string{"notes/a.md": "---\n- a\n---\n"}, []string{"notes/a.md:1 front"}},
		"not UTF-8":              {map[string]string{"notes/a.md": "caf\xe9 \xff"}, []string{"notes/a.md:0 front"}},
		"twins by case":          {map[string]string{"notes/Note.md": "a", "notes/note.md": "b"}, []string{"notes/note.md:0 twins"}},
		"twins by form":          {map[string]string{"notes/e\u0301.md": "a", "notes/\u00e9.md": "b"}, []string{"notes/\u00e9.md:0 twins"}},
		"twins that are not served": {map[string]string{"notes/x.MD": "a", "notes/x.md": "b"},
			[]string{"notes/x.MD:0 name", "notes/x.md:0 twins"}},
		"unsafe names": {map[string]string{"notes/a .md": "a", "notes/.b.md": "b", "notes/c\u202e.md": "c", "notes/d\n.md": "d", "notes/e\U000e0100.md": "e"},
			[]string{"notes/.b.md:0 name", "notes/a .md:0 name", `notes/c\u{202E}.md:0 name`, `notes/d\u{A}.md:0 name`, `notes/e\u{E0100}.md:0 name`}},
		"what is no note": {map[string]string{"notes/plan.png": "x", "notes/sub/a.md": "a", "private/b.md/x": "b"},
			[]string{"notes/plan.png:0 other?", "notes/sub:0 other?", "private/b.md:0 name"}},
		"too large": {map[string]string{"notes/a.md": strings.Repeat("x", 1<<20+1)}, []string{"notes/a.md:0 name"}},
		"dead links": {map[string]string{"notes/a.md": "---\ntitle: A\n---\n\none\n[[gone]] [[a]]\n[x](lost.md)\n", "notes/b1.md": "[[b]]", "notes/b2.md": "[[b1]]"},
			[]string{"notes/a.md:6 link", "notes/a.md:7 link", "notes/b1.md:1 link"}},
		"conflict markers": {map[string]string{"notes/a.md": "# A\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"}, []string{"notes/a.md:3 markers"}},
		"a secret": {map[string]string{"notes/a.md": "---\ntitle: " + token + "\n---\n\n" + token + "\n", "private/b.md": token},
			[]string{"notes/a.md:2 secret", "notes/a.md:5 secret", "private/b.md:1 secret"}},
		"a secret that a person allowed": {files: map[string]string{"notes/a.md": "x\n" + token + " <!-- blue:allow github-token -->\n"}},
		"hidden characters": {map[string]string{"notes/a.md": "\uFEFF# A\n\na\u200bb\u202ec\n\n\x1b[2J\n"},
			[]string{"notes/a.md:1 hidden", "notes/a.md:3 hidden", "notes/a.md:5 hidden"}},
		"stale citations": {map[string]string{
			"notes/a.md":    "---\nfiles:\n  - path: ../src/a.go\n    hash: 0123456789abcdef\n  - ../src/a.go\n  - path: gone.go\n    hash: 0123456789abcdef\n---\nx",
			"notes/fine.md": "---\nfiles:\n  - {path: .blue/notes/k.md, hash: BA7816BF8F01CFEA}\n---\nx", "notes/k.md": "abc",
		}, []string{"notes/a.md:3 stale?", "notes/a.md:6 stale?"}},
		"one name in both": {map[string]string{"notes/a.md": "a", "private/a.md": "b"}, []string{"private/a.md:0 pair?"}},
		"the trash":        {files: map[string]string{"trash/a-" + trashed(999) + ".md": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t)
			dir := u.Project(t)
			for file, text := range test.files {
				if runtime.GOOS == "windows" && strings.Contains(file, "\n") {
					t.Skip("no file has a line end in its name there")
				}
				put(t, dir, ".blue/"+file, text)
			}
			if entries, _ := os.ReadDir(filepath.Join(dir, ".blue", "notes")); strings.HasPrefix(name, "twins") && len(entries) < 2 {
				t.Skip("this file system keeps one of two twins")
			}
			before := tree(t, dir)
			got, c := findings(t, u.Open(t, dir))
			if !slices.Equal(got, test.want) {
				t.Errorf("found %q, want %q\n%s", got, test.want, c.Text())
			}
			if after := tree(t, dir); after != before {
				t.Errorf("the check changed\n%s\nto\n%s", before, after)
			}
			if strings.Contains(c.Text(), token) || strings.Contains(u.Log.String(), token) {
				t.Errorf("the secret is repeated: %s %s", c.Text(), u.Log.String())
			}
		})
	}
}

// The bounds that a test cannot fill by writing notes.
func TestCheckBounds(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/a.md", "a")
	big := filepath.Join(dir, ".blue", "history", "a", "20260102T030405.000000000Z-0123456789abcdef.md")
	put(t, dir, ".blue/history/a/20260102T030405.000000000Z-0123456789abcdef.md", "")
	must(t, os.Truncate(big, 65<<20)) // sparse
	if got, _ := findings(t, u.Open(t, dir)); !slices.Equal(got, []string{"history:0 bound?"}) {
		t.Errorf("found %q", got)
	}
}

// A file that cannot be read is a finding, and hides no other one.
func TestCheckUnreadable(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/a.md", "a")
	put(t, dir, ".blue/notes/b.md", "[[gone]] [[c]]")
	put(t, dir, ".blue/notes/c.md", "c")
	must(t, os.Chmod(filepath.Join(dir, ".blue", "notes", "a.md"), 0))
	if _, err := os.ReadFile(filepath.Join(dir, ".blue", "notes", "a.md")); err == nil {
		t.Skip("SKIPPED: this user can read a file of mode 000; run it as an ordinary user")
	}
	if got, _ := findings(t, u.Open(t, dir)); !slices.Equal(got, []string{"notes/a.md:0 name", "notes/b.md:1 link"}) {
		t.Errorf("found %q", got)
	}
}
