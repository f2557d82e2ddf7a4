package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blue/blue"
)

// TestFacetsFollow: the counts are those of the notes as they are now, and a cursor of one
// narrowing is none of another.
func TestFacetsFollow(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	writeNote(t, p, "decision", "One", "Text.")
	count := func() string {
		f, err := p.Facets(t.Context())
		must(t, err)
		return fmt.Sprint(f.Types, f.Statuses)
	}
	if got := count(); got != "[{decision decision 1}] [{active active 1}]" {
		t.Error(got)
	}
	for i := range 3 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(".blue/notes/n%d.md", i)), []byte("---\nauthor: codex\nstatus: Proposed by codex\n---\n# N\n"), 0o644))
	}
	if got := count(); got != "[{note note 3} {decision decision 1}] [{proposed proposed 3} {active active 1}]" {
		t.Error(got)
	}
	rows, err := p.List(t.Context(), blue.Filter{Selection: blue.Selection{About: blue.Facts{Author: "codex"}}, Paging: blue.Paging{Limit: 2}})
	must(t, err)
	if len(rows.Notes) != 2 || rows.Total != 3 || rows.Notes[0].Author != "codex" {
		t.Errorf("%+v", rows)
	}
	if _, err := p.List(t.Context(), blue.Filter{Selection: blue.Selection{About: blue.Facts{Author: "mira"}}, Paging: blue.Paging{Cursor: rows.Cursor}}); err == nil {
		t.Error("the cursor of another list is taken")
	}
}

// TestWhereCountsTypes: an overview counts the twenty most frequent types, and the others
// together, and names the newest notes. Where the project is not trusted it names none, and a
// type of theirs is not a word of Blue's.
func TestWhereCountsTypes(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	for i := range 23 {
		writeNote(t, p, fmt.Sprintf("type%02d", i), fmt.Sprint("Note ", i), "Text.")
	}
	writeNote(t, p, "type22", "Once more", "Text of it.")
	must(t, os.WriteFile(filepath.Join(dir, ".blue/notes/foreign.md"), []byte("---\ntype: odd\n---\n# Foreign\n"), 0o644))
	w, err := p.Where(t.Context())
	must(t, err)
	if w.Notes != 25 || w.Types["type22"] != 2 || w.Types["other"] != 4 || len(w.Newest) != 10 {
		t.Errorf("%d notes, %v, %d named", w.Notes, w.Types, len(w.Newest))
	}
	_, err = u.Blue(t).Distrust(t.Context(), dir)
	must(t, err)
	w, err = u.Open(t, dir).Where(t.Context())
	must(t, err)
	if w.Notes != 25 || len(w.Types) != 1 || w.Types["other"] != 25 || len(w.Newest) != 0 {
		t.Errorf("not trusted: %d notes, %v, %+v", w.Notes, w.Types, w.Newest)
	}
}
