package blue_test

import (
	"fmt"
	"strings"
	"testing"

	"blue/blue"
	"blue/errors"
)

// signed shows a comparison with a sign before each line.
func signed(lines []blue.DiffLine) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(map[string]string{"same": " ", "gone": "-", "new": "+", "gap": "~"}[l.How] + l.Text + "\n")
	}
	return b.String()
}

// TestCompare names revisions, of a note in the trash too.
func TestCompare(t *testing.T) {
	u := newUser(t)
	p := u.Open(t, u.Project(t))
	w, err := p.Write(t.Context(), blue.Draft{Title: "Retries", Body: "Five."})
	must(t, err)
	e, err := p.Edit(t.Context(), blue.Change{ID: w.ID, Body: new("Six.")})
	must(t, err)
	look := func(c blue.Comparing, want ...string) {
		t.Helper()
		c.ID = w.ID
		got, err := p.Compare(t.Context(), c)
		must(t, err)
		text := fmt.Sprintf("%s to %s\n%s", got.From, got.To, signed(got.Lines))
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%+v: %q is not in\n%s", c, part, text)
			}
		}
	}
	look(blue.Comparing{}, w.Revision+" to "+e.Revision, "-Five.\n+Six.\n")
	look(blue.Comparing{To: w.Revision}, " to "+w.Revision, "+title: Retries\n", "+Five.\n")
	look(blue.Comparing{To: w.Revision, From: e.Revision}, "-Six.\n+Five.\n")
	_, err = p.Compare(t.Context(), blue.Comparing{ID: w.ID, To: "0123456789abcdef"})
	isKind(t, err, errors.NotFound, "an unknown revision")
	_, err = p.Remove(t.Context(), blue.Removal{ID: w.ID})
	must(t, err)
	look(blue.Comparing{}, " to "+w.Revision, "+Five.\n")
	_, err = p.Compare(t.Context(), blue.Comparing{ID: "nothing"})
	isKind(t, err, errors.NotFound, "an unknown note")
}
