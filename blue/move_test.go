package blue_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
)

// Wherever a move is stopped, both ids lead to the note or one of them does, nothing
// is lost, and the next write ends the move.
func TestMoveStopped(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	blueDir := filepath.Join(dir, ".blue")
	const plain, linking = "---\ntitle: Deploys\nstatus: superseded\n---\n\nOn Mondays.\n", "---\nsupersedes: [deploys-aaaa]\n---\n\nSee [[deploys-aaaa]] and [[deploys]].\n"
	fresh := func() *blue.Project {
		for _, below := range []string{"notes", "history", "trash"} {
			must(t, os.RemoveAll(filepath.Join(blueDir, below)))
		}
		put(t, dir, ".blue/notes/linking.md", linking)
		put(t, dir, ".blue/notes/deploys-aaaa.md", plain)
		return u.Open(t, dir)
	}
	m, err := fresh().Move(t.Context(), "deploys-aaaa", "Releases")
	must(t, err)
	kept := under(t, filepath.Join(blueDir, "history", m.ID))
	trash := under(t, filepath.Join(blueDir, "trash"))
	if len(kept) != 1 || len(trash) != 1 || m.Followed != 1 {
		t.Fatalf("%v, %v, %v", m, kept, trash)
	}
	var titled string // the text after the first step
	for _, titled = range trash {
	}
	place := func(below string, files map[string]string) {
		for name, text := range files {
			put(t, dir, ".blue/"+below+"/"+name, text)
		}
	}
	for name, stop := range map[string]func(){
		"after the title": func() { place("history/deploys-aaaa", kept); put(t, dir, ".blue/notes/deploys-aaaa.md", titled) },
		"after the new file": func() {
			place("history/deploys-aaaa", kept)
			put(t, dir, ".blue/notes/deploys-aaaa.md", titled)
			put(t, dir, ".blue/notes/"+m.ID+".md", titled)
		},
		"after the old file": func() {
			place("history/deploys-aaaa", kept)
			must(t, os.Remove(filepath.Join(blueDir, "notes", "deploys-aaaa.md")))
			put(t, dir, ".blue/notes/"+m.ID+".md", titled)
			place("trash", trash)
		},
		"after the history": func() {
			place("history/"+m.ID, kept)
			must(t, os.Remove(filepath.Join(blueDir, "notes", "deploys-aaaa.md")))
			put(t, dir, ".blue/notes/"+m.ID+".md", titled)
			place("trash", trash)
		},
		"before the reply": func() {
			place("history/"+m.ID, kept)
			must(t, os.Remove(filepath.Join(blueDir, "notes", "deploys-aaaa.md")))
			put(t, dir, ".blue/notes/"+m.ID+".md", titled)
			put(t, dir, ".blue/notes/linking.md", strings.NewReplacer("deploys-aaaa", m.ID, "[[deploys]]", "[["+m.ID+"]]").Replace(linking))
		},
	} {
		p := fresh()
		stop()
		if n := read(t, p, "deploys-aaaa"); !strings.Contains(n.Body, "On Mondays.") {
			t.Errorf("%s: before: %q", name, n.Body)
		}
		put(t, dir, ".blue/.lock", "1 0 1 0 0\n") // the holder before did not let go
		p = u.Open(t, dir)
		write(t, p, blue.Draft{Body: "Something else."})
		notes := under(t, filepath.Join(blueDir, "notes"))
		if _, old := notes["deploys-aaaa.md"]; old || notes[m.ID+".md"] != titled || len(notes) != 3 {
			t.Errorf("%s: %q", name, notes)
		}
		if text := notes["linking.md"]; strings.Count(text, m.ID) != 3 || strings.Contains(text, "deploys") {
			t.Errorf("%s: links: %s", name, text)
		}
		h, err := p.History(t.Context(), "deploys-aaaa")
		must(t, err)
		if h.ID != m.ID || len(h.Revisions) != 2 {
			t.Errorf("%s: history %v", name, h.Revisions)
		}
	}
}

// under are the files of a directory, by their names.
func under(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if data, err := os.ReadFile(filepath.Join(dir, e.Name())); err == nil {
			files[e.Name()] = string(data)
		}
	}
	return files
}

// An alias never takes the place of an id, nor of the start of one.
func TestAliasComesLast(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/deploys-aaaa.md", "Mine.\n")
	put(t, dir, ".blue/notes/foreign.md", "---\naliases: [deploys, deploys-aaaa, shipping]\n---\n\nTheirs.\n")
	p := u.Open(t, dir)
	for ref, want := range map[string]string{"deploys": "deploys-aaaa", "deploys-aaaa": "deploys-aaaa", "shipping": "foreign"} {
		if n := read(t, p, ref); n.ID != want {
			t.Errorf("%s is %s", ref, n.ID)
		}
	}
}
