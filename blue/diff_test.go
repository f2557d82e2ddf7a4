package blue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/errors"
)

// marked shows a comparison with a sign before each line.
func marked(lines []blue.Differs) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(map[string]string{"same": " ", "gone": "-", "new": "+", "gap": "~"}[l.How] + l.Text + "\n")
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	ten := "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, c := range []struct{ before, after, want string }{
		{"", "", ""}, {"a\n", "a", ""}, {"a\r\nb\r\n", "a\nb\n", ""}, {ten, ten, ""},
		{"", "a\nb\n", "+a\n+b\n"}, {"a\n", "", "-a\n"}, {"a\nb\nc", "a\nB\nc", " a\n-b\n+B\n c\n"},
		{ten, strings.Replace(ten, "10", "X", 1), "~\n 7\n 8\n 9\n-10\n+X\n"},
		{ten, "0\n" + ten + "11\n", "+0\n 1\n 2\n 3\n~\n 8\n 9\n 10\n+11\n"},
		{"a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n", "-a\n-b\n c\n+b\n a\n b\n-b\n a\n+c\n"}, // of Myers' paper
	} {
		if got := marked(blue.Diff(c.before, c.after)); got != c.want {
			t.Errorf("%q to %q:\n%s\nwant\n%s", c.before, c.after, got, c.want)
		}
	}
	many := func(word string) string { return strings.Repeat(word+" %d\n", 3000) }
	if got := blue.Diff(many("x"), many("y")); len(got) != 6000 {
		t.Errorf("two texts that have nothing in common differ in %d lines", len(got))
	}
}

// TestDiffTellsBoth: from a comparison both texts can be had, in few steps.
func TestDiffTellsBoth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() (lines []string) {
		for range r.IntN(4) {
			lines = append(lines, string(rune('a'+r.IntN(3))))
		}
		return lines
	}
	for range 5000 {
		a, b := text(), text()
		var before, after []string
		for _, l := range blue.Diff(strings.Join(a, "\n"), strings.Join(b, "\n")) {
			if l.How != "new" {
				before = append(before, l.Text)
			}
			if l.How != "gone" {
				after = append(after, l.Text)
			}
		}
		if slices.Equal(a, b) {
			continue
		}
		if !slices.Equal(before, a) || !slices.Equal(after, b) {
			t.Fatalf("%q to %q is told as %q to %q", a, b, before, after)
		}
	}
}

// TestCompare names revisions, of a note in the trash too.
func TestCompare(t *testing.T) {
	u := newUser(t)
	p := u.open(t, u.project(t))
	w, err := p.Write(t.Context(), blue.Draft{Title: "Retries", Body: "Five."})
	must(t, err)
	e, err := p.Edit(t.Context(), blue.Change{ID: w.ID, Body: new("Six.")})
	must(t, err)
	look := func(c blue.Comparing, want ...string) {
		t.Helper()
		c.ID = w.ID
		got, err := p.Compare(t.Context(), c)
		must(t, err)
		text := fmt.Sprintf("%s to %s\n%s", got.From, got.To, marked(got.Lines))
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
