package note_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/note"
)

// marked shows a comparison with a sign before each line.
func marked(lines []note.DiffLine) string {
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
		if got := marked(note.DiffLines(c.before, c.after)); got != c.want {
			t.Errorf("%q to %q:\n%s\nwant\n%s", c.before, c.after, got, c.want)
		}
	}
	many := func(word string) string { return strings.Repeat(word+" %d\n", 3000) }
	if got := note.DiffLines(many("x"), many("y")); len(got) != 6000 {
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
		for _, l := range note.DiffLines(strings.Join(a, "\n"), strings.Join(b, "\n")) {
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
