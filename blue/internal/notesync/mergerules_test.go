package notesync

import (
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/note"
)

const identified = "---\ntype: decision\ntitle: Queue\ntags: [pay]\ncreated: 2026-03-01T00:00:00Z\nuid: mmmmmmmmmmmmmmmmmmmmmmmmmm\nfiles:\n  - path: a.go\n    hash: \"1\"\n    span: Retry\n    lines: L1-L2\n    span_hash: \"2\"\nstatus: active\n# a comment\nverified: 2026-03-02 by ann\n---\n\nText.\n"

// Marks do not count as an edit of a note, what it says does.
func TestOnlyMarksMerge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change []string
		want   bool
	}{
		"nothing":               {nil, true},
		"superseded":            {[]string{"status: active", "status: superseded"}, true},
		"a tag":                 {[]string{"[pay]", "[pay, retry]"}, true},
		"no tags":               {[]string{"tags: [pay]\n", ""}, true},
		"verified":              {[]string{"2026-03-02 by ann", "2026-03-03 by bo", "hash: \"1\"", "hash: \"3\"", "L1-L2", "L5-L6"}, true},
		"verified, renamed":     {[]string{"2026-03-02 by ann", "2026-03-03 by bo", "a.go", "b.go"}, true},
		"an alias":              {[]string{"status", "aliases: [deploys]\nstatus"}, true},
		"another identity":      {[]string{"uid: m", "uid: n"}, true},
		"marks of each kind":    {[]string{"[pay]", "[]", "active", "superseded by x", "by ann", "by bo"}, true},
		"the keys in new order": {[]string{"type: decision\ntitle: Queue\n", "title: Queue\ntype: decision\n"}, true},
		"other line ends":       {[]string{"Text.\n", "Text.\r\n"}, true},
		"the title":             {[]string{"Queue", "Queues"}, false},
		"the text":              {[]string{"Text.", "Text!"}, false},
		"the type":              {[]string{"decision", "note"}, false},
		"accepted":              {[]string{"status: active", "status: accepted"}, false},
		"cited files":           {[]string{"a.go", "b.go"}, false},
		"what it supersedes":    {[]string{"status", "supersedes: [x]\nstatus"}, false},
		"a key of others":       {[]string{"status", "owner: ann\nstatus"}, false},
		"a comment":             {[]string{"# a comment", "# another"}, false},
		"broken":                {[]string{"[pay]", "[pay"}, false},
	} {
		changed := []byte(edit(t, identified, c.change...))
		if there, back := onlyMarks([]byte(identified), changed), onlyMarks(changed, []byte(identified)); there != c.want || back != c.want {
			t.Errorf("%s: %v and %v, want %v", name, there, back, c.want)
		}
	}
}

// An identity is never merged to another one.
func TestMergedIdentity(t *testing.T) {
	t.Parallel()
	with := func(letter string) string {
		if letter == "" {
			return edit(t, identified, "uid: "+strings.Repeat("m", 26)+"\n", "")
		}
		return edit(t, identified, strings.Repeat("m", 26), strings.Repeat(letter, 26))
	}
	for _, c := range [][4]string{
		{"m", "m", "m", "m"}, {"m", "a", "b", "m"}, {"m", "a", "m", "m"}, {"m", "a", "a", "m"}, {"m", "", "m", "m"}, {"m", "", "", ""}, {"m", "", "b", "m"},
		{"", "b", "a", "a"}, {"", "b", "", "b"}, {"", "", "", ""},
	} {
		base, ours, theirs := with(c[0]), edit(t, with(c[1]), "status: active", "status: draft"), edit(t, with(c[2]), "[pay]", "[pay, x]")
		want := edit(t, with(c[3]), "status: active", "status: draft", "[pay]", "[pay, x]")
		n := note.ParseText("x.md", []byte(want))
		if r := notes(base, ours, theirs); note.ParseText("x.md", r.Text).UID != n.UID || r.Lossy() {
			t.Errorf("%q: %+v %s", c, r, r.Text)
		}
		checkPair(t, []byte(base), []byte(ours), []byte(theirs))
	}
	r := mergeNotes("x.md", versions{Ours: []byte(with("b")), Theirs: []byte(with("a"))})
	if string(r.Text) != with("a") || r.Lossy() {
		t.Errorf("without a base: %+v %s", r, r.Text)
	}
	foreign := func(value string) string { return edit(t, identified, strings.Repeat("m", 26), value) }
	if r := notes(foreign("1"), foreign("2"), foreign("3")); string(r.Text) != foreign("2") || !slices.Equal(r.Fields, []string{"uid"}) {
		t.Errorf("a key of others: %+v %s", r, r.Text)
	}
}

// Aliases are a set, and so are citations, each with all of its evidence.
func TestMergedSets(t *testing.T) {
	t.Parallel()
	base := edit(t, identified, "status", "aliases: [a, b]\nstatus")
	ours := edit(t, base, "[a, b]", "[a, c]", "files:\n", "files:\n  - path: a.go\n    span: Limit\n    span_hash: \"7\"\n")
	theirs := edit(t, base, "[a, b]", "[b, d]", "files:\n", "files:\n  - z.go\n")
	r := notes(base, ours, theirs)
	n := note.ParseText("x.md", r.Text)
	want := []note.Cited{{Path: "a.go", Hash: "1", Span: "Retry", Lines: "L1-L2", SpanHash: "2"}, {Path: "a.go", Span: "Limit", SpanHash: "7"}, {Path: "z.go"}}
	if r.Lossy() || !strings.Contains(n.Front, "aliases: [c, d]\n") || !slices.Equal(n.Files, want) {
		t.Errorf("%+v\n%s", r, r.Text)
	}
}

// Of a front matter that cannot be parsed each key is merged as text; a key that only
// one side has in order is taken from there, and where keys cannot be told apart theirs is
// kept aside.
func TestMergeOfBrokenFrontMatter(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base, ours, theirs, want []string
		fields                   []string
		overlap                  bool
	}{
		"another key":       {ours: []string{"type: decision", "type: [decision"}, theirs: []string{"[pay, retry]", "[pay, x]"}, want: []string{"type: decision", "type: [decision", "[pay, retry]", "[pay, x]"}},
		"the same key":      {ours: []string{"[pay, retry]", "[pay, retry"}, theirs: []string{"[pay, retry]", "[pay, x]"}, want: []string{"[pay, retry]", "[pay, x]"}, fields: []string{"tags"}},
		"keys of both":      {ours: []string{"type: decision", "zone: \"1\nmore: 2\ntype: decision"}, theirs: []string{"status", "area: 3\nstatus"}, want: []string{"ann # of the team\n", "ann # of the team\narea: 3\nmore: 2\nzone: \"1\n"}},
		"sets of both":      {ours: []string{"type: decision", "type: [decision", "[pay, retry]", "[pay, a]"}, theirs: []string{"[pay, retry]", "[pay, retry, x]"}, want: []string{"type: decision", "type: [decision", "[pay, retry]", "[pay, a, x]"}},
		"mended":            {base: []string{"type: decision", "type: [decision"}, ours: nil, theirs: []string{"type: decision", "type: [decision", "[pay, retry]", "[pay, x]"}, want: []string{"[pay, retry]", "[pay, x]"}},
		"broken base":       {base: []string{"[pay, retry]", "[pay"}, ours: []string{"[pay, retry]", "[a]"}, theirs: []string{"[pay, retry]", "[b]"}, want: []string{"[pay, retry]", "[a, b]"}},
		"a key twice":       {ours: []string{"status", "title: Again\nstatus"}, theirs: []string{"[pay, retry]", "[x]"}, want: []string{"title: Queue\ntags: [pay, retry]", "title: Queue\ntitle: Again\ntags: [x]"}},
		"words before keys": {ours: []string{"type", "more words\ntype"}, theirs: []string{"[pay, retry]", "[x]"}, want: []string{"type", "more words\ntype"}, overlap: true},
		"on one line":       {ours: []string{"type: decision\ntitle: Queue\ntags: [pay, retry]\ncreated: 2026-03-01T00:00:00Z\nstatus: active\nowner: ann # of the team\n", "{title: Queue}\n"}, theirs: []string{"active", "draft"}, want: []string{"type: decision\ntitle: Queue\ntags: [pay, retry]\ncreated: 2026-03-01T00:00:00Z\nstatus: active\nowner: ann # of the team\n", "{title: Queue}\n"}, overlap: true},
		"broken here alone": {ours: []string{"type", "more words\ntype"}, theirs: []string{"two", "2"}, want: []string{"type", "more words\ntype", "two", "2"}},
		"a reference":       {base: []string{"[pay, retry]", "&t [pay]", "ann", "*t"}, ours: []string{"[pay, retry]", "&t [pay, a]", "ann", "*t", "status", "aliases: *t\nstatus"}, theirs: []string{"[pay, retry]", "&t [pay]", "ann", "*t", "status", "aliases: [x]\nstatus"}, want: []string{"[pay, retry]", "&t [pay, a]", "ann", "*t", "status", "aliases: [a, pay, x]\nstatus"}},
		"a reference lost":  {ours: []string{"title: Queue", "title: &t Ours", "ann", "*t"}, theirs: []string{"title: Queue", "title: Theirs"}, want: []string{"title: Queue", "title: &t Ours", "ann", "*t"}, overlap: true},
		"not closed":        {ours: []string{"team\n---\n", "team\n"}, theirs: []string{"active", "draft"}, want: []string{"team\n---\n", "team\n"}, overlap: true},
	} {
		base, ours, theirs := edit(t, begin, c.base...), edit(t, begin, c.ours...), edit(t, begin, c.theirs...)
		if r := notes(base, ours, theirs); string(r.Text) != edit(t, begin, c.want...) || !slices.Equal(r.Fields, c.fields) || r.Overlap != c.overlap {
			t.Errorf("%s: %v, %v\n%s", name, r.Fields, r.Overlap, r.Text)
		}
		checkPair(t, []byte(base), []byte(ours), []byte(theirs))
	}
}
