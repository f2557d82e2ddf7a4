package notesync

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/note"
)

// TestMarked: what only one side has changed is taken, as far as the earlier texts agree on
// it; the other lines stand between markers.
func TestMarked(t *testing.T) {
	body := func(lines string) string { return "# Queue\n\n" + strings.ReplaceAll(lines, " ", "\n") + "\n" }
	marked := func(ours, theirs string) string {
		lines := func(text string) string { return strings.ReplaceAll(text+" ", " ", "\n") }
		if ours == "" || theirs == "" {
			lines = func(text string) string { return strings.ReplaceAll(strings.TrimPrefix(text+" ", " "), " ", "\n") }
		}
		return "<<<<<<< ours\n" + lines(ours) + "=======\n" + lines(theirs) + ">>>>>>> theirs\n"
	}
	for name, c := range map[string]struct {
		ours, theirs string
		earlier      []string // newest first
		want         string
		marks        int
	}{
		"each alone, and both": {ours: "one 2 three 4 five", theirs: "1 II three four five", earlier: []string{"one two three four five"}, want: "# Queue\n\n" + marked("one 2", "1 II") + "three\n4\nfive\n", marks: 1},
		"apart":                {ours: "1 two three four five", theirs: "one two three four 5", earlier: []string{"one two three four five"}, want: body("1 two three four 5")},
		"no earlier text":      {ours: "1 two three four five", theirs: "one two three four 5", want: "# Queue\n\n" + marked("1", "one") + "two\nthree\nfour\n" + marked("five", "5"), marks: 2},
		"a line gone":          {ours: "one three four five", theirs: "one two three four 5", earlier: []string{"one two three four five"}, want: body("one three four 5")},
		"gone and changed":     {ours: "one three", theirs: "one 2 three", earlier: []string{"one two three"}, want: "# Queue\n\none\n" + marked("", "2") + "three\n", marks: 1},
		"lines at both ends":   {ours: "zero one two", theirs: "one two three", earlier: []string{"one two"}, want: body("zero one two three")},
		// The text between is of this side: with it alone, the first line of ours would be lost.
		"an earlier text of ours": {ours: "1 two 3", theirs: "I two three", earlier: []string{"1 two three", "one two three"}, want: "# Queue\n\n" + marked("1", "I") + "two\n3\n", marks: 1},
		// Ours went back to the first text: with it alone, theirs would win.
		"gone back":         {ours: "one two 3", theirs: "1 two III", earlier: []string{"1 two three", "one two three"}, want: "# Queue\n\n" + marked("one", "1") + "two\n" + marked("3", "III"), marks: 2},
		"theirs is no base": {ours: "1 two three", theirs: "one two 3", earlier: []string{"one two 3"}, want: "# Queue\n\n" + marked("1", "one") + "two\n" + marked("three", "3"), marks: 2},
	} {
		p := ConflictPair{Name: "x.md", Ours: []byte(body(c.ours)), Theirs: conflictText("x", []byte(body(c.theirs)))}
		for _, text := range c.earlier {
			p.Earlier = append(p.Earlier, []byte(body(text)))
		}
		if text, marks := p.Marked("ours", "theirs"); string(text) != c.want || marks != c.marks {
			t.Errorf("%s: %d places\n%s\nwant %d\n%s", name, marks, text, c.marks, c.want)
		}
	}
}

// TestTextsOfAPair: the note keeps its own keys, lists have the entries of both, and keys with
// two values differ.
func TestTextsOfAPair(t *testing.T) {
	const base = "---\ntype: note\ntitle: Queue\ntags: [pay]\nrequest: abc\nuid: one\n---\n\nText.\n"
	theirs := conflictText("x", []byte(strings.NewReplacer("Queue", "Queues", "[pay]", "[pay, retry]", "Text.", "Theirs.").Replace(base)))
	theirs = []byte(strings.Replace(string(theirs), "uid: one", "uid: two", 1))
	p := ConflictPair{Name: "x.md", Ours: []byte(strings.Replace(base, "[pay]", "[pay, queue]", 1)), Theirs: theirs}
	ours, other := p.Texts()
	for _, c := range []struct{ text, title, body string }{{string(ours), "Queue", "Text.\n"}, {string(other), "Queues", "Theirs.\n"}} {
		n := note.ParseText("x.md", []byte(c.text))
		if n.Title != c.title || n.Body != c.body || strings.Join(n.Tags, " ") != "pay queue retry" || n.Request != "abc" || n.ConflictWith != "" || strings.Count(c.text, "uid: one\n") != 1 || strings.Contains(c.text, "uid: two") {
			t.Errorf("%s", c.text)
		}
	}
	if both := string(p.Both("## Other")); !strings.HasSuffix(both, "---\n\nText.\n\n## Other\n\nTheirs.\n") {
		t.Error(both)
	}
	p.Ours = p.Both("## Other")
	if again := string(p.Both("## Other")); strings.Count(again, "Theirs.") != 1 {
		t.Errorf("after a kill between the two steps:\n%s", again)
	}
	plain := ConflictPair{Name: "x.md", Ours: []byte("# X\n\nOurs.\r\n"), Theirs: conflictText("x", []byte("# X\n\nTheirs.\n"))}
	if _, theirs := plain.Texts(); strings.Contains(string(theirs), "---") {
		t.Errorf("a front matter that neither had: %q", theirs)
	}
}

// TestMarkedKeepsBoth: whatever the history holds beside the text that both began with, a line
// that one side has written is in the merged text.
func TestMarkedKeepsBoth(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	fresh := 0
	change := func(lines []string) []string {
		lines = slices.Clone(lines)
		for range 1 + r.IntN(3) {
			at := r.IntN(len(lines))
			fresh++
			word := fmt.Sprintf("new%d", fresh)
			switch r.IntN(3) {
			case 0:
				lines[at] = word
			case 1:
				lines = slices.Insert(lines, at, word)
			default:
				if len(lines) > 3 {
					lines = slices.Delete(lines, at, at+1)
				}
			}
		}
		return lines
	}
	for range 500 {
		first := []string{"a", "b", "c", "d", "e", "f"}
		base := change(first)
		oursBefore, theirsBefore := change(base), change(base)
		ours, theirs := change(oursBefore), change(theirsBefore)
		text := func(lines []string) []byte { return []byte("# X\n\n" + strings.Join(lines, "\n") + "\n") }
		p := ConflictPair{Name: "x.md", Ours: text(ours), Theirs: conflictText("x", text(theirs)), Earlier: [][]byte{text(base)}}
		for _, lines := range [][]string{first, oursBefore, theirsBefore, theirs} {
			if r.IntN(2) == 0 {
				p.Earlier = append(p.Earlier, text(lines))
			}
		}
		merged, _ := p.Marked("o", "t")
		for _, line := range slices.Concat(ours, theirs) {
			if !slices.Contains(base, line) && !slices.Contains(strings.Split(string(merged), "\n"), line) {
				t.Fatalf("%q is lost:\nbase %q\nours %q\ntheirs %q\n%s", line, base, ours, theirs, merged)
			}
		}
	}
}

// TestConflictTextIsActive: a status of superseded, which would hide the conflict, stays with the
// note; any other stays in both.
func TestConflictTextIsActive(t *testing.T) {
	for status, want := range map[string]string{"superseded": note.Active, "accepted": "accepted", "Superseded by ADR-7": "Superseded by ADR-7"} {
		text := conflictText("queue-aaaa", []byte("---\ntitle: Queue\nstatus: "+status+"\n---\n\nText.\n"))
		if n := note.ParseText("x.md", text); n.Status != want || n.ConflictWith != "queue-aaaa" {
			t.Errorf("%s: %q", status, text)
		}
	}
	p := ConflictPair{Name: "x.md", Ours: []byte("---\ntitle: Queue\nstatus: superseded\n---\n\nOurs.\n"), Theirs: conflictText("x", []byte("---\ntitle: Queue\nstatus: superseded\n---\n\nTheirs.\n"))}
	for _, text := range [][]byte{p.Both("## Other"), func() []byte { _, theirs := p.Texts(); return theirs }()} {
		if n := note.ParseText("x.md", text); n.Status != note.Superseded {
			t.Errorf("a resolved note is superseded no more: %q", text)
		}
	}
}
