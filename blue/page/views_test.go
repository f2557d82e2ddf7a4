package page_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/internal/deliveries"
	"blue/blue/page"
	"blue/marker"
)

func TestListAndSearch(t *testing.T) {
	s := in(t)
	has(t, s.get("/"), "No notes yet")
	deploys := s.note(blue.Draft{Title: "Deploys", Body: "We deploy on Fridays.", Tags: []string{"ops"}, Type: "decision"})
	mine := s.note(blue.Draft{Title: "Mine", Body: "Only here.", Private: true})
	all := s.get("/")
	has(t, all, "2 notes", `href="/notes/`+deploys+`.html"`, `href="/notes/private%2F`+mine+`.html"`, ">private<", `href="/?tag=ops"`)
	found := s.get("/?q=when+do+we+depl")
	has(t, found, "<span>1 of 2 notes</span>", "Deploys", `We <mark>deploy</mark> on Fridays.`)
	hasNot(t, found, "Only here")
	has(t, s.get("/?q=qzxv"), "Nothing found", "Without a match")
	has(t, s.get("/?type=decision"), "1 note<", "Deploys")
	has(t, s.get("/?tag=none"), "Nothing found", "with the tag #none")
	has(t, s.get("/notes/private%2F"+mine+".html"), "Only here.", ".blue/private/")
}

// TestPages: a long list comes in pages that together hold each note once.
func TestPages(t *testing.T) {
	s := in(t)
	for i := range 250 {
		put(t, s.dir, fmt.Sprintf("notes/note-%03d.md", i), fmt.Sprintf("# Note %d\n\nword\n", i))
	}
	seen := map[string]int{}
	pages := 0
	for path := "/"; path != ""; pages++ {
		view := s.get(path)
		for _, part := range strings.Split(view, `<li data-id="`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			seen[id]++
		}
		_, rest, _ := strings.Cut(view, `id="More" class="button" href="`)
		path, _, _ = strings.Cut(rest, `"`)
		path = strings.ReplaceAll(path, "&amp;", "&")
	}
	if pages < 3 || len(seen) != 250 {
		t.Errorf("%d pages with %d notes", pages, len(seen))
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s is there %d times", id, n)
		}
	}
}

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, ".blue", name)), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".blue", name), []byte(text), 0o644))
}

// TestNote: a note is shown with what is known of it.
func TestNote(t *testing.T) {
	s := in(t)
	must(t, os.WriteFile(filepath.Join(s.dir, "a.go"), []byte("package a"), 0o644))
	must(t, os.WriteFile(filepath.Join(s.dir, "b.go"), []byte("package b"), 0o644))
	to := s.note(blue.Draft{Title: "Retries", Body: "# Retries\n\nFive *times*. ![plan](https://evil.example/x.png)", Files: []string{"a.go", "b.go", "c.go"}})
	from := s.note(blue.Draft{Title: "Deploys", Body: "See [[" + to + "]] and [[nowhere-aaaa]]."})
	must(t, os.WriteFile(filepath.Join(s.dir, "b.go"), []byte("package other"), 0o644))
	view := s.get("/notes/" + to + ".html")
	has(t, view, "<h1>Retries</h1>", "<p>Five <em>times</em>.", `<a href="https://evil.example/x.png" rel="external noopener noreferrer">plan</a>`,
		"<code>a.go</code><span class=\"badge good\">unchanged", "<code>b.go</code><span class=\"badge warn\">changed since", "<code>c.go</code><span class=\"badge\">not tracked",
		"Linked from", `<a href="/notes/`+from+`.html">Deploys</a>`)
	hasNot(t, view, "hidden character")
	view = s.get("/notes/" + from + ".html")
	has(t, view, `<p>See <a href="`+to+`.html" title="`+to+`">Retries</a> and [[nowhere-aaaa]].</p>`, "missing")
	put(t, s.dir, "notes/foreign.md", "---\ntitle: \"A\u202eb\"\ntype: note\n---\nSome\u200bthing\n")
	has(t, s.get("/notes/foreign.html"), "1 hidden character is shown", `Some\u{200B}thing`, `A\u{202E}b`)
	put(t, s.dir, "notes/"+from+".md", "---\ntitle: Deploys\n---\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n")
	has(t, s.get("/notes/"+from+".html"), "conflict markers")
	code, text := s.ask("GET", "/notes/retrie.html", nil)
	if code != http.StatusOK { // the start of an id names it
		t.Errorf("a prefix: %d %s", code, text)
	}
	code, text = s.ask("GET", "/notes/nothing.html", nil)
	if code != http.StatusNotFound {
		t.Errorf("no note: %d", code)
	}
	has(t, text, "Nothing here", "no note &#34;nothing&#34;")
}

// TestHistoryAndTrash: what was there before can be seen and brought back.
func TestHistoryAndTrash(t *testing.T) {
	s := in(t)
	id := s.note(blue.Draft{Title: "Retries", Body: "Five times.\n\nThen park it."})
	first := s.read(id).Revision
	_, err := s.project().Edit(t.Context(), blue.Change{ID: id, OldText: new("Five times."), NewText: new("Six times.")})
	must(t, err)
	now := s.read(id).Revision
	has(t, s.get("/history/"+id), "<del><mark>Five</mark> times.\n</del><ins><mark>Six</mark> times.\n</ins>", "From <code>"+first, "to <code>"+now)
	view := s.get("/history/" + id + "?to=" + first)
	has(t, view, "the first that is kept", "<ins>Five times.\n</ins>", "Restore this one")
	has(t, s.get("/notes/"+id+".html?revision="+first), "former revision", "Five times.")
	for _, change := range []string{"edit", "check", "restore", "verify", "remove", "status"} {
		form := url.Values{"to": {first}, "status": {"done"}, "number": {"0"}, "body": {"mine"}}
		if code, text := s.ask("POST", "/"+change+"/"+id, form); code != http.StatusUnprocessableEntity || !strings.Contains(text, "load the page again") || s.read(id).Revision != now {
			t.Errorf("%s without a revision: %d %s", change, code, text)
		}
	}
	if code, _ := s.ask("POST", "/restore/"+id, url.Values{"to": {first}, "revision": {first}}); code != http.StatusConflict {
		t.Errorf("a restore over an unseen revision: %d", code)
	}
	if code, to := s.ask("POST", "/restore/"+id, url.Values{"to": {first}, "revision": {now}}); code != http.StatusSeeOther || to != "/notes/"+id+".html" {
		t.Errorf("restore: %d %s", code, to)
	}
	if got := s.read(id); got.Revision != first {
		t.Errorf("the note is at %s", got.Revision)
	}
	if code, _ := s.ask("POST", "/remove/"+id, url.Values{"revision": {now}}); code != http.StatusConflict {
		t.Errorf("a removal of an unseen revision: %d", code)
	}
	code, to := s.ask("POST", "/remove/"+id, url.Values{"revision": {first}})
	if code != http.StatusSeeOther {
		t.Fatalf("remove: %d", code)
	}
	has(t, s.get(to), "Moved to the trash", "/untrash/"+id)
	has(t, s.get("/history/"+id), "in the trash")
	view = s.get("/trash")
	has(t, view, "Retries", `action="/untrash/notes%2F`+id+`"`)
	if code, to := s.ask("POST", "/untrash/notes%2F"+id, url.Values{}); code != http.StatusSeeOther || to != "/notes/"+id+".html" {
		t.Errorf("untrash: %d %s", code, to)
	}
	has(t, s.get("/trash"), "The trash is empty")
	has(t, s.get("/notes/"+id+".html"), "Five times.")
}

func TestGraph(t *testing.T) {
	s := in(t)
	has(t, s.get("/graph"), "No links yet")
	for i := range 60 {
		put(t, s.dir, fmt.Sprintf("notes/n%02d.md", i), fmt.Sprintf("# Note %d\n\n[[n%02d]] [[n%02d]]\n", i, i/2, (i+7)%60))
	}
	put(t, s.dir, "notes/alone.md", "# Alone\n")
	view := s.get("/graph")
	has(t, view, "60 linked notes", "1 without links", "The most linked", `<script src="/graph.js" defer>`)
	var g struct {
		Nodes []struct {
			ID, Path string
			Links    int
		}
		Links [][2]int
	}
	must(t, json.Unmarshal([]byte(s.get("/graph.json")), &g))
	if len(g.Nodes) != 60 || len(g.Links) < 100 {
		t.Fatalf("%d notes, %d links", len(g.Nodes), len(g.Links))
	}
	ends := make([]int, len(g.Nodes))
	for _, l := range g.Links {
		ends[l[0]]++
		ends[l[1]]++
	}
	for i, n := range g.Nodes {
		if n.Links != ends[i] || i > 0 && n.Links > g.Nodes[i-1].Links {
			t.Errorf("note %d, %s, has %d links and is said to have %d", i, n.ID, ends[i], n.Links)
		}
	}
	_, list, _ := strings.Cut(view, "<noscript>") // what remains without the script
	for _, l := range g.Links {
		has(t, list, `<a href="`+g.Nodes[l[0]].Path+`">Note `+strings.TrimLeft(g.Nodes[l[0]].ID[1:], "0"))
	}
	if got := strings.Count(list, " → "); got != len(g.Links) {
		t.Errorf("%d of %d links are listed", got, len(g.Links))
	}
}

// TestWhy shows the trace, and says what is wrong when the project is gone.
func TestWhy(t *testing.T) {
	s := in(t)
	s.note(blue.Draft{Title: "Deploys", Body: "On Fridays."})
	has(t, s.get("/why"), "<code>"+s.dir+"</code>", "used", "was started in it", `data-type="note"`)
	must(t, os.Rename(filepath.Join(s.dir, ".blue"), filepath.Join(s.dir, ".moved")))
	has(t, s.get("/why"), "Blue project not found", "no marker")
	code, text := s.ask("GET", "/", nil)
	if code != http.StatusNotFound {
		t.Errorf("without a project: %d", code)
	}
	has(t, text, "Blue project not found", "blue init")
	must(t, os.Rename(filepath.Join(s.dir, ".moved"), filepath.Join(s.dir, ".blue")))
	has(t, s.get("/"), "Deploys")
}

// TestEvents: an open page hears of a note that another process writes, and of a
// project that goes away.
func TestEvents(t *testing.T) {
	s := in(t)
	_, rest, _ := strings.Cut(s.get("/"), `data-stamp="`)
	stamp, _, _ := strings.Cut(rest, `"`)
	r, err := http.NewRequestWithContext(t.Context(), "GET", s.root+"/events?stamp="+stamp, nil)
	must(t, err)
	answer, err := s.http.Do(r)
	must(t, err)
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		t.Fatal(lines.Err())
		return ""
	}
	put(t, s.dir, "notes/new.md", "# New\n")
	if got := next(); got == stamp {
		t.Errorf("the stamp is %s as before", got)
	}
	must(t, os.Rename(filepath.Join(s.dir, ".blue"), filepath.Join(s.dir, ".moved")))
	if got := next(); got != "no_project" {
		t.Errorf("the project is gone: %s", got)
	}
}

// A note has an outline, its boxes are checked with the revision that was shown, and it says
// what supersedes what and how often agents were told it.
func TestNoteView(t *testing.T) {
	s := in(t, func(o *page.Options) { o.Call.Door = marker.Door{Terminal: true} })
	s.call.Door = marker.Door{Terminal: true}
	put(t, s.dir, "notes/old.md", "---\nstatus: superseded\n---\n# Old\n\nText.\n")
	body := "# Tasks\n\n- [ ] first <b>\n- [x] second\n  1. [ ] inner\n\n```md\n- [ ] no box\n```\n\n## Why `it` is <so>\n\n> * [ ] quoted\n\n### Then\n\n[ ] no box[^1]\n\n[^1]: Why\n\n    - [ ] in a note\n"
	put(t, s.dir, "notes/tasks.md", "---\ntitle: Tasks\nsupersedes: [old]\n---\n"+body)
	view := s.get("/notes/tasks.html")
	has(t, view, "On this page", `<a href="#why-it-is-so">Why it is &lt;so&gt;</a>`, `class="level3"><a href="#then">`, "<h2>Replaces</h2>", `<a href="/notes/old.html">Old</a>`,
		`data-name="tasks" data-revision="`+s.read("tasks").Revision+`"`, "Not told and not read yet")
	has(t, s.get("/notes/old.html"), "<h2>Replaced by</h2>", `<a href="/notes/tasks.html">Tasks</a>`)
	hasNot(t, s.get("/notes/old.html"), "On this page")
	want := body
	for number, change := range [][2]string{{"[ ] first", "[x] first"}, {"[x] second", "[ ] second"}, {"[ ] inner", "[x] inner"}, {"[ ] quoted", "[x] quoted"}, {"[ ] in a note", "[x] in a note"}} {
		want = strings.Replace(want, change[0], change[1], 1)
		form := url.Values{"revision": {s.read("tasks").Revision}, "number": {fmt.Sprint(number)}, "project": {s.dir}}
		if strings.HasPrefix(change[1], "[x]") {
			form.Set("done", "1")
		}
		if code, to := s.ask("POST", "/check/tasks", form); code != http.StatusSeeOther || to != "/notes/tasks.html" {
			t.Errorf("box %d: %d %s", number, code, to)
		}
		form.Set("number", fmt.Sprint((number+3)%5))
		if code, text := s.ask("POST", "/check/tasks", form); code != http.StatusConflict {
			t.Errorf("box %d, a revision that is gone: %d %s", number, code, text)
		}
		if got := s.read("tasks").Body; strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("box %d: %s", number, got)
		}
	}
	form := url.Values{"revision": {s.read("tasks").Revision}, "number": {"5"}}
	if code, _ := s.ask("POST", "/check/tasks", form); code != http.StatusUnprocessableEntity {
		t.Errorf("no such box: %d", code)
	}
	has(t, s.get("/notes/tasks.html"), "Not told and not read yet") // the page itself does not count
	s.call.Client, s.call.Door = "an agent", marker.Door{}
	s.read("tasks")
	s.project().Record(deliveries.Delivery{What: deliveries.Prompt, Session: "1", Bytes: 5, Notes: []string{"tasks"}})
	has(t, s.get("/notes/tasks.html"), "Told once, read once.")
	past := s.get("/notes/tasks.html?revision=" + s.read("tasks").Revisions[0])
	hasNot(t, past, "data-revision")
}

// Links, supersessions and files that several notes cite are edges of the graph.
func TestEdges(t *testing.T) {
	s := in(t)
	put(t, s.dir, "notes/a.md", "---\ntitle: A\nsupersedes: [b]\nfiles: [x.go]\n---\nSee [[c]].\n")
	put(t, s.dir, "notes/b.md", "---\ntitle: B\nstatus: superseded\n---\nText.\n")
	put(t, s.dir, "notes/c.md", "---\ntitle: C\ntype: zebra\n---\nText.\n")
	put(t, s.dir, "notes/d.md", "---\ntitle: D\nfiles: [x.go]\n---\nText.\n")
	put(t, s.dir, "notes/e.md", "---\ntitle: E\nfiles: [y.go]\n---\nText.\n")
	has(t, s.get("/graph"), "4 linked notes, 1 link</span>", "1 supersession<", "1 shared file<", "1 without links")
	var g struct {
		Nodes                    []struct{ ID string }
		Links, Supersedes, Files [][2]int
	}
	must(t, json.Unmarshal([]byte(s.get("/graph.json")), &g))
	for edges, want := range map[*[][2]int]string{&g.Links: "a c", &g.Supersedes: "a b", &g.Files: "a d"} {
		if len(*edges) != 1 || g.Nodes[(*edges)[0][0]].ID+" "+g.Nodes[(*edges)[0][1]].ID != want {
			t.Errorf("%v is not %s", *edges, want)
		}
	}
}
