package transfer

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"blue/blue"
)

// find knows two notes, one of them with a name of a person's own.
func find(ref string) (string, bool) {
	return ref, ref == "deploy-aaaa" || ref == "My note"
}

// picture knows one picture of the project.
func picture(name string) (kind string, content []byte) {
	if name == "img/queue one.png" {
		return "image/png", []byte("PNG")
	}
	return "", nil
}

func page(t testing.TB, title, body string) string {
	t.Helper()
	var b strings.Builder
	s := &site{project: "shop", tags: nameTagFiles([]string{"ops", "a/b", "A/B", "日本"}), find: find, picture: picture}
	n := blue.Note{ID: "x", Title: title, Type: "note", Status: "active", Tags: []string{"ops"}, Body: body}
	if err := s.renderNote(&b, sitePage{Note: n, Day: "2026-01-02"}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func article(t testing.TB, body string) string {
	t.Helper()
	_, text, _ := strings.Cut(page(t, "Title", body), "<article>\n")
	text, _, _ = strings.Cut(text, "</article>")
	return text
}

func TestMarkdown(t *testing.T) {
	for body, want := range map[string]string{
		"# Title\n\nText.":                 "<p>Text.</p>\n",
		"# Other\n\n#### Deep":             "<h2 id=\"other\">Other</h2>\n<h3 id=\"deep\">Deep</h3>\n",
		"# Title\n\n## A\n\n### B\n\n## C": "<h2 id=\"a\">A</h2>\n<h3 id=\"b\">B</h3>\n<h2 id=\"c\">C</h2>\n",
		"See [[deploy-aaaa]].":             "<p>See <a href=\"deploy-aaaa.html\">deploy-aaaa</a>.</p>\n",
		"[[deploy-aaaa]](https://e.x)":     "<p><a href=\"https://e.x\" rel=\"external noopener noreferrer\">[deploy-aaaa]</a></p>\n",
		"[[My note#A part|the <b>]]":       "<p><a href=\"My%20note.html#a-part\">the &lt;b&gt;</a></p>\n",
		"![[deploy-aaaa]] [[none]]":        "<p><a href=\"deploy-aaaa.html\">deploy-aaaa</a> [[none]]</p>\n",
		"`[[deploy-aaaa]]`":                "<p><code>[[deploy-aaaa]]</code></p>\n",
		"[x](My%20note.md#A) [y](z.md)":    "<p><a href=\"My%20note.html#a\">x</a> y</p>\n",
		"[out](https://e.org/?a=1&b=2)":    "<p><a href=\"https://e.org/?a=1&amp;b=2\" rel=\"external noopener noreferrer\">out</a></p>\n",
		"[bad](javascript:alert(1)) [f](file:///etc/passwd) [d](data:text/html,x) [r](../secret)": "<p>bad f d r</p>\n",
		"![alt](https://e.org/x.png) ![](x.png) [![a](https://e.org/i)](https://e.org)": "<p><a href=\"https://e.org/x.png\" rel=\"external noopener noreferrer\">alt</a> picture " +
			"<a href=\"https://e.org\" rel=\"external noopener noreferrer\">a</a></p>\n",
		"<script>alert(1)</script>":           "<pre><code>&lt;script&gt;alert(1)&lt;/script&gt;</code></pre>\n",
		"a <img src=https://e.org onerror=x>": "<p>a &lt;img src=https://e.org onerror=x&gt;</p>\n",
		"<!-- SECTION -->\n\nText":            "<p>Text</p>\n",
		"- [x] done\n- [ ] open":              "<ul>\n<li><span role=\"img\" aria-label=\"done\">☑</span> done</li>\n<li><span role=\"img\" aria-label=\"not done\">☐</span> open</li>\n</ul>\n",
		"|a|b|\n|:-|-:|\n|1|[[deploy-aaaa]]|": "<table>\n<thead>\n<tr>\n<th scope=\"col\">a</th>\n<th scope=\"col\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td><a href=\"deploy-aaaa.html\">deploy-aaaa</a></td>\n</tr>\n</tbody>\n</table>\n",
		"<https://e.org> <javascript:x>":      "<p><a href=\"https://e.org\" rel=\"external noopener noreferrer\">https://e.org</a> javascript:x</p>\n",
		"```go\na < b\n```":                   "<pre><code class=\"language-go\">a &lt; b\n</code></pre>\n",
	} {
		if got := article(t, body); got != want {
			t.Errorf("%q\n got %q\nwant %q", body, got, want)
		}
	}
}

// A footnote stands below the text with a way there and back; a
// picture of the project is shown, in whatever form it is named; any other is none.
func TestFootnotesAndPictures(t *testing.T) {
	const shown = `<img src="data:image/png;base64,UE5H" alt="%" />`
	for body, want := range map[string]string{
		"![[img/queue one.png]]\n\n[^1]: Really.":              "<p>" + strings.Replace(shown, "%", "img/queue one.png", 1) + "</p>\n",
		"![[img/queue one.png|a <b>]]":                         "<p>" + strings.Replace(shown, "%", "a &lt;b&gt;", 1) + "</p>\n",
		"![The queue](img/queue%20one.png)":                    "<p>" + strings.Replace(shown, "%", "The queue", 1) + "</p>\n",
		"[[img/queue one.png]] ![[none.png]]\n\n[^1]: Really.": "<p>[[img/queue one.png]] ![[none.png]]</p>\n",
		"![gone](none.png)":                                    "<p>gone</p>\n",
	} {
		if got := article(t, body); got != want {
			t.Errorf("%q\n got %q\nwant %q", body, got, want)
		}
	}
	got := article(t, "Six times[^why].\n\n[^why]: The bank said so, see [[deploy-aaaa]].\n")
	for _, part := range []string{`Six times<sup id="fnref:1"><a href="#fn:1"`, `<li id="fn:1">`, `The bank said so, see <a href="deploy-aaaa.html">`, `href="#fnref:1"`} {
		if !strings.Contains(got, part) {
			t.Errorf("there is no %s in\n%s", part, got)
		}
	}
}

// The page that searches has every note with the words of its page, whatever
// they are, and a script that its policy allows by hash; nothing of a note is markup there.
func TestSearch(t *testing.T) {
	s := &site{project: "shop", tags: nameTagFiles(nil), find: find, picture: picture}
	for i, body := range []string{"## Why\n\nThe **bank** blocks `us`.[^1] ![[img/queue one.png]]\n\n[^1]: Really.", "</script><script>alert(1)</script> \u2028 ]]>"} {
		n := blue.Note{ID: fmt.Sprintf("n %d", i), Title: "</script><b>" + body[:1], Type: "note", Status: "active", Tags: []string{"ops"}, Body: body}
		if err := s.renderNote(io.Discard, sitePage{Note: n}); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := s.renderSearch(&b); err != nil {
		t.Fatal(err)
	}
	page := html.UnescapeString(b.String()) // a policy stands in an attribute
	scripts := regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`).FindAllStringSubmatch(page, -1)
	if len(scripts) != 2 || scripts[0][1] != ` type="application/json" id="Notes"` || scripts[1][1] != "" {
		t.Fatalf("scripts: %q", scripts)
	}
	var notes []struct{ Path, Title, Text string }
	if err := json.Unmarshal([]byte(scripts[0][2]), &notes); err != nil {
		t.Fatal(err)
	}
	if len(notes) != 2 || notes[0].Path != "notes/n%200.html" || notes[0].Text != "Why The bank blocks us. Really." || !strings.Contains(notes[1].Text, "</script><script>alert(1)</script>") || notes[1].Title != "</script><b><" {
		t.Errorf("notes: %q", notes)
	}
	sum := sha256.Sum256([]byte(scripts[1][2]))
	if policy := "default-src 'none'"; !strings.Contains(page, policy) || !strings.Contains(page, "script-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';") {
		t.Errorf("the policy does not allow the script:\n%s", page)
	}
	if page = articlePage(t); strings.Contains(page, "script-src") || !strings.Contains(page, `href="../search.html"`) {
		t.Errorf("the page of a note:\n%s", page)
	}
}

func articlePage(t *testing.T) string { return page(t, "Title", "Text.") }

// TestPagesAskNobody: no element or attribute makes a browser ask for anything,
// whatever stands in a note.
func TestPagesAskNobody(t *testing.T) {
	for _, text := range hostile {
		sound(t, page(t, text, text+"\n\n"+text))
	}
}

var hostile = []string{
	"<script src=https://e.org/x.js></script>", "<img src=x onerror=alert(1)>", "![x](https://e.org/x.png)", "</article></main><iframe src=//e.org>",
	"<style>@import 'https://e.org'</style>", "[a](https://e.org \"\\\" onload=x\")", "[[deploy-aaaa|\"><script>]]", "<svg/onload=x>", "&lt;script&gt;", "&#x3c;b>",
	"<base href=https://e.org>", "[x]: https://e.org\n\n[x]", "<https://e.org/\"onload=x>", "```\"><script>\nx\n```", "# <b id=Main>", "\x00\x01", "a\u2028b", "<!-- x --> <b>",
	"<!-->x-->", "<?php x ?>", "<![CDATA[ x ]]>", "<a\nhref='x'>", "[a [[deploy-aaaa]] b](https://e.org)", "[![a](b) [c](d)](e)", "|a\n|-\n|<td>", "<h1>x</h1>", "1. x\n\n   <div>\n", "**a<b**", "a[^1] b[^1] [^<script>]\n\n[^1]: <img src=x>\n[^<script>]: x", "![[a\"onerror=x.png]] ![\"><script>](none.svg)",
}

// FuzzPage: every body gives a sound page.
func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.Map(func(r rune) rune { // what the caller has spelled out
			if r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff {
				return -1
			}
			return r
		}, strings.ToValidUTF8(text, ""))
		sound(t, page(t, text, text))
	})
}

// sound reads a page as XML and looks at each element.
func sound(t testing.TB, page string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, page)))
	ids, headings := map[string]bool{}, 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		name := start.Name.Local
		if slices.Contains(strings.Fields("script iframe img link base object embed form input video audio source svg picture frame"), name) {
			t.Fatalf("the page has the element %s:\n%s", name, page)
		}
		if name == "h1" {
			headings++
		}
		for _, a := range start.Attr {
			switch key := a.Name.Local; {
			case key == "id" && ids[a.Value]:
				t.Fatalf("the id %q stands twice in\n%s", a.Value, page)
			case key == "id":
				ids[a.Value] = true
			case key == "href" && name != "a", key == "src", key == "style", strings.HasPrefix(key, "on"):
				t.Fatalf("the page has %s=%q on %s", key, a.Value, name)
			case key == "href" && !allowed(a.Value):
				t.Fatalf("a link leads to %q", a.Value)
			}
		}
	}
	if headings != 1 {
		t.Fatalf("%d first headings in\n%s", headings, page)
	}
}

// allowed reports whether a link stays in the site or is one that a person follows.
func allowed(href string) bool {
	scheme, _, ok := strings.Cut(href, ":")
	return !ok || strings.ContainsAny(scheme, "/#") || slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(scheme))
}

func TestTagFiles(t *testing.T) {
	s := &site{project: "shop", tags: nameTagFiles([]string{"ops", "a/b", "A/B", "日本", "../../x"}), find: find, picture: picture}
	seen := map[string]bool{}
	for _, tag := range []string{"ops", "a/b", "A/B", "日本", "../../x"} {
		name := s.TagFile(tag)
		if seen[name] || strings.Count(name, "/") != 1 || strings.Contains(name, "..") {
			t.Errorf("the tag %q has the file %q", tag, name)
		}
		seen[name] = true
	}
}
