package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blue/blue"
)

// TestU022FacetsFollow: the counts are those of the notes as they are now, and a cursor of one
// narrowing is none of another.
func TestU022FacetsFollow(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	writeNote(t, p, "decision", "One", "Text.")
	count := func() string {
		f, err := p.Facets(t.Context())
		must(t, err)
		return fmt.Sprint(f.Types, f.Statuses, p.CountUnreviewed())
	}
	if got := count(); got != "[{decision decision 1}] [{active active 1}] 0" {
		t.Error(got)
	}
	for i := range 3 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf(".blue/notes/n%d.md", i)), []byte("---\nauthor: codex\nstatus: Proposed by codex\n---\n# N\n"), 0o644))
	}
	if got := count(); got != "[{note note 3} {decision decision 1}] [{proposed proposed 3} {active active 1}] 3" {
		t.Error(got)
	}
	rows, err := p.List(t.Context(), blue.Filter{About: blue.Facts{Author: "codex"}, Limit: 2})
	must(t, err)
	if len(rows.Notes) != 2 || rows.Total != 3 || rows.Notes[0].Author != "codex" {
		t.Errorf("%+v", rows)
	}
	if _, err := p.List(t.Context(), blue.Filter{About: blue.Facts{Author: "mira"}, Cursor: rows.Cursor}); err == nil {
		t.Error("the cursor of another list is taken")
	}
}
