package markdown

import (
	"encoding/xml"
	"io"
	"slices"
	"strings"
	"testing"

	"blue/blue/result"
)

// find knows two notes, one of them with a name of a person's own.
func find(ref string) result.Link {
	title, ok := map[string]string{"deploy-aaaa": "Deploy <on> Fridays", "My note": ""}[ref]
	return result.Link{ID: ref, Title: title, Missing: !ok}
}

// picture knows one picture of the project.
func picture(name string) (kind string, content []byte) {
	if name == "img/queue one.png" {
		return "image/png", []byte("PNG")
	}
	return "", nil
}

func rendered(t testing.TB, title, body string) string {
	t.Helper()
	text, err := (&prose{find: find, read: picture}).body(result.Note{Title: title, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMarkdown(t *testing.T) {
	for body, want := range map[string]string{
		"# Title\n\nText.":                 "<p>Text.</p>\n",
		"# Other\n\n#### Deep":             "<h2 id=\"other\">Other</h2>\n<h3 id=\"deep\">Deep</h3>\n",
		"# Title\n\n## A\n\n### B\n\n## C": "<h2 id=\"a\">A</h2>\n<h3 id=\"b\">B</h3>\n<h2 id=\"c\">C</h2>\n",
		"See [[deploy-aaaa]].":             "<p>See <a href=\"deploy-aaaa.html\" title=\"deploy-aaaa\">Deploy &lt;on&gt; Fridays</a>.</p>\n",
		"[[deploy-aaaa]](https://e.x)":     "<p><a href=\"https://e.x\" rel=\"external noopener noreferrer\">[deploy-aaaa]</a></p>\n",
		"[[My note#A part|the <b>]]":       "<p><a href=\"My%20note.html#a-part\">the &lt;b&gt;</a></p>\n",
		"![[deploy-aaaa]] [[none]]":        "<p><a href=\"deploy-aaaa.html\" title=\"deploy-aaaa\">Deploy &lt;on&gt; Fridays</a> [[none]]</p>\n",
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
		"|a|b|\n|:-|-:|\n|1|[[deploy-aaaa]]|": "<table>\n<thead>\n<tr>\n<th scope=\"col\">a</th>\n<th scope=\"col\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td><a href=\"deploy-aaaa.html\" title=\"deploy-aaaa\">Deploy &lt;on&gt; Fridays</a></td>\n</tr>\n</tbody>\n</table>\n",
		"<https://e.org> <javascript:x>":      "<p><a href=\"https://e.org\" rel=\"external noopener noreferrer\">https://e.org</a> javascript:x</p>\n",
		"```go\na < b\n```":                   "<pre><code class=\"language-go\">a &lt; b\n</code></pre>\n",
	} {
		if got := rendered(t, "Title", body); got != want {
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
		if got := rendered(t, "Title", body); got != want {
			t.Errorf("%q\n got %q\nwant %q", body, got, want)
		}
	}
	got := rendered(t, "Title", "Six times[^why].\n\n[^why]: The bank said so, see [[deploy-aaaa]].\n")
	for _, part := range []string{`Six times<sup id="fnref:1"><a href="#fn:1"`, `<li id="fn:1">`, `The bank said so, see <a href="deploy-aaaa.html" title="deploy-aaaa">Deploy`, `href="#fnref:1"`} {
		if !strings.Contains(got, part) {
			t.Errorf("there is no %s in\n%s", part, got)
		}
	}
}

// A text that would keep the reader of Markdown busy for minutes is shown as it is.
func TestInvolvedTextIsShownAsItIs(t *testing.T) {
	body := "# Deep\n\n" + strings.Repeat(">", 200<<10) + "\n"
	if got := rendered(t, "Deep", body); !strings.HasPrefix(got, "<pre># Deep\n\n&gt;&gt;&gt;") || Parse("Deep", body) != nil {
		t.Errorf("%.300s", got)
	}
}

// No element or attribute makes a browser ask for anything, whatever stands in a note.
func TestHTMLAsksNobody(t *testing.T) {
	for _, text := range hostile {
		sound(t, rendered(t, text, text+"\n\n"+text))
	}
}

var hostile = []string{
	"<script src=https://e.org/x.js></script>", "<img src=x onerror=alert(1)>", "![x](https://e.org/x.png)", "</article></main><iframe src=//e.org>",
	"<style>@import 'https://e.org'</style>", "[a](https://e.org \"\\\" onload=x\")", "[[deploy-aaaa|\"><script>]]", "<svg/onload=x>", "&lt;script&gt;", "&#x3c;b>",
	"<base href=https://e.org>", "[x]: https://e.org\n\n[x]", "<https://e.org/\"onload=x>", "```\"><script>\nx\n```", "# <b id=Main>", "\x00\x01", "a\u2028b", "<!-- x --> <b>",
	"<!-->x-->", "<?php x ?>", "<![CDATA[ x ]]>", "<a\nhref='x'>", "[a [[deploy-aaaa]] b](https://e.org)", "[![a](b) [c](d)](e)", "|a\n|-\n|<td>", "<h1>x</h1>", "1. x\n\n   <div>\n", "**a<b**", "a[^1] b[^1] [^<script>]\n\n[^1]: <img src=x>\n[^<script>]: x", "![[a\"onerror=x.png]] ![\"><script>](none.svg)",
}

// Every body gives sound HTML.
func FuzzHTML(f *testing.F) {
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
		sound(t, rendered(t, text, text))
	})
}

// sound reads HTML as XML, which it also is, and looks at each element.
func sound(t testing.TB, text string) {
	t.Helper()
	text = "<article>" + text + "</article>"
	decoder := xml.NewDecoder(strings.NewReader(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)))
	ids := map[string]bool{}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		name := start.Name.Local
		if slices.Contains(strings.Fields("h1 script iframe img link base object embed form input video audio source svg picture frame"), name) {
			t.Fatalf("there is the element %s:\n%s", name, text)
		}
		for _, a := range start.Attr {
			switch key := a.Name.Local; {
			case key == "id" && ids[a.Value]:
				t.Fatalf("the id %q stands twice in\n%s", a.Value, text)
			case key == "id":
				ids[a.Value] = true
			case key == "href" && name != "a", key == "src", key == "style", strings.HasPrefix(key, "on"):
				t.Fatalf("there is %s=%q on %s", key, a.Value, name)
			case key == "href" && !allowed(a.Value):
				t.Fatalf("a link leads to %q", a.Value)
			}
		}
	}
}

// allowed reports whether a link stays among the notes or is one that a person follows.
func allowed(href string) bool {
	scheme, _, ok := strings.Cut(href, ":")
	return !ok || strings.ContainsAny(scheme, "/#") || slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(scheme))
}
