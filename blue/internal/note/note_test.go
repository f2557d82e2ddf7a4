package note

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
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

func TestSetKey(t *testing.T) {
	for _, test := range []struct {
		key       string
		value     any
		old, want string
	}{
		{"tags", InlineList([]string{"c", "1", "a: b"}), "tags: [a, b]\n", "tags: [c, \"1\", 'a: b']\n"},
		{"title", "New", "title: \"Quoted: title\"\n", "title: New\n"},
		{"title", "yes", "title: \"Quoted: title\"\n", "title: \"yes\"\n"},
		{"tags", nil, "tags: [a, b]\n", ""},
		{"files", nil, "files:\n  - path: src/a.go\n    hash: 0123456789abcdef\n  - src/b.go\n", ""},
		{"list", nil, "list:\n  - one\n", ""},
		{"status", Superseded, "# tail\n", "# tail\nstatus: superseded\n"},
	} {
		n := ParseText("x.md", []byte(odd))
		if err := n.SetKey(test.key, test.value); err != nil {
			t.Fatal(err)
		}
		if want := strings.Replace(odd, test.old, test.want, 1); string(n.Bytes()) != want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.key, n.Bytes(), want)
		}
	}
	bare := ParseText("x.md", []byte("# Title\n"))
	if err := bare.SetKey("type", "skill"); err != nil || string(bare.Bytes()) != "---\ntype: skill\n---\n\n# Title\n" {
		t.Errorf("without front matter: %q %v", bare.Bytes(), err)
	}
}

func TestEditsKeepLineEnds(t *testing.T) {
	n := ParseText("x.md", []byte("---\r\ntitle: T\r\n---\r\none\r\n"))
	n.AppendBody("two\nthree")
	if err := n.SetKey("title", "U"); err != nil {
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
		if root, _ := parseMapping(n.Front); n.Problem != "" || title == "" || root.Kind == 0 || root.Style != 0 {
			return
		}
		before := n
		if err := n.SetKey("title", title); err != nil {
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
		"Deploy on Fridays": "deploy-on-fridays", "Straße & Café": "strasse-cafe", "  --x--  ": "x", "日本語": "日本語", "": "note",
		"don't panic": "dont-panic", strings.Repeat("long ", 30): strings.TrimSuffix(strings.Repeat("long-", 7), "-"), "v1.8.0": "v1-8-0",
		"Requests are retried with exponential backoff": "requests-are-retried-with",
		"Webhooks are retried with a pause now yes":     "webhooks-are-retried-with-a-pause",
		"Webhooks are retried with a pause no":          "webhooks-are-retried-with-a-pause",
		"Webhooks are retried with a pauses":            "webhooks-are-retried-with-a-pauses",
		"The " + strings.Repeat("x", 50):                "the-" + strings.Repeat("x", 31),
		strings.Repeat("日本", 20):                        strings.Repeat("日本", 9) + "日",
	} {
		if got := MakeSlug(title); got != want || utf8.RuneCountInString(got) > 35 || len(got) > slugBytes {
			t.Errorf("MakeSlug(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestSuffixesOfAKey(t *testing.T) {
	first := slices.Collect(IDSuffixes("project", "key"))
	if len(first) < 10 || !slices.Equal(first, slices.Collect(IDSuffixes("project", "key"))) {
		t.Errorf("%v", first)
	}
	if other := slices.Collect(IDSuffixes("other", "key")); other[0] == first[0] {
		t.Error("two projects share the id of a key")
	}
}

func TestLinks(t *testing.T) {
	body := "[[a-1]] and [[b|shown]] and [x](c.md) [y](./d.md#part) [z](https://e.md) [[a-1]] ![p](f.png) [q](sub/g.md)"
	body += "\n`[[span]]` ``[[two]]` ``[[shown]]\n```toml\n[[package]]\n~~~\n```\n~~~~\n[[tilde]]\n~~~\n~~~~\n[[after]] [e](my%20note.md)\n> ```\n> [[quoted]]\n"
	var ids []string
	for _, l := range FindLinks(body) {
		ids = append(ids, l.ID)
		if !strings.HasPrefix(strings.TrimSpace(body[l.At:]), strings.ReplaceAll(l.ID, " ", "%20")) {
			t.Errorf("%q is not at %d", l.ID, l.At)
		}
	}
	if want := []string{"a-1", "b", "shown", "after", "c", "d", "my note"}; !slices.Equal(ids, want) {
		t.Errorf("%q, want %q", ids, want)
	}
}

func TestSection(t *testing.T) {
	body := "# A\none\n## B\ntwo\n```\n# not a heading\n```\n### C\nthree\n## D\nfour\n"
	got, headings, ok := FindSection(body, "b")
	if !ok || got != "## B\ntwo\n```\n# not a heading\n```\n### C\nthree\n" || !slices.Equal(headings, []string{"A", "B", "C"}) {
		t.Errorf("%q of %q", got, headings)
	}
	if got, headings, ok := FindSection(body, "E"); ok || len(headings) != 4 {
		t.Errorf("%q of %q", got, headings)
	}
	if got, _, _ := FindSection("~~~~\n```\n# in code\n~~~~\n# `run`\n1\n# Next\n", "`run`"); got != "# `run`\n1\n" {
		t.Errorf("%q", got)
	}
}
