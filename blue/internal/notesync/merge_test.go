package notesync

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/note"
	"blue/fixtures"
)

const begin = "---\ntype: decision\ntitle: Queue\ntags: [pay, retry]\ncreated: 2026-03-01T00:00:00Z\nstatus: active\nowner: ann # of the team\n---\n\n# Queue\n\none\ntwo\nthree\nfour\nfive\n"

// edit replaces passages of a text, each of which stands there.
func edit(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("%q is not in %q", pairs[i], text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	return text
}

// The same note's tags and status; front matter here, body there; bodies apart; bodies overlapping.
func TestMergeOfANote(t *testing.T) {
	for name, c := range map[string]struct {
		ours, theirs, want []string // passages of the beginning that are replaced
		fields             []string
		overlap            bool
	}{
		"tags and status":           {ours: []string{"[pay, retry]", "[pay, retry, queue]"}, theirs: []string{"active", "superseded"}, want: []string{"[pay, retry]", "[pay, retry, queue]", "active", "superseded"}},
		"tags of both":              {ours: []string{"[pay, retry]", "[pay, zoo]"}, theirs: []string{"[pay, retry]", "[pay, retry, ant]"}, want: []string{"[pay, retry]", "[pay, ant, zoo]"}},
		"tags of both, other form":  {ours: []string{"tags: [pay, retry]", "tags:\n- retry\n- pay\n- x"}, theirs: []string{"tags: [pay, retry]", "tags: pay"}, want: []string{"[pay, retry]", "[pay, x]"}},
		"front and body":            {ours: []string{"Queue\ntags", "Queues\ntags"}, theirs: []string{"two", "2"}, want: []string{"Queue\ntags", "Queues\ntags", "two", "2"}},
		"bodies apart":              {ours: []string{"one", "1"}, theirs: []string{"five", "5\n6"}, want: []string{"one", "1", "five", "5\n6"}},
		"the same":                  {ours: []string{"one", "1"}, theirs: []string{"one", "1"}, want: []string{"one", "1"}},
		"the same and more":         {ours: []string{"one", "1", "five", "5"}, theirs: []string{"one", "1"}, want: []string{"one", "1", "five", "5"}},
		"bodies overlapping":        {ours: []string{"two", "2"}, theirs: []string{"two", "II", "active", "superseded"}, want: []string{"two", "2", "active", "superseded"}, overlap: true},
		"both titles":               {ours: []string{"title: Queue", "title: Ours"}, theirs: []string{"title: Queue", "title: Theirs"}, want: []string{"title: Queue", "title: Ours"}, fields: []string{"title"}},
		"superseded wins":           {ours: []string{"status: active", "status: draft"}, theirs: []string{"status: active", "status: superseded"}, want: []string{"status: active", "status: superseded"}},
		"the earlier day":           {ours: []string{"2026-03-01", "2026-02-01"}, theirs: []string{"2026-03-01", "2026-01-01"}, want: []string{"2026-03-01", "2026-01-01"}},
		"an unknown key of each":    {ours: []string{"owner: ann # of the team\n", "owner: bo\nzone: 1\n"}, theirs: []string{"owner: ann # of the team\n", "owner: ann # of the team\narea:\n  x: 1\n"}, want: []string{"owner: ann # of the team\n", "owner: bo\narea:\n  x: 1\nzone: 1\n"}},
		"a key goes, another comes": {ours: []string{"owner: ann # of the team\n", ""}, theirs: []string{"status", "files: [a.go]\nstatus"}, want: []string{"owner: ann # of the team\n", "files: [a.go]\n"}},
	} {
		r := mergeNotes("x.md", versions{Base: []byte(begin), Ours: []byte(edit(t, begin, c.ours...)), Theirs: []byte(edit(t, begin, c.theirs...))})
		if string(r.Text) != edit(t, begin, c.want...) || !slices.Equal(r.Fields, c.fields) || r.Overlap != c.overlap {
			t.Errorf("%s: %v, %v\n%s", name, r.Fields, r.Overlap, r.Text)
		}
	}
}

func TestLineEnds(t *testing.T) {
	crlf := strings.ReplaceAll(begin, "\n", "\r\n")
	want := edit(t, crlf, "one", "1", "[pay, retry]", "[pay, retry, a, b]", "five\r\n", "5")
	r := mergeNotes("x.md", versions{Base: []byte(crlf), Ours: []byte(edit(t, crlf, "one", "1", "retry]", "retry, a]")), Theirs: []byte(edit(t, crlf, "five\r\n", "5", "retry]", "retry, b]"))})
	if string(r.Text) != want || r.Lossy() {
		t.Errorf("%q", r.Text)
	}
	// one side has changed the line ends, the other a line
	r = mergeNotes("x.md", versions{Base: []byte(begin), Ours: []byte(crlf), Theirs: []byte(edit(t, begin, "one", "1"))})
	if string(r.Text) != edit(t, crlf, "one", "1") || r.Lossy() {
		t.Errorf("%q", r.Text)
	}
}

func TestWithoutBase(t *testing.T) {
	one, other := edit(t, begin, "[pay, retry]", "[pay, a]"), edit(t, begin, "2026-03-01", "2026-02-01")
	r := mergeNotes("x.md", versions{Ours: []byte(one), Theirs: []byte(other)})
	if string(r.Text) != edit(t, begin, "[pay, retry]", "[a, pay, retry]", "2026-03-01", "2026-02-01") || r.Lossy() {
		t.Errorf("%+v\n%s", r, r.Text)
	}
	if r = mergeNotes("x.md", versions{Ours: []byte("a\n"), Theirs: []byte("b\n")}); !r.Overlap || string(r.Text) != "a\n" {
		t.Errorf("%+v", r)
	}
}

func TestBrokenFrontMatter(t *testing.T) {
	broken := edit(t, begin, "type: decision", "type: [decision")
	r := mergeNotes("x.md", versions{Base: []byte(begin), Ours: []byte(broken), Theirs: []byte(edit(t, begin, "five", "5"))})
	if string(r.Text) != edit(t, broken, "five", "5") || r.Lossy() {
		t.Errorf("%+v\n%s", r, r.Text)
	}
	aside := conflictText("queue-aaaa", []byte(broken))
	n := note.ParseText("y.md", aside)
	if n.Problem != "" || n.ConflictWith != "queue-aaaa" || !strings.HasSuffix(string(aside), broken) {
		t.Errorf("%s", aside)
	}
	n = note.ParseText("y.md", conflictText("queue-aaaa", []byte(edit(t, begin, "status", "request: 0123\nuid: abcdefghijklmnopqrstuvwxyz\nstatus"))))
	if n.Title != "Queue" || n.Request != "" || n.Identity() != note.DeriveUID("y", n.Created) || n.ConflictWith != "queue-aaaa" || !strings.Contains(n.Front, "owner: ann") {
		t.Errorf("%s", n.Bytes())
	}
}

// randomNote is a note of few words, so that edits meet.
func randomNote(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString("---\n")
	fmt.Fprintf(&b, "title: t%d\ntags: %s\ncreated: 2026-01-0%d\nstatus: %s\nown: %d\n", r.IntN(2), tags(r), 1+r.IntN(3), []string{"active", "superseded"}[r.IntN(2)], r.IntN(2))
	b.WriteString("---\n\n")
	for i := range 4 + r.IntN(8) {
		fmt.Fprintf(&b, "line %d\n", i*10)
	}
	return b.String()
}

func tags(r *rand.Rand) string {
	words := []string{"a", "b", "c", "d", "e"}
	r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return "[" + strings.Join(words[:1+r.IntN(4)], ", ") + "]"
}

// randomEdit changes some keys and lines of a note, as an agent or an editor does.
func randomEdit(r *rand.Rand, text string) string {
	for range r.IntN(4) {
		n := note.ParseText("x.md", []byte(text))
		lines := strings.SplitAfter(n.Body, "\n")
		at := r.IntN(len(lines))
		switch r.IntN(13) {
		case 0:
			_ = n.SetKey("tags", strings.Split(strings.Trim(tags(r), "[]"), ", "))
		case 1:
			_ = n.SetKey("status", []string{"active", "superseded", "draft"}[r.IntN(3)])
		case 2:
			_ = n.SetKey(fmt.Sprintf("key%d", r.IntN(3)), r.IntN(3))
		case 3:
			_ = n.SetKey("title", fmt.Sprintf("t%d", r.IntN(4)))
		case 4:
			_ = n.SetKey("files", []note.Cited{{Path: fmt.Sprintf("%d.go", r.IntN(3)), Hash: fmt.Sprint(r.IntN(2))}})
		case 5:
			_ = n.SetKey([]string{"own", "tags", "created"}[r.IntN(3)], nil)
		case 6:
			lines[at] = fmt.Sprintf("changed %d\n", r.IntN(1000)) + lines[at]
		case 7:
			lines = slices.Delete(lines, at, at+1)
		case 8:
			lines[at] = fmt.Sprintf("other %d\n", r.IntN(3))
		case 9:
			_ = n.SetKey("aliases", strings.Split(strings.Trim(tags(r), "[]"), ", "))
		case 10:
			_ = n.SetKey("uid", []any{nil, uids[0], uids[1], uids[2], "2026"}[r.IntN(5)])
		case 11, 12:
			if r.IntN(4) == 0 {
				n.Front = breakFront(r, n.Front)
			}
		}
		n.Body = strings.Join(lines, "")
		text = string(n.Bytes())
	}
	if r.IntN(20) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

var uids = []string{strings.Repeat("a", 26), strings.Repeat("b", 26), strings.Repeat("c", 26)}

// breakFront makes a mistake in a front matter, as a person does who types it.
func breakFront(r *rand.Rand, front string) string {
	lines := strings.SplitAfter(front, "\n")
	at := r.IntN(len(lines))
	switch r.IntN(6) {
	case 0:
		lines[at] = "tags: [a, b\n" + lines[at]
	case 1:
		lines[at] = "title: again\n" + lines[at]
	case 2:
		lines[at] = []string{"more words\n", "\tx: 1\n", "- item\n", "---\n", "# a comment\n"}[r.IntN(5)] + lines[at]
	case 3:
		lines[at] = strings.Replace(lines[at], ": ", []string{": \"", ": {", ": x: ", ":", ": *"}[r.IntN(5)], 1)
	case 4:
		lines[at] = strings.Replace(lines[at], "\n", "\n  y: 1\n", 1)
	case 5:
		lines[at] = "  " + lines[at]
	}
	return strings.Join(lines, "")
}

// Of random pairs of edits, which side is ours matters for what both have changed
// alone, and merging again changes nothing; three sides make one note in any order where
// none has changed what another has, nor broken the front matter.
func TestMergeIsSymmetric(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 12))
	kept, chained := 0, 0
	for n := range pairs() {
		base := randomNote(r)
		one, other, third := randomEdit(r, base), randomEdit(r, base), randomEdit(r, base)
		checkPair(t, []byte(base), []byte(one), []byte(other))
		checkPair(t, nil, []byte(one), []byte(other))
		ab := notes(base, one, other)
		if ab.Lossy() {
			kept++
		}
		if ab.Lossy() || n%5 > 0 || broken(one) || broken(other) || broken(third) { // chains take most of the time
			continue
		}
		bc := notes(base, other, third)
		left, right := notes(base, string(ab.Text), third), notes(base, one, string(bc.Text))
		if bc.Lossy() || left.Lossy() || right.Lossy() {
			continue
		}
		chained++
		if !bytes.Equal(left.Text, right.Text) {
			t.Fatalf("of %q, %q, %q, %q the order makes %q and %q", base, one, other, third, left.Text, right.Text)
		}
	}
	t.Logf("%d pairs, %d of them with something that both had changed; %d chains of three", pairs(), kept, chained)
}

func notes(base, ours, theirs string) mergeResult {
	return mergeNotes("x.md", versions{Base: []byte(base), Ours: []byte(ours), Theirs: []byte(theirs)})
}

// checkPair checks what holds of any three texts.
func checkPair(t *testing.T, base, one, other []byte) {
	t.Helper()
	ab := mergeNotes("x.md", versions{Base: base, Ours: one, Theirs: other})
	ba := mergeNotes("x.md", versions{Base: base, Ours: other, Theirs: one})
	if ab.Overlap != ba.Overlap || !slices.Equal(ab.Fields, ba.Fields) {
		t.Fatalf("of %q, %q, %q the sides differ in %+v and %+v", base, one, other, ab, ba)
	}
	if !ab.Lossy() && !bytes.Equal(ab.Text, ba.Text) {
		t.Fatalf("of %q, %q, %q the sides make %q and %q", base, one, other, ab.Text, ba.Text)
	}
	// the commit of the merge has both sides before it, so that either is a base of it
	for _, side := range [][]byte{one, other} {
		if again := mergeNotes("x.md", versions{Base: side, Ours: ab.Text, Theirs: side}); !bytes.Equal(again.Text, ab.Text) || again.Lossy() {
			t.Fatalf("%q becomes %q when %q comes again", ab.Text, again.Text, side)
		}
	}
	// after a crash the files are merged and the base is the old one
	again := mergeNotes("x.md", versions{Base: base, Ours: ab.Text, Theirs: other})
	if !ab.Lossy() && (!bytes.Equal(again.Text, ab.Text) || again.Lossy()) {
		t.Fatalf("of %q, %q, %q came %q, and with the old base %+v %q", base, one, other, ab.Text, again, again.Text)
	}
	for key := range keysOf(one) {
		inBase, isSet := keysOf(base)[key], slices.Contains([]string{"tags", "aliases", "files"}, key) // of which each side may remove a part
		if !ab.Overlap && !keysOf(ab.Text)[key] && (!inBase || keysOf(other)[key] && !isSet) {
			t.Fatalf("of %q, %q, %q comes %q without %q", base, one, other, ab.Text, key)
		}
	}
	if parsed := note.ParseText("x.md", ab.Text); parsed.Conflicted && !conflicted(one) && !conflicted(other) {
		t.Fatalf("of %q, %q, %q come conflict markers: %q", base, one, other, ab.Text)
	}
}

// keysOf are the words that begin a line of a front matter as keys do.
func keysOf(text []byte) map[string]bool {
	keys := map[string]bool{}
	n := note.ParseText("x.md", text)
	for _, m := range regexp.MustCompile(`(?m)^(\w+):\s`).FindAllStringSubmatch(n.Front, -1) {
		keys[m[1]] = true
	}
	return keys
}

func FuzzNotes(f *testing.F) {
	f.Add(begin, strings.Replace(begin, "one", "1", 1), strings.Replace(begin, "pay", "b", 1))
	f.Add("", "---\na: 1\n---\nx", "\ufeff---\r\nb: 1\r\n...\r\ny\r\n")
	f.Add("---\na: &x 1\nb: *x\n---\n", "---\nb: 2\n---\n", "---\na: &x 1\nb: *x\nc: *x\n---\n<<<<<<< a\n=======\n>>>>>>> b\n")
	f.Add("---\ntags: [a]\nuid: aaaaaaaaaaaaaaaaaaaaaaaaaa\n---\n", "---\ntags: [a\n'b': 1\n---\nx\n", "---\n# c\ntags: b\nuid: bbbbbbbbbbbbbbbbbbbbbbbbbb\naliases: [x]\n---\n")
	f.Add("", "---\n---", "---")
	f.Add("", "---\n---", "\n")
	f.Add("# Queue\n\none\ntwo", "# Queue\n\n", "\n\none\ntwo")
	f.Add("---\ncreated:\n---", "---\ncreated: \nowner: \n---", "---\n 0000:\n---")
	f.Add("---\n{a: 1, b: 2}\n---\n", "---\n# c\na: 1\n---\n", "---\na: |\n  # x\n\n---\n")
	f.Fuzz(func(t *testing.T, base, one, other string) {
		checkPair(t, []byte(base), []byte(one), []byte(other))
		checkPair(t, nil, []byte(one), []byte(other))
		if aside := note.ParseText("x.md", conflictText("y", []byte(other))); aside.ConflictWith != "y" {
			t.Fatalf("%q", aside.Bytes())
		}
	})
}

func broken(text string) bool { n := note.ParseText("x.md", []byte(text)); return n.Problem != "" }

func conflicted(text []byte) bool { n := note.ParseText("x.md", text); return n.Conflicted }

// Paths of documents that both sides supersede are merged as the ids of notes are.
func TestSupersededDocuments(t *testing.T) {
	with := func(words string) []byte {
		return []byte(edit(t, begin, "status", "supersedes: ["+words+"]\nstatus"))
	}
	r := mergeNotes("x.md", versions{Base: with("docs/a.md, x-aaaa"), Ours: with("docs/a.md, x-aaaa, docs/adr/b.md"), Theirs: with("x-aaaa, y-bbbb")})
	if string(r.Text) != string(with("x-aaaa, docs/adr/b.md, y-bbbb")) || r.Lossy() {
		t.Errorf("%s", r.Text)
	}
}

// pairs is the number of random pairs of edits in TestMergeIsSymmetric.
func pairs() int { return fixtures.Size(200, 500, 10_000) }
