package page_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/page"
)

// add writes a file of the project that is none of Blue's.
func (s *site) add(name, text string) {
	s.t.Helper()
	must(s.t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, name)), 0o755))
	must(s.t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644))
}

// commit commits the documents of the project.
func (s *site) commit(message string) {
	s.t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		s.t.Skip("SKIPPED: there is no git")
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "README.md", "docs"}, {"commit", "-qm", message}} {
		c := exec.Command("git", args...)
		c.Dir = s.dir
		c.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") }), "HOME="+s.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=a@example.com",
			"GIT_AUTHOR_DATE=2026-02-03T12:00:00Z", "GIT_COMMITTER_DATE=2026-02-03T12:00:00Z")
		if out, err := c.CombinedOutput(); err != nil {
			s.t.Fatalf("git %s: %v %s", args, err, out)
		}
	}
}

// recorded opens a page on a project with four documents and one commit.
func recorded(t *testing.T, change ...func(*page.Options)) *site {
	t.Helper()
	s := in(t, change...)
	long := strings.Repeat("Nothing of interest stands in this sentence. ", 60)
	s.add("README.md", "# Shop\n\nA shop for bicycles: [the queues](docs/adr/0007-queues.md#Consequences), [the plan](/docs/plan.rst).\n")
	s.add("docs/adr/0007-queues.md", "# Queues\n\nStatus: accepted\n\n"+long+"\n\n## Consequences\n\nThe broker must be backed up before upgrades.\n")
	s.add("docs/adr/0003-polling.md", "---\nstatus: superseded\n---\n# Polling\n\nWorkers poll a table of the database.\n")
	s.add("docs/plan.rst", "Plan\n====\n\n"+long+"\n\nValves <b>first</b>\n-------------------\n\nThey are opened slowly.\n")
	s.commit("Describe the broker\n\nIt replaces polling by workers.")
	return s
}

// A search shows documents and commits as the terminal does, with title, place, date,
// author, files and the words that were asked for; also where there are no notes.
func TestSearchShowsDocumentsAndCommits(t *testing.T) {
	s := recorded(t)
	view := s.get("/?q=broker+upgrades")
	has(t, view, "No notes yet", `<a href="/documents/docs/adr/0007-queues.md#consequences">Queues: Consequences</a>`,
		"The <mark>broker</mark> must be backed up before <mark>upgrades</mark>", "<code>docs/adr/0007-queues.md#consequences</code><span>document</span><span>2026-02-03</span>",
		">Describe the broker</a>", "<span>2026-02-03</span><span>Ann</span><span>README.md docs/adr/0003-polling.md docs/adr/0007-queues.md and 1 more</span>")
	hasNot(t, view, "Nothing found", `id="Rows"`, `id="Above"`)
	has(t, s.get("/?q=qzxv"), "Nothing found", "Without a match")
	has(t, s.get("/titles?q=broker+upgrades&documents=1"), `"title":"Queues: Consequences","type":"document","path":"/documents/docs/adr/0007-queues.md#consequences"`)
	hasNot(t, s.get("/titles?q=broker+upgrades"), "Queues")
	s.note(blue.Draft{Title: "Upgrades", Body: "Upgrades of the shop happen on Fridays."})
	view = s.get("/?q=what+must+be+done+to+the+broker+before+upgrades")
	order(t, view, `id="Above"`, ">Queues: Consequences</a>", `id="Rows"`, ">Upgrades</a>", "Also in this project", "Describe the broker")
	view = s.get("/?q=upgrades+of+the+shop+on+fridays")
	order(t, view, "<span>1 of 1 note</span><span>also 2 documents</span>", `id="Rows"`, ">Upgrades</a>", "Also in this project", `id="Also"`, ">Queues: Consequences</a>")
	hasNot(t, view, `id="Above"`)
}

// A search of the page has the hits of the terminal in their order, and leads to all
// documents, and all commits, that match.
func TestSearchHasTheSameHits(t *testing.T) {
	s := recorded(t)
	for i := range 14 {
		s.add(fmt.Sprintf("docs/valve-%02d.md", i), fmt.Sprintf("# Valve %d\n\nThe valve of pump %d is opened slowly%s.\n", i, i, strings.Repeat(", turn by turn", i)))
		s.note(blue.Draft{Title: fmt.Sprintf("Pump %d", i), Body: "It has a valve."})
	}
	s.commit("Describe the valves of the pumps")
	for _, text := range []string{"valve pump opened", "which valves are opened slowly turn by turn", "describe polling", "qzxv"} {
		h, err := s.project().Search(t.Context(), blue.Query{Text: text, Prefix: true, Brief: true})
		must(t, err)
		var want []string
		above, below := h.Around()
		for _, b := range above {
			want = append(want, b.Title)
		}
		for _, hit := range h.Hits {
			want = append(want, hit.Title)
		}
		for _, b := range below {
			want = append(want, b.Title)
		}
		var got []string
		view := s.get("/?q=" + url.QueryEscape(text))
		for _, row := range titles.FindAllStringSubmatch(view, -1) {
			got = append(got, html.UnescapeString(row[1]))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: the page has %q, the terminal %q", text, got, want)
		}
	}
	view := s.get("/?q=valve+pump")
	has(t, view, `href="/?in=documents&amp;q=valve&#43;pump"`, `href="/?in=commits&amp;q=valve&#43;pump"`)
	seen := map[string]bool{}
	for path := "/?in=documents&q=valve+pump"; path != ""; {
		view := s.get(path)
		hasNot(t, view, ">Pump ", "commit ", `id="Facet-`)
		for _, row := range titles.FindAllStringSubmatch(view, -1) {
			seen[row[1]] = true
		}
		_, rest, _ := strings.Cut(view, `id="More" class="button" href="`)
		path, _, _ = strings.Cut(rest, `"`)
		path = html.UnescapeString(path)
	}
	if len(seen) != 15 {
		t.Errorf("%d documents: %v", len(seen), seen)
	}
	has(t, s.get("/?in=documents&q=qzxv"), "None of the documents holds a word")
	has(t, s.get("/?in=documents"), "14 notes")
	if code, _ := s.ask("GET", "/?in=shelves&q=valve", nil); code != http.StatusUnprocessableEntity {
		t.Errorf("nothing is called shelves: %d", code)
	}
}

// titles are those of the rows of a list.
var titles = regexp.MustCompile(`<li(?: data-id="[^"]*")?><a href="[^"]*">([^<]*)</a>`)

// order wants parts of a text one behind the other.
func order(t *testing.T, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		_, behind, ok := strings.Cut(rest, part)
		if !ok {
			t.Fatalf("%q is not where it should be in\n%s", part, text)
		}
		rest = behind
	}
}

// The list of notes says how many documents and commits there are, and leads to the
// documents, which are shown as a tree, decision records with their status.
func TestOverviewAndTree(t *testing.T) {
	s := recorded(t)
	has(t, s.get("/"), `<span>0 notes</span><a href="/documents/">4 documents</a><span>1 commit</span>`)
	hasNot(t, s.get("/?type=note"), "4 documents")
	view := s.get("/documents/")
	order(t, view, "4 documents", `<details id="In docs/" open><summary>docs <span class="soft">3</span></summary>`, `<details id="In docs/adr/" open>`,
		`<a href="/documents/docs/adr/0003-polling.md" title="0003-polling.md">Polling</a> <code>0003-polling.md</code><span class="badge">superseded</span>`,
		`<a href="/documents/docs/adr/0007-queues.md" title="0007-queues.md">Queues</a> <code>0007-queues.md</code><span class="badge good">accepted</span>`,
		">Plan</a> <code>plan.rst</code>", ">Shop</a> <code>README.md</code>")
	view = s.get("/documents/docs/adr/")
	has(t, view, "<h1>docs/adr/</h1>", `<a href="/documents/docs/">docs/</a>`, "2 documents")
	hasNot(t, view, "README.md")
	has(t, s.get("/documents/docs/"), `<a href="/documents/">Documents</a>`)
	s.add("notes/of/one/deep/place.md", "# Place\n")
	s.add("notes/of/one/deeper/place.md", "# Place\n")
	order(t, s.get("/documents/"), `<details id="In notes/of/one/" open><summary>notes/of/one <span class="soft">2</span></summary>`, `<summary>deep <`, `<summary>deeper <`)
	has(t, s.get("/documents/notes/"), `<summary>of/one <`)
	put(t, s.dir, "project.yaml", "format: 1\nname: shop\nid: shop-1\nsources: none\n")
	hasNot(t, s.get("/"), "document<", "documents<")
	has(t, s.get("/documents/"), "No documents", "left out by the key sources of project.yaml")
}

// What is text of the repository is read and never edited.
func TestDocumentsAreReadOnly(t *testing.T) {
	s := recorded(t)
	_, rest, _ := strings.Cut(s.get("/?q=describe+the+broker"), `href="/notes/commit%20`)
	hash, _, _ := strings.Cut(rest, ".html")
	read := "/notes/commit%20" + hash + ".html"
	hasNot(t, s.get(read), `id="Edit"`)
	for from, want := range map[string]string{"/edit/commit%20" + hash: read, "/edit/" + hash: read, "/edit/docs%2Fplan.rst": "/notes/docs%2Fplan.rst.html"} {
		if code, to := s.ask("GET", from, nil); code != http.StatusSeeOther || to != want {
			t.Errorf("%s: %d %q", from, code, to)
		}
	}
}

// A view of the tree is bounded, whatever the repository holds.
func TestTreeIsBounded(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: no name has a < there")
	}
	s := in(t)
	for i := range 620 {
		s.add(fmt.Sprintf("wide/n%d.md", i), "# Wide\n")
		s.add(fmt.Sprintf("deep/d%d/x.md", i), "# Deep\n")
	}
	s.add("a <b>.md", "# Odd & <i>name</i>\n")
	view := s.get("/documents/")
	for end := time.Now().Add(time.Minute); !strings.Contains(view, "620") && time.Now().Before(end); { // they are read in the background
		view = s.get("/documents/")
	}
	has(t, view, `<a href="/documents/deep/">deep</a> <span class="soft">620</span>`, `<a href="/documents/wide/">wide</a>`, `<a href="/documents/a%20%3Cb%3E.md" title="a &lt;b&gt;.md">Odd &amp; &lt;i&gt;name&lt;/i&gt;</a> <code>a &lt;b&gt;.md</code>`)
	hasNot(t, view, "<details id=\"In")
	for _, dir := range []string{"wide", "deep"} {
		seen := map[string]bool{}
		for path, pages := "/documents/"+dir+"/", 0; path != ""; pages++ {
			view := s.get(path)
			for _, part := range strings.Split(view, `<a href="/documents/`+dir+"/")[1:] {
				name, _, _ := strings.Cut(part, `"`)
				seen[name] = true
			}
			if len(view) > 200<<10 || pages > 1 {
				t.Fatalf("page %d of %s has %d bytes", pages, dir, len(view))
			}
			path = ""
			if _, rest, ok := strings.Cut(view, `class="button" href="/documents/`+dir+`/?skip=`); ok {
				skip, _, _ := strings.Cut(rest, `"`)
				path = "/documents/" + dir + "/?skip=" + skip
			}
		}
		if len(seen) != 620 {
			t.Errorf("%s: %d", dir, len(seen))
		}
	}
}

// A document is shown with its status and date; links lead to other documents and their
// headings, and a heading is where a search says it is.
func TestDocument(t *testing.T) {
	s := recorded(t)
	view := s.get("/documents/docs/adr/0007-queues.md")
	has(t, view, `<span class="badge good">accepted</span>`, `<h1 id="queues">Queues</h1>`, `<time datetime="2026-02-03">`, `<h2 id="consequences">Consequences</h2>`, `<a href="/documents/docs/adr/">docs/adr/</a>`, "not changed here")
	has(t, s.get("/documents/README.md"), `<a href="/documents/docs/adr/0007-queues.md#consequences">the queues</a>`, `<a href="/documents/docs/plan.rst">the plan</a>`)
	has(t, s.get("/documents/docs/plan.rst"), `<span id="valves-bfirstb">Valves &lt;b&gt;first&lt;/b&gt;`, "They are opened slowly.")
	has(t, s.get("/?q=valves+opened+slowly"), `href="/documents/docs/plan.rst#valves-bfirstb"`)
	view = s.get("/documents/docs/adr/0003-polling.md")
	has(t, view, "Front matter", "<pre>---\nstatus: superseded\n---\n</pre>")
	hasNot(t, view, "<hr")
	s.add("docs/many.md", "# The `many`\n\n## Über uns & C#\n\none\n\n## Example\n\ntwo\n\nExample\n-------\n\n[x](#example-1) [up](../README.md?plain=1#Shop) [gone](gone.md) [code](../main.go) [dir](adr) ![p](p.png) ![q](https://evil.example/q.png) [[README]] [r][r] [odd](c%23.md)\n\n[r]: adr/0007-queues.md\n")
	s.add("docs/c#.md", "# Sharp\n\nSharp words.\n")
	s.add("docs/p.png", "PNG")
	s.add("main.go", "package main\n")
	view = s.get("/documents/docs/many.md")
	has(t, view, "<h2 id=\"über-uns--c\">Über uns &amp; C#</h2>", `<h2 id="example">`, `<h2 id="example-1">`, `<a href="#example-1">x</a> <a href="/documents/README.md#shop">up</a> gone code dir p <a href="https://evil.example/q.png" rel="external noopener noreferrer">q</a> [[README]]`,
		`<a href="/documents/docs/adr/0007-queues.md">r</a> <a href="/documents/docs/c%23.md">odd</a>`)
	if got := strings.Count(view, "many</"); got != 0 { // the title stands there once, with its marks
		t.Errorf("%d more titles in %s", got, view)
	}
	has(t, s.get("/documents/docs/c%23.md"), "Sharp words.")
	s.add("docs/prose.md", "# Prose\n\n## Status\n\nThis is no status.\n")
	for _, path := range []string{"/documents/docs/prose.md", "/documents/"} {
		view := s.get(path)
		has(t, view, "Prose")
		hasNot(t, view, ">this</span>")
	}
	has(t, s.get("/?q=sharp+words"), `href="/documents/docs/c%23.md"`)
	for from, want := range map[string]string{"docs%2Fadr%2F0007-queues.md.html": "/documents/docs/adr/0007-queues.md", "docs%2Fadr%2F0007-queues.md%23consequences.html": "/documents/docs/adr/0007-queues.md#consequences"} {
		if code, to := s.ask("GET", "/notes/"+from, nil); code != http.StatusSeeOther || to != want {
			t.Errorf("%s: %d %s", from, code, to)
		}
	}
}

// What `blue read` refuses the page refuses: nothing outside of the documents is served.
func TestNothingElseIsServed(t *testing.T) {
	s := recorded(t)
	secret := filepath.Join(filepath.Dir(s.dir), "secret.md")
	must(t, os.WriteFile(secret, []byte("# Secret\n\nhunter2\n"), 0o644))
	s.add(".gitignore", "hidden.md\n.env.md\n")
	for _, name := range []string{"hidden.md", ".env.md", "node_modules/x/readme.md", "LICENSE.md", "AGENTS.md", "nested/.git/x.md", ".git/info/x.md", "main.go", ".env"} {
		s.add(name, "# Secret\n\nhunter2\n")
	}
	must(t, os.Symlink(secret, filepath.Join(s.dir, "out.md")))
	must(t, os.Symlink(filepath.Dir(s.dir), filepath.Join(s.dir, "up")))
	must(t, os.Symlink("hidden.md", filepath.Join(s.dir, "inside.md")))
	put(t, s.dir, "private/mine.md", "# Mine\n\nhunter2\n")
	for _, path := range []string{
		"hidden.md", ".env.md", "node_modules/x/readme.md", "LICENSE.md", "AGENTS.md", "nested/.git/x.md", ".git/info/x.md", "main.go", ".env", "out.md", "up/secret.md", "inside.md",
		".blue/private/mine.md", "..%2fsecret.md", "docs%2f..%2f..%2fsecret.md", "%2e%2e/secret.md", "../secret.md", "%2Fetc%2Fhosts.md", strings.ReplaceAll(secret, "/", "%2f"), "docs/../../secret.md",
		"docs", "up/", "..%2f", "nothing.md", "node_modules/", "README.md/", "README.md%00", "docs%5c..%5c..%5csecret.md",
	} {
		code, text := s.ask("GET", "/documents/"+path, nil, func(r *http.Request) { r.URL.RawPath = r.URL.EscapedPath() })
		if code == http.StatusOK || strings.Contains(text, "hunter2") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	hasNot(t, s.get("/documents/"), "hidden.md", "out.md", "inside.md", "secret", "hunter2")
}

// A hostile document does nothing, wherever it is shown.
func TestHostileDocument(t *testing.T) {
	s := in(t)
	const evil = "<script>alert(1)</script>"
	s.add("docs/evil\u202e.md", "---\nstatus: "+evil+"\ntitle: "+evil+"\n---\n# "+evil+"\n\nKettle "+evil+" <img src=x onerror=alert(1)> [j](javascript:alert(1)) [d](data:text/html,x) [f](file:///etc/passwd) [v](//evil.example/x.md) [w](\\\\evil.example\\x.md) so\u202eme\n\n"+
		"<iframe src=https://evil.example></iframe>\n\n<style>*{display:none}</style>\n\n## \" onmouseover=\"alert(1)\n\n![x](javascript:alert(1)) <svg onload=alert(1)>\n")
	s.add("docs/evil.txt", "Kettle </pre>"+evil+" \u202e\n")
	s.add("docs/evil.rst", evil+"\n====================================\n\nKettle\n\n\"><img src=x>\n---------------------\n\n"+evil+"\n")
	for _, path := range []string{"/documents/", "/documents/docs/", "/documents/docs/evil%E2%80%AE.md", "/documents/docs/evil.txt", "/documents/docs/evil.rst", "/?q=kettle"} {
		view := s.get(path)
		has(t, view, "evil")
		hasNot(t, view, evil, "<img", "<iframe", "<style", "<svg on", "\u202e", `href="javascript`, `href="data:`, `href="file:`, `href="//`, `" onmouseover="`, "evil.example/x.md\"")
	}
	has(t, s.get("/documents/docs/evil%E2%80%AE.md"), `\u{202E}`, "hidden character")
}

// A page that changes nothing shows documents too, and takes no change of one.
func TestReadOnlyHasDocuments(t *testing.T) {
	s := recorded(t, func(o *page.Options) { o.ReadOnly = true })
	has(t, s.get("/documents/README.md"), "A shop for bicycles")
	if code, _ := s.ask("POST", "/documents/README.md", nil); code != http.StatusForbidden {
		t.Errorf("a change: %d", code)
	}
}
