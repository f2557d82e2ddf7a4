package blue

import (
	"slices"
	"strings"
	"testing"
	"time"
)

const odd = `---
# head
type:   decision   # why
title: "Quoted: title"
list:
  - one

# before tags
tags: [a, b]
created: 2026-01-02T03:04:05Z
x-own: {k: v}
files:
  - path: src/a.go
    hash: 0123456789abcdef
  - src/b.go
# tail
---

Body.
`

func TestParse(t *testing.T) {
	n := ParseText("notes/x.md", []byte(odd))
	if n.Type != "decision" || n.Title != "Quoted: title" || !slices.Equal(n.Tags, []string{"a", "b"}) || n.Body != "Body.\n" || n.Problem != "" {
		t.Errorf("%+v", n)
	}
	if !n.Created.Equal(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)) {
		t.Errorf("created %v", n.Created)
	}
	if len(n.Files) != 2 || n.Files[0] != (Cited{Path: "src/a.go", Hash: "0123456789abcdef"}) || n.Files[1].Path != "src/b.go" {
		t.Errorf("files %+v", n.Files)
	}
	if string(n.Bytes()) != odd {
		t.Errorf("put together again: %q", n.Bytes())
	}
}

func TestParseWhatIsNoGoodNote(t *testing.T) {
	for name, test := range map[string]struct {
		text, title, body string
		problem           bool
	}{
		"no front matter":   {"# A heading\n\ntext\n", "A heading", "# A heading\n\ntext\n", false},
		"no heading":        {"text\n", "x", "text\n", false},
		"empty":             {"", "x", "", false},
		"not closed":        {"---\ntype: note\n", "x", "---\ntype: note\n", true},
		"broken":            {"---\ntype: [a\n---\nbody\n", "x", "body\n", true},
		"a list":            {"---\n- a\n---\nbody\n", "x", "body\n", true},
		"empty front":       {"---\n---\nbody\n", "x", "body\n", false},
		"null values":       {"---\ntitle:\ntags:\n---\nbody\n", "x", "body\n", false},
		"carriage returns":  {"---\r\ntitle: T\r\n---\r\n\r\nbody\r\n", "T", "body\r\n", false},
		"byte order mark":   {"\uFEFF---\ntitle: T\n---\nbody\n", "T", "body\n", false},
		"closed by dots":    {"---\ntitle: T\n...\nbody\n", "T", "body\n", false},
		"alias":             {"---\na: &x Aliased\ntitle: *x\n---\nbody\n", "Aliased", "body\n", false},
		"aliases in a bomb": {"---\na: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\ntags: *c\n---\nbody\n", "x", "body\n", false},
		"tags on one line":  {"---\ntags: a, b\n---\nbody\n", "x", "body\n", false},
		"not UTF-8":         {"---\ntitle: T\n---\nb\xffdy\n", "T", "b\xffdy\n", true},
	} {
		n := ParseText("notes/x.md", []byte(test.text))
		if n.Title != test.title || n.Body != test.body || (n.Problem != "") != test.problem {
			t.Errorf("%s: title %q, body %q, problem %q", name, n.Title, n.Body, n.Problem)
		}
		if n.Type != TypeNote || n.Status != Active {
			t.Errorf("%s: type %q, status %q", name, n.Type, n.Status)
		}
	}
}

func TestConflicted(t *testing.T) {
	if !ParseText("x.md", []byte("<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")).Conflicted {
		t.Error("a conflict is not seen")
	}
	if ParseText("x.md", []byte("Heading\n=======\n")).Conflicted {
		t.Error("an underlined heading is no conflict")
	}
}

func TestSetFront(t *testing.T) {
	for _, test := range []struct {
		key       string
		value     any
		old, want string
	}{
		{"tags", FlowList([]string{"c", "1", "a: b"}), "tags: [a, b]\n", "tags: [c, \"1\", 'a: b']\n"},
		{"title", "New", "title: \"Quoted: title\"\n", "title: New\n"},
		{"title", "yes", "title: \"Quoted: title\"\n", "title: \"yes\"\n"},
		{"tags", nil, "tags: [a, b]\n", ""},
		{"files", nil, "files:\n  - path: src/a.go\n    hash: 0123456789abcdef\n  - src/b.go\n", ""},
		{"list", nil, "list:\n  - one\n", ""},
		{"status", Superseded, "# tail\n", "# tail\nstatus: superseded\n"},
	} {
		n := ParseText("x.md", []byte(odd))
		if err := n.SetFront(test.key, test.value); err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(odd, test.old, test.want, 1); string(n.Bytes()) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.key, n.Bytes(), want)
		}
	}
	bare := ParseText("x.md", []byte("# Title\n"))
	if err := bare.SetFront("type", "skill"); err != nil || string(bare.Bytes()) != "---\ntype: skill\n---\n\n# Title\n" {
		t.Errorf("without front matter: %q %v", bare.Bytes(), err)
	}
}

func TestEditsKeepLineEnds(t *testing.T) {
	n := ParseText("x.md", []byte("---\r\ntitle: T\r\n---\r\none\r\n"))
	n.appendBody("two\nthree")
	if err := n.SetFront("title", "U"); err != nil {
		t.Fatal(err)
	}
	if got := string(n.Bytes()); got != "---\r\ntitle: U\r\n---\r\none\r\n\r\ntwo\r\nthree\r\n" {
		t.Errorf("%q", got)
	}
}

// FuzzNote: every file comes apart and together again, and setting one key
// changes no other.
func FuzzNote(f *testing.F) {
	f.Add(odd, "A title")
	f.Add("---\ntitle: T\n---\nbody", "x: y")
	f.Add("---\r\na: 1\r\n---\r\n\r\nbody\r\n", "#")
	f.Add("---\n? [a]\n: b\n---\n", "- x")
	f.Add("---\n{a: 1, b: 2}\n---\n", "t")
	f.Fuzz(func(t *testing.T, text, title string) {
		n := ParseText("notes/x.md", []byte(text))
		if string(n.Bytes()) != text {
			t.Fatalf("%q came back as %q", text, n.Bytes())
		}
		title = OneLine(strings.ToValidUTF8(title, ""))
		if n.Problem != "" || title == "" || mapping(n.Front) == nil || mapping(n.Front).Style != 0 {
			return
		}
		before := n
		if err := n.SetFront("title", title); err != nil {
			t.Fatal(err)
		}
		after := ParseText("notes/x.md", n.Bytes())
		if after.Problem != "" {
			return // a person's own construction around the key; the file is still whole
		}
		if after.Body != before.Body || after.Type != before.Type || !slices.Equal(after.Tags, before.Tags) {
			t.Fatalf("setting the title of %q to %q gave %q", text, title, n.Bytes())
		}
	})
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"Deploy on Fridays": "deploy-on-fridays", "Straße & Café": "strasse-cafe", "  --x--  ": "x", "日本語": "note", "": "note",
		"don't panic": "dont-panic", strings.Repeat("long ", 30): strings.TrimSuffix(strings.Repeat("long-", 12), "-"), "v1.8.0": "v1-8-0",
	} {
		if got := slug(title); got != want || len(got) > slugLimit {
			t.Errorf("slug(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestSuffixesOfAKey(t *testing.T) {
	first := slices.Collect(suffixes("project", "key"))
	if len(first) < 10 || !slices.Equal(first, slices.Collect(suffixes("project", "key"))) {
		t.Errorf("%v", first)
	}
	if other := slices.Collect(suffixes("other", "key")); other[0] == first[0] {
		t.Error("two projects share the id of a key")
	}
}

func TestLinks(t *testing.T) {
	body := "[[a-1]] and [[b|shown]] and [x](c.md) [y](./d.md#part) [z](https://e.md) [[a-1]] ![p](f.png) [q](sub/g.md)"
	body += "\n`[[span]]` ``[[two]]` ``[[shown]]\n```toml\n[[package]]\n~~~\n```\n~~~~\n[[tilde]]\n~~~\n~~~~\n[[after]] [e](my%20note.md)\n> ```\n> [[quoted]]\n"
	var ids []string
	for _, l := range links(body) {
		ids = append(ids, l.id)
		if !strings.HasPrefix(strings.TrimSpace(body[l.at:]), strings.ReplaceAll(l.id, " ", "%20")) {
			t.Errorf("%q is not at %d", l.id, l.at)
		}
	}
	if want := []string{"a-1", "b", "shown", "after", "c", "d", "my note"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}

func TestCursor(t *testing.T) {
	at, err := place(cursor("call", 3, 40), "call", 2)
	if err != nil || !slices.Equal(at, []int{3, 40}) {
		t.Errorf("%v %v", at, err)
	}
	for _, bad := range []string{cursor("other call", 3, 40), cursor("call", 3), "x", "%%%"} {
		if _, err := place(bad, "call", 2); err == nil {
			t.Errorf("cursor %q is taken", bad)
		}
	}
}

func TestSince(t *testing.T) {
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-01-31": time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), "7d": now.AddDate(0, 0, -7), "2w": now.AddDate(0, 0, -14),
		"12h": now.Add(-12 * time.Hour), "2026-01-31T10:00:00+02:00": time.Date(2026, 1, 31, 8, 0, 0, 0, time.UTC), "": {},
	} {
		if got, err := sinceTime(text, now); err != nil || !got.Equal(want) {
			t.Errorf("since %q: %v %v", text, got, err)
		}
	}
	for _, bad := range []string{"tomorrow", "-3h", "5", "d"} {
		if _, err := sinceTime(bad, now); err == nil {
			t.Errorf("since %q is taken", bad)
		}
	}
}

func TestSection(t *testing.T) {
	body := "# A\none\n## B\ntwo\n```\n# not a heading\n```\n### C\nthree\n## D\nfour\n"
	got, err := sectionOf("x", body, "b")
	if err != nil || got != "## B\ntwo\n```\n# not a heading\n```\n### C\nthree\n" {
		t.Errorf("%q %v", got, err)
	}
}
