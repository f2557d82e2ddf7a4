package blue_test

import (
	"strings"
	"testing"

	"blue/blue"
)

// TestStamp: every change of the notes is another stamp, and nothing else is.
func TestStamp(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	stamp := func(p *blue.Project) string {
		t.Helper()
		s, err := p.Stamp(t.Context())
		must(t, err)
		return s
	}
	last := stamp(p)
	changed := func(what string) {
		t.Helper()
		now := stamp(p)
		if now == last {
			t.Errorf("%s: the stamp is the same", what)
		}
		if again := stamp(p); again != now {
			t.Errorf("%s: nothing changed, and the stamp did", what)
		}
		last = now
	}
	w, err := p.Write(t.Context(), blue.Draft{Title: "A", Body: "a"})
	must(t, err)
	changed("a write")
	put(t, dir, ".blue/notes/b.md", "# B\n")
	changed("another program's write")
	put(t, dir, ".blue/notes/b.md", "# C\n")
	changed("a change of the same length")
	_, err = p.Search(t.Context(), blue.Query{Text: "a"})
	must(t, err)
	if stamp(p) != last || stamp(u.Open(t, dir)) != last {
		t.Error("who only looks changes the stamp")
	}
	_, err = p.Remove(t.Context(), blue.Removal{ID: w.ID})
	must(t, err)
	changed("a removal")
	one, two := u.Open(t, u.Project(t)), u.Open(t, u.Project(t))
	if stamp(one) == stamp(two) {
		t.Error("two empty projects have one stamp")
	}
}

// TestLinks: the graph holds every note, and the links that are backlinks.
func TestLinks(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/a.md", "# A\n\n[[b]] [[b]] [[a]] [[none]]\n")
	put(t, dir, ".blue/notes/b.md", "# B\n\n[back](a.md)\n")
	put(t, dir, ".blue/private/c.md", "# C\u200b\n\n[[a]] `[[b]]`\n")
	g, err := u.Open(t, dir).Graph(t.Context())
	must(t, err)
	var links []string
	for _, l := range g.Links {
		links = append(links, g.Notes[l[0]].ID+">"+g.Notes[l[1]].ID)
	}
	if got := strings.Join(links, " "); got != "b>a c>a a>b" {
		t.Errorf("the links are %s", got)
	}
	if c := g.Notes[2]; c.Title != `C\u{200B}` || !c.Private {
		t.Errorf("the last note is %+v", c)
	}
}

// TestTrash lists what was removed, the last first.
func TestTrash(t *testing.T) {
	u := newUser(t)
	p := u.Open(t, u.Project(t))
	for _, d := range []blue.Draft{{Title: "One", Body: "a", Key: "1"}, {Title: "Two", Body: "b", Private: true, Type: "decision"}, {Title: "One", Body: "c", Key: "1"}} {
		w, err := p.Write(t.Context(), d)
		must(t, err)
		if w.Trashed { // the key is taken
			continue
		}
		_, err = p.Remove(t.Context(), blue.Removal{ID: w.ID})
		must(t, err)
	}
	bin, err := p.Trash(t.Context())
	must(t, err)
	if len(bin.Notes) < 2 || bin.Notes[len(bin.Notes)-1].Title != "One" {
		t.Fatalf("the trash holds %+v", bin.Notes)
	}
	for _, n := range bin.Notes {
		if n.Private != (n.Title == "Two") || !strings.HasPrefix(n.Path, ".blue/trash/") {
			t.Errorf("%+v", n)
		}
	}
	out, err := p.Remove(t.Context(), blue.Removal{ID: bin.Notes[0].Ref, Restore: true})
	must(t, err)
	if out.ID != bin.Notes[0].ID || out.Trashed {
		t.Errorf("back is %+v", out)
	}
}
