package blue_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/result"
	"blue/marker"
)

// inWorktree makes a repository with notes and a linked worktree of it, which has them too.
func inWorktree(t *testing.T, u *user) (linked string) {
	t.Helper()
	dir := u.Project(t)
	mustGit(t, dir, "init", "-q")
	mustGit(t, dir, "add", "-A")
	mustGit(t, dir, "commit", "-q", "-m", "one")
	linked = filepath.Join(filepath.Dir(dir), "linked")
	mustGit(t, dir, "worktree", "add", "-q", linked)
	return linked
}

// What `git worktree remove` would delete is said when it is written.
func TestLinkedWorktree(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	p := u.Open(t, inWorktree(t, u))
	w, err := p.Write(t.Context(), blue.Draft{Title: "Shared", Body: "x"})
	must(t, err)
	if len(w.Warnings) > 0 {
		t.Errorf("a note that git tracks: %q", w.Warnings)
	}
	w, err = p.Write(t.Context(), blue.Draft{Title: "Mine", Body: "y", Private: true})
	must(t, err)
	if want := "Warning: 1 private note would be deleted by git worktree remove"; !strings.Contains(w.Text(), want) {
		t.Errorf("%s", w.Text())
	}
	body := "z"
	e, err := p.Edit(t.Context(), blue.Change{ID: w.ID, Body: &body})
	must(t, err)
	if want := "Warning: 1 private note and 1 KiB of earlier revisions would be deleted by git worktree remove"; !strings.Contains(e.Text(), want) {
		t.Errorf("%s", e.Text())
	}
	w, err = u.Open(t, u.Project(t)).Write(t.Context(), blue.Draft{Title: "Mine", Body: "y", Private: true})
	must(t, err)
	if len(w.Warnings) > 0 {
		t.Errorf("outside a worktree: %q", w.Warnings)
	}
}

// A note that the user has typed is told like any other.
func TestTypedByHand(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, ".blue/notes/typed.md", "---\ntype: decision\n---\n# Typed by hand\n")
	if said := unasked(t, u, dir); !strings.Contains(said, "Typed by hand") {
		t.Error(said)
	}
}

// Who cites a file that is not there hears of it, when writing and in a check.
func TestNoSuchFile(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	w, err := p.Write(t.Context(), blue.Draft{Title: "Cites", Body: "x", Files: []string{"nosuch.go"}})
	must(t, err)
	if !strings.Contains(w.Text(), "Warning: nosuch.go does not exist in the project") {
		t.Errorf("%s", w.Text())
	}
	files := []string{"other.go"}
	e, err := p.Edit(t.Context(), blue.Change{ID: w.ID, Files: &files})
	must(t, err)
	if !strings.Contains(e.Text(), "Warning: other.go does not exist in the project") {
		t.Errorf("%s", e.Text())
	}
	_, c := findings(t, p)
	if !c.Sound() || !strings.Contains(c.Text(), "hint: stale: other.go does not exist") {
		t.Errorf("%s", c.Text())
	}
	put(t, dir, "other.go", "package other\n")
	if _, c = findings(t, p); len(c.Findings) > 0 {
		t.Errorf("%s", c.Text())
	}
}

// A link names a note by its id, its title, an alias or the beginning of its id, in
// this order; one that fits several notes names them.
func TestLinksByTitle(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	for name, text := range map[string]string{
		"deploy":           "# By id\n",
		"deploy-rules-abc": "---\ntitle: Deploy rules\naliases: [Fridays, deploy, Twin]\n---\ntext\n",
		"named":            "# deploy\n",
		"alias-too":        "---\nalias: Twin\n---\n# Other\n",
		"old-rules":        "---\ntitle: Rollback\nstatus: superseded\n---\ntext\n",
		"new-rules":        "---\ntitle: Rollback\n---\ntext\n",
		"links":            "[[deploy]] [[Deploy rules]] [[Fridays]] [[deploy-r]] [[Twin]] [[Rollback]] [[Nothing]]\n",
	} {
		put(t, dir, ".blue/notes/"+name+".md", text)
	}
	p := u.Open(t, dir)
	page, err := p.Read(t.Context(), blue.Reading{ID: "links"})
	must(t, err)
	if want := "links: deploy, deploy-rules-abc, Twin (fits several notes: alias-too, deploy-rules-abc), new-rules, Nothing (missing)\n"; !strings.Contains(page.Text(), want) {
		t.Errorf("%s\nwant %s", page.Text(), want)
	}
	for id, want := range map[string]bool{"deploy": true, "deploy-rules-abc": true, "new-rules": true, "old-rules": false, "named": false, "alias-too": false} {
		page, err := p.Read(t.Context(), blue.Reading{ID: id})
		must(t, err)
		links := page.Notes[0].Backlinks
		if got := slices.ContainsFunc(links, func(l result.Link) bool { return l.ID == "links" }); got != want || len(links) > 1 {
			t.Errorf("%s has the backlinks %+v", id, links)
		}
	}
	found, c := findings(t, p)
	if want := []string{"notes/links.md:1 link", "notes/links.md:1 link"}; !slices.Equal(found, want) || !strings.Contains(c.Text(), "alias-too, deploy-rules-abc") {
		t.Errorf("%s", c.Text())
	}
}

// An id has letters of every script, and a note says what it supersedes.
func TestIds(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	older := ""
	for title, want := range map[string]string{
		"日本語のメモ": "日本語のメモ", "Развёртывание по пятницам": "развёртывание-по-пятницам", "한국어 노트": "한국어-노트", "Cafe\u0301 Ñandú": "cafe-nandu",
		"हिन्दी में": "हिन्दी-में", "か\u3099く": "がく", "می\u200cخواهم": "می-خواهم", "Straße": "strasse", "葛\ufe00 飾": "葛-飾",
		"🎉\ufe0f": "note", strings.Repeat("語", 40): strings.Repeat("語", 19), "Smørrebrød": "smørrebrød", "İstanbul": "istanbul",
	} {
		w, err := p.Write(t.Context(), blue.Draft{Title: title, Body: "Text of " + title})
		must(t, err)
		if got := w.ID[:len(w.ID)-5]; got != want || len(w.ID) > 64 {
			t.Errorf("%q has the id %q, want %q", title, w.ID, want)
		}
		if page, err := p.Read(t.Context(), blue.Reading{ID: w.ID[:len(w.ID)-2]}); err != nil || page.Notes[0].ID != w.ID {
			t.Errorf("%q: %v", w.ID, err)
		}
		older = w.ID
	}
	put(t, dir, marker.Name+"/notes/note-x2ab.md", "---\ntitle: 古いメモ\n---\nold\n")
	w, err := p.Write(t.Context(), blue.Draft{Title: "New", Body: "newer", Supersedes: []string{older, "note-x2ab"}})
	must(t, err)
	page, err := p.Read(t.Context(), blue.Reading{ID: w.ID})
	must(t, err)
	if !strings.Contains(page.Text(), "supersedes: "+older+", note-x2ab\n") {
		t.Errorf("%s", page.Text())
	}
}
