package transfer

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"blue/errors"
	"blue/fixtures"
)

// open opens a tree as a kind of source.
func open(word string, tree fs.FS, file string) (*source, error) {
	kind, err := kindNamed(word)
	if err != nil {
		return nil, err
	}
	return openKind(kind, tree, "dir", file)
}

func all(t testing.TB, kind string, tree fs.FS, file string) (docs []document) {
	t.Helper()
	s, err := open(kind, tree, file)
	if err != nil {
		t.Fatal(err)
	}
	for d, err := range s.Documents() {
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, d)
	}
	return docs
}

func files(texts ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for i := 0; i < len(texts); i += 2 {
		tree[texts[i]] = &fstest.MapFile{Data: []byte(texts[i+1]), Mode: 0o644}
	}
	return tree
}

func TestOpen(t *testing.T) {
	for _, test := range []struct{ kind, file, there, origin string }{
		{"markdown", "", "a.md", "markdown:dir/a.md"},
		{"markdown", "a.md", "a.md", "markdown:dir/a.md"},
		{"claude-code", "", "memory/a.md", "claude-code:memory/a.md"},
		{"claude-code", "", "a.md", "claude-code:dir/a.md"},
		{"memory-jsonl", "", "memory.jsonl", "memory-jsonl:memory.jsonl/N"},
		{"memory-jsonl", "other.jsonl", "other.jsonl", "memory-jsonl:other.jsonl/N"},
	} {
		text := "text"
		if test.kind == "memory-jsonl" {
			text = `{"type":"entity","name":"N","entityType":"t","observations":[]}`
		}
		tree := files(test.there, text)
		s, err := open(test.kind, tree, test.file)
		if err != nil {
			t.Fatal(err)
		}
		for d, err := range s.Documents() {
			if err != nil || d.Reason != "" || s.Origin(d) != test.origin {
				t.Errorf("%v: %s, %q, %v", test, s.Origin(d), d.Reason, err)
			}
		}
	}
	for kind, tree := range map[string]fstest.MapFS{"notion": files("a.md", "x"), "adr": files("a.md", "x"), "memory-jsonl": {}} {
		if _, err := open(kind, tree, ""); !errors.Is(err, errors.Invalid) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// TestWalk: what is no regular Markdown file is named with its reason, or passed
// over when nobody would miss it.
func TestWalk(t *testing.T) {
	tree := files("b.md", "\uFEFFtext\r\n", "a.MARKDOWN", "text", ".git/x.md", "x", "node_modules/x.md", "x", "x.png", "x", "bad.md", "\xff", "big.md", strings.Repeat("x", documentLimit+1), ".dot.md", "x")
	tree["link.md"] = &fstest.MapFile{Data: []byte("b.md"), Mode: fs.ModeSymlink}
	tree["pipe.md"] = &fstest.MapFile{Mode: fs.ModeNamedPipe}
	got := map[string]string{}
	for _, d := range all(t, "markdown", tree, "") {
		got[d.Path] = d.Reason + d.Text
	}
	want := map[string]string{"a.MARKDOWN": "text", "b.md": "text\n", "bad.md": "not UTF-8 text", "big.md": "larger than 1 MiB", "x.png": "not a Markdown file",
		"link.md": "a symbolic link, which is not followed", "pipe.md": "not a regular file"}
	for path, text := range want {
		if got[path] != text {
			t.Errorf("%s: %.100q, want %q", path, got[path], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d documents", len(got))
	}
}

func TestHashtags(t *testing.T) {
	got := findHashtags("#one and #two/three, (#four) #5 #6a C# a#b # no #one\n## Heading #sieben_8-x")
	if want := []string{"one", "two/three", "four", "6a", "sieben_8-x"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// known are two documents that links may lead to.
func known() (names *nameTable) {
	names = &nameTable{}
	names.AddDocument(document{Path: "a/Note one.md", Names: []string{"Note one", "first"}}, "note-one-aaaa")
	names.AddDocument(document{Path: "b/two.md", Names: []string{"two", "Twins"}}, "two-bbbb")
	names.AddDocument(document{Path: "c/two.md", Names: []string{"two", "Twins"}}, "two-cccc")
	return names
}

func TestLead(t *testing.T) {
	for body, want := range map[string]string{
		"[[note ONE]] [[First|x]] [[two]] [[b/two]]": "[[note-one-aaaa|note ONE]] [[note-one-aaaa|x]] [[two]] [[two-bbbb|b/two]]",
		"[[Note one.md#P|x]] [[#P]] [[ first ]]":     "[[note-one-aaaa#P|x]] [[#P]] [[note-one-aaaa|first]]",
		"![[first]] ![[p.png]]":                      "![[note-one-aaaa|first]] ![[p.png]]",
		"| [[first]] | [[first\\|x]] |":              "| [first](note-one-aaaa.md) | [x](note-one-aaaa.md) |",
		"[x](Note%20one.md#p) [y](<Note one.md>)":    "[x](note-one-aaaa.md#p) [y](note-one-aaaa.md)",
		"[x](../b/two.md \"t\") [y](/c/two.md)":      "[x](two-bbbb.md \"t\") [y](two-cccc.md)",
		"[x](../../b/two.md) [y](../../../etc/x.md)": "[x](../../b/two.md) [y](../../../etc/x.md)",
		"[x](https://e.org/a.md) [y](mailto:a@b.md)": "[x](https://e.org/a.md) [y](mailto:a@b.md)",
		"[i]: ../b/two.md \"t\"\n":                   "[i]: two-bbbb.md \"t\"\n",
		"[![p](p.png)](../b/two.md)":                 "[![p](p.png)](two-bbbb.md)",
	} {
		got, _ := rewriteLinks(body, body, document{Path: "a/from.md"}, known())
		if got != want {
			t.Errorf("%q\n got %q\nwant %q", body, got, want)
		}
	}
	got, led := rewriteLinks("[o](/b/two.md) [two-bbbb](/b/two.md#P) | [o](/b/two.md)", "[o](/b/two.md)                         | [o](/b/two.md)", document{Path: "x.md", Bundle: true}, known())
	if led.New != 2 || got != "[o](two-bbbb.md) [two-bbbb](/b/two.md#P) | [o](two-bbbb.md)" {
		t.Errorf("%q %+v", got, led)
	}
}

// TestLeadIsLinear: the time grows with the number of links, not with its square.
func TestLeadIsLinear(t *testing.T) {
	fixtures.Slow(t)
	took := func(piece string, parts int) time.Duration {
		body, began := strings.Repeat(piece, (64<<10)/len(piece)/parts), time.Now()
		for range parts {
			rewriteLinks(body, body, document{Path: "a/x.md", Bundle: true}, known())
			rewriteForBundle(body, body, func(string) (string, bool) { return "x.md", true })
		}
		return time.Since(began)
	}
	// A text takes about as long as its eight parts, one after the other, and eight times
	// as long when the time grows with the square.
	worse := func(piece string) bool {
		whole := took(piece, 1)
		for range 10 { // a machine with other work to do is slow now and then
			if whole < 4*took(piece, 8) {
				return false
			}
			whole = min(whole, took(piece, 1))
		}
		return true
	}
	for _, piece := range []string{"](", "[[a", "[[a]]", "[a](/b", "[x]: ", "[[a|b]]|", "](<", "[](/a.md"} {
		if worse(piece) {
			t.Errorf("%q: the time grows faster than the length", piece)
		}
	}
}

// FuzzLead: whatever the text, the links of a bundle come back, and a text without
// brackets stays as it is.
func FuzzLead(f *testing.F) {
	for _, seed := range []string{"[[a|b]] [x](y.md)", "![[first#p]]", "| [[two]] |", "[i]: <a b.md>", "[a](/b/two.md#c)", "]](](", "[[[first]]]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) {
		for _, bundle := range []bool{false, true} {
			got, led := rewriteLinks(body, body, document{Path: "a/from.md", Bundle: bundle}, known())
			if led.New == 0 && got != body {
				t.Fatalf("%q became %q", body, got)
			}
		}
		file := func(id string) (string, bool) { return bundleFile(id), id == "x" || id == "index" }
		if carried := rewriteForBundle(body, body, file); !strings.Contains(body, "[[") && !strings.Contains(body, "](") && carried != body {
			t.Fatalf("%q became %q", body, carried)
		}
	})
}

// FuzzDocuments: no file of any kind breaks its reader.
func FuzzDocuments(f *testing.F) {
	f.Add([]byte("---\nname: x\nmetadata: {type: user}\n---\n#a [[b]]\n"))
	f.Add([]byte(`{"type":"entity","name":"a","observations":["b"]}` + "\n" + `{"type":"relation","from":"a","to":"b"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, kind := range Sources() {
			s, err := open(kind, fstest.MapFS{"x.md": &fstest.MapFile{Data: data, Mode: 0o644}}, "x.md")
			if err != nil {
				t.Fatal(err)
			}
			for d, err := range s.Documents() {
				if err == nil && d.Reason == "" && (d.Hash == "" || d.Text == "" && len(data) > 3) {
					t.Fatalf("%s: %+v", kind, d)
				}
			}
		}
	})
}
