package blue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue"
)

// Promise 28: notes that came with a clone say so, a note that another program has
// edited says so, none of them is volunteered, and trust approves them as they are.
func TestPromise28Origin(t *testing.T) {
	t.Parallel()
	author, reader := newUser(t), newUser(t)
	theirs := author.Project(t)
	p := author.Open(t, theirs)
	var ids []string
	for i := range 20 {
		w, err := p.Write(t.Context(), blue.Draft{Title: fmt.Sprintf("Theirtitle %d", i), Body: fmt.Sprintf("theirword %d", i), Tags: []string{"theirtag"}, Type: "theirtype"})
		must(t, err)
		ids = append(ids, w.ID)
	}
	origins(t, p, map[string]int{"local": 20})
	volunteered(t, author, theirs, 10, 0)

	ours := clone(t, theirs)
	q := reader.Open(t, ours)
	origins(t, q, map[string]int{"repository": 20})
	volunteered(t, reader, ours, 0, 20)

	w, err := q.Write(t.Context(), blue.Draft{Title: "Our own", Body: "ourword"})
	must(t, err)
	origins(t, q, map[string]int{"repository": 20, "local": 1})
	volunteered(t, reader, ours, 1, 20)

	if trusted := trustDir(t, reader, ours); trusted.Approved != 21 {
		t.Errorf("%d notes approved", trusted.Approved)
	}
	origins(t, q, map[string]int{"local": 21})
	volunteered(t, reader, ours, 10, 0)

	for _, id := range append(ids[:5:5], w.ID) {
		path := filepath.Join(ours, ".blue", "notes", id+".md")
		text, err := os.ReadFile(path)
		must(t, err)
		must(t, os.WriteFile(path, append(text, "by another program\n"...), 0o644))
	}
	origins(t, q, map[string]int{"local": 15, "changed": 6})
	volunteered(t, reader, ours, 10, 6)
	for _, id := range ids[5:] {
		must(t, os.Remove(filepath.Join(ours, ".blue", "notes", id+".md")))
	}
	volunteered(t, reader, ours, 0, 6)

	// Marking a note as superseded is no review of it.
	_, err = q.Write(t.Context(), blue.Draft{Title: "Newer", Body: "x", Supersedes: []string{ids[0]}})
	must(t, err)
	origins(t, q, map[string]int{"changed": 6, "local": 1})
	trustDir(t, reader, ours)
	origins(t, q, map[string]int{"local": 7})
	t.Logf("20 cloned and 6 changed notes, all labelled, none volunteered")
}

// clone copies what git would carry: the notes, not the ledger.
func clone(t *testing.T, from string) string {
	t.Helper()
	to := physical(t)
	must(t, os.CopyFS(filepath.Join(to, ".blue", "notes"), os.DirFS(filepath.Join(from, ".blue", "notes"))))
	project, err := os.ReadFile(filepath.Join(from, ".blue", "project.yaml"))
	must(t, err)
	put(t, to, ".blue/project.yaml", string(project))
	return to
}

// origins asserts how many notes have each origin, alike in list, search and read.
func origins(t *testing.T, p *blue.Project, want map[string]int) {
	t.Helper()
	rows, err := p.List(t.Context(), blue.Filter{Limit: 1000, MaxTokens: 10000})
	must(t, err)
	got := map[string]int{}
	for _, row := range rows.Notes {
		got[row.Origin]++
		page, err := p.Read(t.Context(), blue.Reading{ID: row.ID})
		must(t, err)
		if n := page.Notes[0]; n.Origin != row.Origin || strings.Contains(page.Text(), "origin: "+row.Origin) != (row.Origin != "local") {
			t.Errorf("%s is %s in a list and %s when read", row.ID, row.Origin, n.Origin)
		}
		hits, err := p.Search(t.Context(), blue.Query{Text: row.Title, Limit: 100, MaxTokens: 10000})
		must(t, err)
		for _, hit := range hits.Hits {
			if hit.ID == row.ID && hit.Origin != row.Origin {
				t.Errorf("%s is %s in a list and %s in a search", row.ID, row.Origin, hit.Origin)
			}
		}
		if row.Origin != "local" && !strings.Contains(rows.Text(), row.Origin) {
			t.Errorf("the list does not say %s", row.Origin)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("origins %v, want %v", got, want)
	}
}

// volunteered asserts how many titles where shows, that each is a local note's, and
// that nothing else that a note's author wrote is in its answer.
func volunteered(t *testing.T, u *user, dir string, titles, rest int) {
	t.Helper()
	w, err := u.Blue(t).Where(t.Context(), at(dir))
	must(t, err)
	if len(w.Newest) != titles || w.Unread != rest {
		t.Errorf("where shows %d titles and counts %d others, want %d and %d", len(w.Newest), w.Unread, titles, rest)
	}
	for _, row := range w.Newest {
		if row.Origin != "local" {
			t.Errorf("where shows %+v", row)
		}
	}
	raw, err := json.Marshal(w)
	must(t, err)
	if titles <= 1 && strings.Contains(string(raw)+w.Text(), "their") {
		t.Errorf("where volunteers what nobody here has read: %s", raw)
	}
}

// Freshness: a note says when a file that it cites has changed
// since, and no longer when the file is as it was.
func TestCitedFilesThatChange(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	put(t, dir, "src/pay.go", "package pay\n")
	put(t, dir, "src/other.go", "package pay\n")
	w, err := p.Write(t.Context(), blue.Draft{Title: "Retries", Body: "retryword", Files: []string{"src/pay.go", "./src//other.go", filepath.Join(dir, "src", "later.go")}})
	must(t, err)
	stale := func(want ...bool) {
		t.Helper()
		any := false
		page, err := p.Read(t.Context(), blue.Reading{ID: w.ID})
		must(t, err)
		for i, f := range page.Notes[0].Files {
			any = any || want[i]
			if f.Changed != want[i] || (strings.Contains(page.Text(), f.Path+" (changed since)") || strings.Contains(page.Text(), f.Path+" (gone)")) != want[i] {
				t.Errorf("read says of %s: changed %v", f.Path, f.Changed)
			}
		}
		hits, err := p.Search(t.Context(), blue.Query{Text: "retryword"})
		must(t, err)
		rows, err := p.List(t.Context(), blue.Filter{})
		must(t, err)
		if len(hits.Hits) != 1 || hits.Hits[0].Stale != any || rows.Notes[0].Stale != any || strings.Contains(hits.Text(), "evidence unchanged") == any {
			t.Errorf("search says %+v, list %+v, want stale %v", hits.Hits, rows.Notes, any)
		}
		_, c := findings(t, p)
		c.Findings = slices.DeleteFunc(c.Findings, func(f blue.Issue) bool { return strings.Contains(f.What, "does not exist") })
		if len(c.Findings) > 0 != any || !c.Sound() {
			t.Errorf("check says %+v", c.Findings)
		}
	}
	stale(false, false, false)
	put(t, dir, "src/pay.go", "package pay // new\n")
	stale(true, false, false)
	put(t, dir, "src/pay.go", "package pay\n")
	stale(false, false, false)
	must(t, os.Remove(filepath.Join(dir, "src", "other.go")))
	stale(false, true, false)
	text := "an edit of the text is no look at the files"
	_, err = p.Edit(t.Context(), blue.Change{ID: w.ID, Append: &text})
	must(t, err)
	stale(false, true, false)
	files := []string{"src/pay.go", "src/other.go"}
	_, err = p.Edit(t.Context(), blue.Change{ID: w.ID, Files: &files})
	must(t, err)
	stale(false, false)
}
