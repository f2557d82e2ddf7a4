package blue_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blue/blue"
)

var uidLine = regexp.MustCompile(`(?m)^uid: ([a-z2-7]{26})\n`)

// uidIn is the identity that the file of a note says.
func uidIn(t *testing.T, dir, id string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, ".blue", "notes", id+".md"))
	must(t, err)
	if m := uidLine.FindStringSubmatch(string(data)); m != nil {
		return m[1]
	}
	return ""
}

// A note has one identity from its first text on, which no edit, new title or restored revision
// takes from it.
func TestIdentityStays(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	draft := blue.Draft{Title: "Deploys", Body: "On Mondays.", Key: "k"}
	id := write(t, p, draft)
	uid := uidIn(t, dir, id)
	if again := write(t, p, draft); uid == "" || again != id || uidIn(t, dir, id) != uid {
		t.Fatalf("written again: %q, then %q", uid, uidIn(t, dir, id))
	}
	if other := write(t, p, blue.Draft{Body: "Something else."}); uidIn(t, dir, other) == uid {
		t.Error("two notes have one identity")
	}
	edit := func(c blue.Change) {
		t.Helper()
		c.ID = id
		if _, err := p.Edit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if now := uidIn(t, dir, id); now != uid {
			t.Errorf("%+v made %q of %q", c, now, uid)
		}
	}
	body, status := "On Tuesdays.", "accepted"
	edit(blue.Change{Body: &body})
	edit(blue.Change{Status: &status})
	without := "---\ntitle: Deploys\n---\n\nNow.\n"
	edit(blue.Change{File: &without})

	plain := "---\ntitle: Deploys\n---\n\nFormerly.\n"
	put(t, dir, ".blue/notes/"+id+".md", plain)
	former := read(t, p, id).Revision
	_, err := p.Edit(t.Context(), blue.Change{ID: id, Append: &body}) // which puts it into the history
	must(t, err)
	put(t, dir, ".blue/notes/"+id+".md", "---\ntitle: Deploys\nuid: "+uid+"\n---\n\nNow.\n")
	edit(blue.Change{Restore: former})
	if n := read(t, p, id); !strings.Contains(n.Body, "Formerly.") {
		t.Errorf("restored %q", n.Body)
	}
	if text, err := p.Source(t.Context(), filepath.Join(dir, ".blue", "notes", id+".md")); err != nil || strings.Contains(text.Text, uid) || !strings.Contains(text.Text, "title: Deploys\n") {
		t.Errorf("clients are told %q, %v", text.Text, err)
	}

	title := "Releases"
	edit(blue.Change{Title: &title, Rename: true})
}

// A note without an identity in its front matter has one that derives from its id; a note that has
// it too is named.
func TestDerivedIdentity(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	const uid = "vpnmzfr6umo2smjkrv3yyh2ttr"
	put(t, dir, ".blue/notes/deploys-aaaa.md", "---\ntitle: Deploys\ncreated: 2026-03-04T05:06:07Z\n---\n\nOn Mondays.\n")
	p := u.Open(t, dir)
	k, err := p.Intake(t.Context())
	must(t, err)
	if k.UID("notes/x.md", uid) == uid {
		t.Error("an import gives a note the identity of another")
	}
	if k, err = p.Intake(t.Context()); err != nil || k.UID("notes/deploys-aaaa.md", uid) != uid {
		t.Errorf("an import that meets its own note gives it another identity: %v", err)
	}
	put(t, dir, ".blue/notes/releases-bbbb.md", "---\ntitle: Releases\nuid: "+uid+"\n---\n\nOn Mondays.\n")
	found, c := findings(t, u.Open(t, dir))
	if len(found) != 1 || !strings.HasSuffix(found[0], " uid") || c.Sound() {
		t.Errorf("found %q", found)
	}
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
