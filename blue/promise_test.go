package blue_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
	"blue/fixtures"
)

// Promise 9: a create whose reply was lost, sent again by another process, makes
// no second note: with a key, and without one.
func TestPromise9Twice(t *testing.T) {
	t.Parallel()
	creates := creates()
	for _, keyed := range []bool{true, false} {
		u := newUser(t)
		dir := u.Project(t)
		first, second := u.Open(t, dir), u.Open(t, dir)
		for i := range creates {
			d := blue.Draft{Title: fmt.Sprintf("Note %d", i%7), Body: fmt.Sprintf("# Body %d\n\ntext", i), Tags: []string{"a"}}
			if keyed {
				d.Key = fmt.Sprintf("key %d", i)
			}
			w, err := first.Write(t.Context(), d)
			must(t, err)
			if i%5 == 0 { // somebody changes it before the client sends again
				text := "\nmore"
				if keyed {
					_, err = first.Edit(t.Context(), blue.Change{ID: w.ID, Append: &text})
				}
				must(t, err)
			}
			again, err := second.Write(t.Context(), d)
			must(t, err)
			if !w.Created || again.Created || again.ID != w.ID {
				t.Fatalf("keyed %v, create %d: %+v, sent again: %+v", keyed, i, w, again)
			}
		}
		names, err := filepath.Glob(filepath.Join(dir, ".blue", "notes", "*.md"))
		must(t, err)
		if len(names) != creates {
			t.Errorf("keyed %v: %d creates made %d notes", keyed, creates, len(names))
		}
		t.Logf("keyed %v: %d notes, 0 twins", keyed, len(names))
	}
}

// Promise 9: a key sent again after its note went to the trash makes
// nothing, and a key that another note has got is no obstacle.
func TestPromise9TrashAndOtherNote(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	d := blue.Draft{Title: "Same", Body: "one", Key: "k"}
	w, err := p.Write(t.Context(), d)
	must(t, err)
	other, err := p.Write(t.Context(), blue.Draft{Title: "Same", Body: "two", Key: "k"})
	must(t, err)
	if !other.Created || other.ID == w.ID {
		t.Errorf("another note of that key and title: %+v", other)
	}
	_, err = p.Remove(t.Context(), blue.Removal{ID: w.ID})
	must(t, err)
	again, err := p.Write(t.Context(), d)
	must(t, err)
	if again.Created || !again.Trashed || again.ID != w.ID {
		t.Errorf("after the trash: %+v", again)
	}
}

// git runs git in a directory, without anybody's settings.
func git(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b", "SystemRoot=" + os.Getenv("SystemRoot")}
	out, err := c.CombinedOutput()
	return string(out), err
}

func mustGit(t testing.TB, dir string, args ...string) {
	t.Helper()
	needGit(t)
	if out, err := git(t, dir, args...); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func needGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: git is not on this machine")
	}
}

// Promise 10: two branches add 100 notes each and edit different notes; the merge
// has no conflict and everything is found. A note with conflict markers is listed,
// found and read.
func TestPromise10Merge(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	var old []string
	for i := range 4 {
		w, err := p.Write(t.Context(), blue.Draft{Title: fmt.Sprintf("Old %d", i), Body: fmt.Sprintf("oldword%d\n\nlast", i)})
		must(t, err)
		old = append(old, w.ID)
	}
	mustGit(t, dir, "init", "-q", "-b", "main")
	commit := func() { mustGit(t, dir, "add", "-A"); mustGit(t, dir, "commit", "-q", "-m", "x") }
	commit()
	for b, branch := range []string{"left", "right"} {
		mustGit(t, dir, "checkout", "-q", "-b", branch, "main")
		for i := range 100 {
			_, err := p.Write(t.Context(), blue.Draft{Title: fmt.Sprintf("%s note %d", branch, i), Body: fmt.Sprintf("%sword%d", branch, i), Tags: []string{branch}})
			must(t, err)
		}
		text, tags := "edited on "+branch, []string{branch}
		_, err := p.Edit(t.Context(), blue.Change{ID: old[b], Append: &text, Tags: &tags})
		must(t, err)
		commit()
	}
	if out, err := git(t, dir, "merge", "-q", "left"); err != nil {
		t.Fatalf("the merge has conflicts: %v\n%s", err, out)
	}
	rows, err := p.List(t.Context(), blue.Filter{})
	must(t, err)
	if rows.Total != 204 {
		t.Errorf("%d notes after the merge, want 204", rows.Total)
	}
	for _, branch := range []string{"left", "right"} {
		for i := range 100 {
			one(t, p, fmt.Sprintf(`"%sword%d"`, branch, i))
		}
		one(t, p, `"edited on `+branch+`"`)
	}
	if found, _ := findings(t, p); len(found) > 0 {
		t.Errorf("the check found %q", found)
	}

	// The same note on both branches: git leaves its markers.
	for _, branch := range []string{"left", "right"} {
		mustGit(t, dir, "checkout", "-q", branch)
		last, text := "last", "last seen "+branch
		_, err := p.Edit(t.Context(), blue.Change{ID: old[3], OldText: &last, NewText: &text})
		must(t, err)
		commit()
	}
	if out, err := git(t, dir, "merge", "-q", "left"); err == nil {
		t.Fatalf("the merge has no conflict: %s", out)
	}
	one(t, p, `"oldword3"`)
	one(t, p, `"last seen left"`)
	page, err := p.Read(t.Context(), blue.Reading{ID: old[3]})
	must(t, err)
	if n := page.Notes[0]; !n.Conflicted || !strings.Contains(n.Body, "last seen left") || !strings.Contains(n.Body, "last seen right") {
		t.Errorf("the conflicted note: %+v", n)
	}
	if found, _ := findings(t, p); len(found) != 1 || !strings.HasSuffix(found[0], " markers") {
		t.Errorf("the check found %q", found)
	}
	t.Logf("200 notes on two branches: 0 conflicts, all found")
}

// one asserts that a search finds one note.
func one(t *testing.T, p *blue.Project, words string) {
	t.Helper()
	hits, err := p.Search(t.Context(), blue.Query{Text: words})
	must(t, err)
	if hits.Total != 1 {
		t.Errorf("%d notes found for %s", hits.Total, words)
	}
}

// creates is the number of notes that TestPromise9Twice creates twice, with keys and without.
func creates() int { return fixtures.Size(20, 100, 500) }
