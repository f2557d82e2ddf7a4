package blue_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

// inConflict is a project with a note that was edited here, and two other texts of it.
func inConflict(t *testing.T) (p *blue.Project, dir string) {
	t.Helper()
	u := newUser(t)
	dir = u.Project(t)
	put(t, dir, ".blue/notes/queue-aaaa.md", "---\ntitle: Queue\ntags: [pay]\n---\n\none\ntwo\nthree\nfour\nfive\n")
	for name, lines := range map[string]string{"queue-bbbb": "one\nII\nthree\nfour\nV\n", "queue-cccc": "one\ntwo too\nthree\nfour\nfive\n"} {
		put(t, dir, ".blue/notes/"+name+".md", "---\ntitle: Queue\ntags: [pay, retry]\nconflict-with: queue-aaaa\n---\n\n"+lines)
	}
	p = u.Open(t, dir)
	_, err := p.Edit(t.Context(), blue.Change{ID: "queue-aaaa", OldText: new("two"), NewText: new("2")})
	must(t, err)
	return p, dir
}

// bodyOf is the text of a note.
func bodyOf(t *testing.T, p *blue.Project, id string) string {
	t.Helper()
	page, err := p.Read(t.Context(), blue.Reading{ID: id})
	must(t, err)
	return page.Notes[0].Body
}

// TestListMarksConflicts: both notes of a conflict are marked, and others are not.
func TestListMarksConflicts(t *testing.T) {
	p, dir := inConflict(t)
	put(t, dir, ".blue/notes/other.md", "# Other\n")
	put(t, dir, ".blue/notes/moved.md", "---\naliases: [was-here]\n---\n# Moved\n")
	put(t, dir, ".blue/notes/of-moved.md", "---\nconflict-with: was-here\n---\n# Moved\n")
	put(t, dir, ".blue/notes/settled.md", "---\nconflict-with: other\nstatus: superseded\n---\n# Other\n")
	list, err := p.List(t.Context(), blue.Filter{})
	must(t, err)
	want := map[string]bool{"queue-aaaa": true, "queue-bbbb": true, "queue-cccc": true, "moved": true, "of-moved": true}
	for _, row := range list.Notes {
		if row.Conflict != want[row.ID] || strings.Contains(row.Line(), "conflict") != want[row.ID] {
			t.Error(row.Line())
		}
	}
	if len(list.Notes) != 7 {
		t.Errorf("%d notes", len(list.Notes))
	}
}

// TestResolve: one note gets the text that is kept, the other one goes to the trash.
func TestResolve(t *testing.T) {
	const ours, theirs = "one\n2\nthree\nfour\nfive\n", "one\nII\nthree\nfour\nV\n"
	for keep, want := range map[string]string{"ours": ours, "theirs": theirs, "both": ours + "\n## Other text of this note\n\n" + theirs} {
		p, dir := inConflict(t)
		r, err := p.Resolve(t.Context(), blue.Resolving{ID: "queue-aaaa", Keep: keep})
		must(t, err)
		if got := bodyOf(t, p, "queue-aaaa"); got != want || r.With != "queue-bbbb" || r.More != 1 || r.Unchanged != (keep == "ours") || !r.Durable {
			t.Errorf("%s: %+v\n%s", keep, r, got)
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(r.Trash)))
		if err != nil || !strings.HasSuffix(string(data), theirs) {
			t.Errorf("%s: the other text is not in the trash: %v %s", keep, err, data)
		}
		if text := r.Text(); !strings.Contains(text, "In conflict with 1 more note still: blue resolve queue-aaaa\n") {
			t.Error(text)
		}
		c, err := p.Conflicts(t.Context())
		if err != nil || len(c) != 1 || c[0] != (result.Clash{ID: "queue-aaaa", With: "queue-cccc"}) {
			t.Errorf("%s: %v, %v", keep, c, err)
		}
	}
}

// TestResolveKeepsSuperseded: what the other note supersedes stays superseded when the note
// takes that over.
func TestResolveKeepsSuperseded(t *testing.T) {
	p, dir := inConflict(t)
	put(t, dir, ".blue/notes/old.md", "---\nstatus: superseded\n---\n# Old\n")
	put(t, dir, ".blue/notes/queue-bbbb.md", "---\ntitle: Queue\nsupersedes: [old]\nconflict-with: queue-aaaa\n---\n\none\n")
	_, err := p.Resolve(t.Context(), blue.Resolving{ID: "queue-bbbb", Keep: "theirs"})
	must(t, err)
	page, err := p.Read(t.Context(), blue.Reading{ID: "old"})
	must(t, err)
	if n := page.Notes[0]; n.Status != "superseded" || n.By != "queue-aaaa" {
		t.Errorf("%s by %q", n.Status, n.By)
	}
}

// TestResolveByHand: the texts come merged, three ways where the history knows the earlier
// one, and are taken back without markers, for the revisions that were shown.
func TestResolveByHand(t *testing.T) {
	p, dir := inConflict(t)
	c, err := p.Conflict(t.Context(), "queue-bbbb")
	must(t, err)
	const place = "<<<<<<< queue-aaaa\n2\n=======\nII\n>>>>>>> queue-bbbb\n"
	if want := "---\ntitle: Queue\ntags: [pay, retry]\n---\n\none\n" + place + "three\nfour\nV\n"; c.Merged != want || c.Marks != 1 || c.More != 1 {
		t.Errorf("%d places, %d more:\n%s", c.Marks, c.More, c.Merged)
	}
	before := tree(t, dir)
	take := func(text string) (result.Resolved, error) {
		return p.Resolve(t.Context(), blue.Resolving{ID: c.With, Text: &text, Revision: c.Revision, WithRevision: c.WithRevision})
	}
	for _, left := range []string{c.Merged, strings.Replace(c.Merged, "=======\n", "", 1), strings.Replace(c.Merged, "<<<<<<< queue-aaaa\n", "", 1), strings.Replace(c.Merged, ">>>>>>> queue-bbbb\n", "", 1)} {
		_, err = take(left)
		isKind(t, err, errors.Conflict, "markers are left")
	}
	_, err = take("---\ntitle: Queue\n---\n\n")
	isKind(t, err, errors.Invalid, "nothing is left")
	if after := tree(t, dir); after != before {
		t.Errorf("a refusal has written: %v", after)
	}
	settled := strings.Replace(c.Merged, place, "2 and II\n", 1)
	put(t, dir, ".blue/notes/queue-bbbb.md", "---\nconflict-with: queue-aaaa\n---\n\nchanged meanwhile\n")
	_, err = take(settled)
	isKind(t, err, errors.Conflict, "the other note was changed meanwhile")
	if c, err = p.Conflict(t.Context(), "queue-bbbb"); err != nil {
		t.Fatal(err)
	}

	r, err := take(settled)
	must(t, err)
	if got := bodyOf(t, p, "queue-aaaa"); got != "one\n2 and II\nthree\nfour\nV\n" || r.With != "queue-bbbb" {
		t.Errorf("%+v\n%s", r, got)
	}
}

// TestResolveRefuses: a note in no conflict, and one whose other note is not there.
func TestResolveRefuses(t *testing.T) {
	p, dir := inConflict(t)
	put(t, dir, ".blue/notes/plain.md", "# Plain\n")
	put(t, dir, ".blue/notes/lost.md", "---\nconflict-with: gone\n---\n# Lost\n")
	put(t, dir, ".blue/notes/itself.md", "---\nconflict-with: itself\n---\n# Itself\n")
	for id, words := range map[string]string{"plain": `"plain" is in no conflict`, "lost": `with "gone", which is not there`, "itself": "which is not there", "nothing": "nothing"} {
		_, err := p.Resolve(t.Context(), blue.Resolving{ID: id, Keep: "theirs"})
		isKind(t, err, errors.NotFound, id)
		if !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", id, err)
		}
	}
	_, err := p.Resolve(t.Context(), blue.Resolving{ID: "queue-aaaa", Keep: "mine"})
	isKind(t, err, errors.Invalid, "another word")
	_, err = p.Resolve(t.Context(), blue.Resolving{ID: "queue-aaaa"})
	isKind(t, err, errors.Invalid, "no word")
}

// TestCompareNotes: two arguments may name two notes, of which one may be in the trash; a
// revision of the first comes before a note.
func TestCompareNotes(t *testing.T) {
	p, _ := inConflict(t)
	compare := func(id, other string) result.Compared {
		t.Helper()
		c, err := p.Compare(t.Context(), blue.Comparing{ID: id, From: other})
		must(t, err)
		return c
	}
	c := compare("queue-aaaa", "queue-bbbb")
	text := c.Text()
	if !strings.HasPrefix(text, "--- queue-aaaa\t"+c.From+"\n+++ queue-bbbb\t"+c.To+"\n") || !strings.Contains(text, "\n-2\n+II\n") {
		t.Error(text)
	}
	_, err := p.Remove(t.Context(), blue.Removal{ID: "queue-bbbb"})
	must(t, err)
	if trashed := compare("queue-aaaa", "queue-bbbb"); trashed.Text() != text {
		t.Errorf("one in the trash:\n%s", trashed.Text())
	}
	h, err := p.History(t.Context(), "queue-aaaa")
	must(t, err)
	if c := compare("queue-aaaa", h.Revisions[1].Revision[:7]); c.With != "" || !strings.Contains(c.Text(), "\n-two\n+2\n") {
		t.Errorf("a revision: %s", c.Text())
	}
	_, err = p.Compare(t.Context(), blue.Comparing{ID: "queue-aaaa", From: "nothing"})
	isKind(t, err, errors.NotFound, "neither a revision nor a note")
}

// TestResolveStopped: the note is written before the other one is removed, so that what stops
// it in between leaves both texts.
func TestResolveStopped(t *testing.T) {
	p, dir := inConflict(t)
	trash := filepath.Join(dir, ".blue", "trash")
	must(t, os.RemoveAll(trash))
	put(t, dir, ".blue/trash", "no directory")
	for range 2 {
		if _, err := p.Resolve(t.Context(), blue.Resolving{ID: "queue-aaaa", Keep: "both"}); err == nil {
			t.Fatal("the trash takes a note")
		}
		kept, other := bodyOf(t, p, "queue-aaaa"), bodyOf(t, p, "queue-bbbb")
		if strings.Count(kept, "one\n2\nthree") != 1 || strings.Count(kept, "one\nII\nthree") != 1 || !strings.Contains(other, "one\nII\nthree") {
			t.Errorf("%s---\n%s", kept, other)
		}
	}
	must(t, os.Remove(trash))
	_, err := p.Resolve(t.Context(), blue.Resolving{ID: "queue-aaaa", Keep: "both"})
	must(t, err)
	if kept := bodyOf(t, p, "queue-aaaa"); strings.Count(kept, "one\nII\nthree") != 1 {
		t.Error(kept)
	}
}
