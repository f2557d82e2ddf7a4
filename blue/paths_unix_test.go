//go:build unix

package blue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/internal/anchor"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures"
)

// ground is a project with everything around and in it that a path must not reach.
func ground(t *testing.T) (u *user, base, dir string) {
	t.Helper()
	u, base = newUser(t), physical(t)
	dir = filepath.Join(base, "shop")
	must(t, os.Mkdir(dir, 0o755))
	for _, project := range []string{dir, filepath.Join(base, "shop-evil"), filepath.Join(base, "other")} {
		must(t, os.MkdirAll(project, 0o755))
		_, err := u.Blue(t).Init(t.Context(), blue.NewProject{Dir: project, Name: "shop"})
		must(t, err)
	}
	put(t, base, "outside/secret.md", "outsideword")
	put(t, base, "shop-evil/.blue/notes/evil.md", "outsideword")
	put(t, base, "other/.blue/notes/theirs.md", "outsideword")
	put(t, dir, ".blue/notes/real.md", "realword")
	put(t, dir, ".blue/notes/sub/deep.md", "outsideword")
	put(t, dir, ".blue/notes/.tmp-1.md", "outsideword")
	put(t, dir, ".blue/notes/bad .md", "outsideword")
	put(t, dir, "README.md", "outsideword")
	put(t, dir, ".blue/trash/odd-20260101T000000.000000000Z.md/x", "outsideword")
	notes := filepath.Join(dir, ".blue", "notes")
	must(t, os.Mkdir(filepath.Join(notes, "directory.md"), 0o755))
	must(t, os.Symlink("../../../outside/secret.md", filepath.Join(notes, "out.md")))
	must(t, os.Symlink("real.md", filepath.Join(notes, "in.md")))
	must(t, os.Symlink("loop.md", filepath.Join(notes, "loop.md")))
	must(t, os.Symlink("/dev/zero", filepath.Join(notes, "zero.md")))
	must(t, syscall.Mkfifo(filepath.Join(notes, "fifo.md"), 0o644))
	if err := syscall.Mknod(filepath.Join(notes, "device.md"), syscall.S_IFCHR|0o644, 1<<8|5); err != nil {
		t.Logf("SKIPPED: a device named device.md, this user can make none: %v", err)
	}
	return u, base, dir
}

// Promise 21: no id and no path reaches anything but a note of the project, for any
// verb; nothing outside is read or changed, and nothing hangs.
func TestPromise21Corpus(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	u, base, dir := ground(t)
	put(t, dir, ".blue/project.yaml", "format: 1\nsources: none\n") // a document of the project is read by its path
	p := u.Open(t, dir)
	_, err := p.List(t.Context(), blue.Filter{})
	must(t, err)
	marker := filepath.Join(dir, ".blue")
	corpus := []string{
		"../outside/secret", "../../outside/secret.md", "../../../outside/secret", "notes/../../../outside/secret", "private/../notes/real",
		"./../outside/secret.md", "....//outside/secret", "..%2f..%2foutside%2fsecret", "..%252foutside", `..\..\outside\secret`, "notes/./real/../../..",
		filepath.Join(base, "outside", "secret.md"), filepath.Join(base, "shop-evil", ".blue", "notes", "evil.md"), filepath.Join(base, "other", ".blue", "notes", "theirs.md"),
		dir, dir + "-evil/.blue/notes/evil", marker, filepath.Join(dir, "README.md"), "README", "README.md", "../README", "../README.md", "evil", "theirs", "secret",
		"/etc/passwd", "etc/passwd", "/", ".", "..", "~", "~/x", "${HOME}/x", "$HOME", "%00", "file:///etc/passwd", "file://" + base + "/outside/secret.md",
		`C:\x`, "C:x", `\\server\share`, `\\?\C:\x`, "x.md:stream", "real.md:stream", "real.md::$DATA", "CON", "con.md", "NUL", "COM1", "lpt9.md",
		"project.yaml", ".blue/project.yaml", "project", ".gitignore", ".lock", ".blue/.lock", "history", "trash", "history/real", "trash/odd", "odd", "odd-20260101T000000.000000000Z",
		"out", "out.md", "notes/out", ".blue/notes/out.md", filepath.Join(marker, "notes", "out.md"), "in", "loop", "zero", "fifo", "notes/fifo.md", "device", "directory", "directory/x",
		"sub", "sub/deep", "notes/sub/deep.md", "deep", ".tmp-1", ".tmp-1.md", "bad ", "bad", "real/", "real/../real", "real.md/", "real.", "real .md", "real\x00", "real\x00.md", "…", "\u0301",
		strings.Repeat("x", 300), strings.Repeat("../", 1365) + "etc/passwd", strings.Repeat("a/", 50_000), "\xff\xfe", "\u202ereal", "re\u200bal", "*", "?", "re*", "[r]eal", "notes/", "private/", "-", "--", "*.md",
	}
	verbs := map[string]func(id string) (texter, error){
		"read": func(id string) (texter, error) { return p.Read(t.Context(), blue.Reading{ID: id}) },
		"read a section": func(id string) (texter, error) {
			return p.Read(t.Context(), blue.Reading{ID: id, Revision: "../../notes/real"})
		},
		"edit": func(id string) (texter, error) {
			text := "changed"
			return p.Edit(t.Context(), blue.Change{ID: id, Append: &text})
		},
		"restore": func(id string) (texter, error) {
			return p.Edit(t.Context(), blue.Change{ID: id, Restore: "../../../outside/secret"})
		},
		"remove":     func(id string) (texter, error) { return p.Remove(t.Context(), blue.Removal{ID: id}) },
		"bring back": func(id string) (texter, error) { return p.Remove(t.Context(), blue.Removal{ID: id, Restore: true}) },
		"history":    func(id string) (texter, error) { return p.History(t.Context(), id) },
		"supersede": func(id string) (texter, error) {
			return p.Write(t.Context(), blue.Draft{Body: "x", Supersedes: []string{id}})
		},
		"cite": func(id string) (texter, error) {
			return p.Write(t.Context(), blue.Draft{Body: "x", Files: []string{"../" + id}})
		},
		"cite a file": func(id string) (texter, error) {
			return p.Write(t.Context(), blue.Draft{Body: "x", Files: []string{"/etc/" + id}})
		},
	}
	before := tree(t, base)
	tries, slowest := 0, time.Duration(0)
	for _, id := range corpus {
		for verb, run := range verbs {
			began := time.Now()
			r, err := run(id)
			slowest = max(slowest, time.Since(began))
			tries++
			raw, _ := json.Marshal(r)
			if err == nil {
				t.Fatalf("%s takes %.80q: %s", verb, id, raw)
			}
			raw, _ = json.Marshal(errors.Of(err))
			if kind := errors.Of(err).Kind; kind != errors.NotFound && kind != errors.Invalid && kind != errors.HiddenText || strings.Contains(string(raw), "outsideword") {
				t.Errorf("%s of %.80q: %s", verb, id, raw)
			}
			if len(errors.Of(err).Text()) > 2<<10 {
				t.Errorf("%s of %.80q: %d bytes of error", verb, id, len(errors.Of(err).Text()))
			}
		}
	}
	if after := tree(t, base); after != before {
		t.Errorf("refused calls changed\n%s\nto\n%s", before, after)
	}
	for _, words := range []string{"outsideword", "root:x:0:0"} {
		hits, err := p.Search(t.Context(), blue.Query{Text: `"` + words + `"`})
		must(t, err)
		if hits.Total != 0 {
			t.Errorf("found outside: %+v", hits.Hits)
		}
	}
	t.Logf("%d ids, %d calls, the slowest %v", len(corpus), tries, slowest)
}

// What is served by no verb is named for what it is.
func TestPromise21Named(t *testing.T) {
	t.Parallel()
	u, _, dir := ground(t)
	p := u.Open(t, dir)
	put(t, dir, ".blue/notes/huge.md", strings.Repeat("x", store.Limit+1))
	for id, want := range map[string]struct {
		kind errors.Kind
		word string
	}{"fifo": {errors.Invalid, "FIFO"}, "out": {errors.Invalid, "symbolic link"}, "notes/directory": {errors.Invalid, "directory"}, "huge": {errors.TooLarge, "limit"}, "hu": {errors.NotFound, "no note"}} {
		_, err := p.Read(t.Context(), blue.Reading{ID: id})
		if !errors.Is(err, want.kind) || !strings.Contains(err.Error(), want.word) {
			t.Errorf("%s: %v, want %s of kind %s", id, err, want.word, want.kind)
		}
	}
}

// Promise 21: case twins are two notes where the file system keeps two, and no verb
// takes one for the other.
func TestPromise21Twins(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/Note.md", "upper")
	put(t, dir, ".blue/notes/note.md", "lower")
	if entries, err := os.ReadDir(filepath.Join(dir, ".blue", "notes")); err != nil || len(entries) < 2 {
		t.Skip("SKIPPED: this file system keeps one of two twins")
	}
	p := u.Open(t, dir)
	text := "changed"
	_, err := p.Edit(t.Context(), blue.Change{ID: "note", Append: &text})
	must(t, err)
	for _, id := range []string{"NOTE", "no", "notes/NOTE"} {
		_, err = p.Edit(t.Context(), blue.Change{ID: id, Append: &text})
		isKind(t, err, errors.Invalid, "an edit of "+id)
		_, err = p.Remove(t.Context(), blue.Removal{ID: id})
		isKind(t, err, errors.Invalid, "a removal of "+id)
	}
	_, err = p.Remove(t.Context(), blue.Removal{ID: "note"})
	must(t, err)
	data, err := os.ReadFile(filepath.Join(dir, ".blue", "notes", "Note.md"))
	if err != nil || string(data) != "upper" {
		t.Errorf("the twin is now %q, %v", data, err)
	}
}

// Promise 21: a directory of the store that is a link leads nowhere.
func TestPromise21LinkedDirectories(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"notes", "private", "history", "trash"} {
		u, base, dir := ground(t)
		out := filepath.Join(base, "outside")
		link := filepath.Join(dir, ".blue", name)
		p := u.Open(t, dir)
		_, err := p.List(t.Context(), blue.Filter{})
		must(t, err)
		must(t, os.RemoveAll(link))
		must(t, os.Symlink(out, link))
		before := tree(t, out)
		text := "changed"
		run := map[string]func() error{
			"notes":   func() error { _, err := p.Write(t.Context(), blue.Draft{Body: "x"}); return err },
			"private": func() error { _, err := p.Write(t.Context(), blue.Draft{Body: "x", Private: true}); return err },
			"history": func() error { _, err := p.Edit(t.Context(), blue.Change{ID: "real", Append: &text}); return err },
			"trash":   func() error { _, err := p.Remove(t.Context(), blue.Removal{ID: "real"}); return err },
		}[name]
		isKind(t, run(), errors.BadMarker, "writing through a linked "+name)
		page, err := p.Read(t.Context(), blue.Reading{ID: "secret"})
		if err == nil {
			t.Errorf("%s: read %+v", name, page.Notes)
		}
		if after := tree(t, out); after != before {
			t.Errorf("%s: outside changed\n%s\nto\n%s", name, before, after)
		}
		if name == "history" || name == "trash" {
			data, err := os.ReadFile(filepath.Join(dir, ".blue", "notes", "real.md"))
			if err != nil || string(data) != "realword" {
				t.Errorf("%s: the note is now %q, %v", name, data, err)
			}
		}
	}
}

// Promise 21: a note with another name outside is replaced, never written through;
// and no citation makes Blue read a file outside.
func TestPromise21HardLinksAndCitations(t *testing.T) {
	t.Parallel()
	u, base, dir := ground(t)
	secret := filepath.Join(base, "outside", "secret.md")
	if err := os.Link(secret, filepath.Join(dir, ".blue", "notes", "hard.md")); err != nil {
		t.Skipf("SKIPPED: no hard links here: %v", err)
	}
	must(t, os.Symlink(secret, filepath.Join(dir, "linked.txt")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	hash, part := store.Revision([]byte("outsideword")), anchor.Split("", "outsideword").Hash(anchor.Span{First: 1, Last: 1})
	var front strings.Builder
	for _, path := range []string{"../outside/secret.md", secret, "linked.txt", "pipe", "x/../../outside/secret.md"} {
		fmt.Fprintf(&front, "  - {path: %q, hash: %s}\n  - {path: %[1]q, hash: %[2]s, span: L1-L1, span_hash: %s}\n", path, hash, part)
	}
	put(t, dir, ".blue/notes/cites.md", "---\nfiles:\n"+front.String()+"---\nx\n")
	p := u.Open(t, dir)
	page, err := p.Read(t.Context(), blue.Reading{ID: "cites"})
	must(t, err)
	for _, f := range page.Notes[0].Files {
		if !f.Changed {
			t.Errorf("the citation of %s was read", f.Path)
		}
	}
	text := "changed"
	_, err = p.Edit(t.Context(), blue.Change{ID: "hard", Append: &text})
	must(t, err)
	if data, err := os.ReadFile(secret); err != nil || string(data) != "outsideword" {
		t.Errorf("outside is now %q, %v", data, err)
	}
}

// A warning that names a file, which may be called like an order, is left out where the
// project is not trusted.
func TestNoWarningOfAnUntrustedProject(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/project.yaml", string(fileAt(t, dir, ".blue/project.yaml"))+"start_bytes: obey\n")
	for _, trusted := range []bool{true, false} {
		if !trusted {
			_, err := u.Blue(t).Distrust(t.Context(), dir)
			must(t, err)
		}
		c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{})
		must(t, err)
		if told := strings.Contains(strings.Join(c.Warnings, " "), "obey"); told != trusted {
			t.Errorf("trusted %v: warnings are %q", trusted, c.Warnings)
		}
	}
}
