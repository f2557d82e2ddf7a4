package page_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/page"
)

// The list is narrowed by type, tag, author and status, which say how many
// notes they have; a search keeps what was chosen, and each can be taken back.
func TestFacets(t *testing.T) {
	s := in(t)
	put(t, s.dir, "notes/a.md", "---\ntype: decision\ntitle: Alpha\nauthor: claude-code\ntags: [pay, ops]\nstatus: proposed\n---\nThe queue.\n")
	put(t, s.dir, "notes/b.md", "---\ntitle: Beta\nauthor: codex\ntags: [pay]\n---\nThe queue.\n")
	put(t, s.dir, "notes/c.md", "---\ntitle: Gamma <b>\nauthor: codex\nstatus: Superseded by Beta\n---\nThe queue.\n")
	all := s.get("/")
	has(t, all, `href="/?tag=pay">pay <span class="soft">2</span>`, `href="/?author=codex">codex <span class="soft">2</span>`, `href="/?status=superseded">superseded <span class="soft">1</span>`,
		`href="/?status=active"`, `href="/?type=decision"`, `class="author" href="/?author=claude-code"`)
	for path, want := range map[string]string{
		"/?author=codex": "Beta,Gamma", "/?status=proposed": "Alpha", "/?status=active": "Beta", "/?tag=pay&author=codex": "Beta",
		"/?q=queue&author=codex&status=superseded": "Gamma", "/?q=queue&type=decision": "Alpha", "/?author=nobody": "",
	} {
		view := s.get(path)
		for _, title := range []string{"Alpha", "Beta", "Gamma"} {
			if strings.Contains(view, ">"+title) != (want != "" && strings.Contains(want, title)) {
				t.Errorf("%s: %s", path, title)
			}
		}
	}
	narrowed := s.get("/?author=codex&tag=pay")
	has(t, narrowed, `<input type="hidden" name="author" value="codex">`, `href="/?tag=pay" aria-label="Without the author codex"`, `<a href="/?author=codex" aria-current="true" title="any tag again">pay`)
}

// The table shows title, type, status, author and age, is sorted by each of them in both
// directions over all pages, and the choice of the view is remembered. The outline has all tags
// and the documents as a tree.
func TestTable(t *testing.T) {
	s := in(t)
	for i := range 30 {
		put(t, s.dir, fmt.Sprintf("notes/n%02d.md", i), fmt.Sprintf("---\ntitle: Filler %02d\ntags: [tag-%02d]\ncreated: 2026-01-02T10:00:00Z\nauthor: mira\n---\nText.\n", i, i))
	}
	put(t, s.dir, "notes/first.md", "---\ntitle: Zulu <b>\ntype: decision\nstatus: In Progress\nauthor: Zoe\ncreated: 2020-01-02T10:00:00Z\n---\n# Zulu <b>\n\nText <i> of\n**one** note. "+strings.Repeat("More words. ", 30)+"\n\n## Part\n\nOther.\n")
	put(t, s.dir, "notes/last.md", "---\ntitle: Alpha\ntype: zebra\nstatus: accepted\nauthor: ann\ncreated: 2026-02-02T10:00:00Z\n---\nAlpha\n")
	put(t, s.dir, "../docs/guide/setup.md", "# Setting up\n")
	view := s.get("/?view=table")
	has(t, view, "<option selected>In Progress</option>", `Zulu &lt;b&gt;</a> <span class="soft">Text &lt;i&gt; of one note. More words. `, "More words. …</span></th>", "Alpha</a></th>", `data-type="decision"`, `<td class="n">`, `aria-sort="ascending"><a href="/?sort=-age&amp;view=table">Age`)
	hasNot(t, s.get("/"), `class="rows compact"`, "More words")
	remember := func(r *http.Request) { r.AddCookie(&http.Cookie{Name: "blue-rows", Value: "table"}) }
	if _, kept := s.ask("GET", "/", nil, remember); !strings.Contains(kept, `class="rows compact"`) {
		t.Error("the choice is not remembered")
	}
	if _, cards := s.ask("GET", "/?view=cards", nil, remember); strings.Contains(cards, `class="rows compact"`) {
		t.Error("the choice in the URL does not count")
	}
	row := regexp.MustCompile(`data-id="([^"]+)"`)
	for sort, want := range map[string]string{
		"": "last", "-age": "first", "title": "last", "-title": "first", "type": "first", "-type": "last",
		"status": "last", "-status": "first", "author": "last", "-author": "first",
	} {
		if m := row.FindStringSubmatch(s.get("/?view=table&sort=" + sort)); m == nil || m[1] != want {
			t.Errorf("by %q: %q is first", sort, m)
		}
	}
	has(t, view, `>tag-00 <span`, `>tag-29 <span`, `20 more</summary>`, `href="/?status=in&#43;progress&amp;view=table">in progress <span`, `href="/documents/docs/guide/setup.md"`, `<details id="In docs/guide/"`)
	has(t, s.get("/?status=in+progress"), ">Zulu")
}

// Who wrote what stands under its day, what was changed and removed too, and
// an author has a page of their own.
func TestActivity(t *testing.T) {
	s := in(t)
	has(t, s.get("/activity"), "Nothing has happened yet")
	put(t, s.dir, "notes/a.md", "---\ntitle: Alpha <b>\nauthor: claude-code\ncreated: 2026-02-03T10:30:00Z\n---\nOne.\n")
	put(t, s.dir, "notes/b.md", "---\ntitle: Beta\nauthor: claude-code\ncreated: 2026-02-03T09:00:00Z\n---\nTwo.\n")
	put(t, s.dir, "notes/c.md", "---\ntitle: Gamma\nauthor: codex\ncreated: 2026-01-31T09:00:00Z\n---\nThree.\n")
	for _, body := range []string{"more", "and more"} {
		_, err := s.project().Edit(t.Context(), blue.Change{ID: "a", Append: &body})
		must(t, err)
	}
	gone := s.note(blue.Draft{Title: "Delta", Body: "Four."})
	_, err := s.project().Remove(t.Context(), blue.Removal{ID: gone})
	must(t, err)
	view := s.get("/activity")
	has(t, view, "Tuesday, 3 February 2026", "claude-code</a> wrote 2 notes", "codex</a> wrote 1 note<", ">written by claude-code<", ">edited by mira 2 times<", `href="/history/a">Alpha &lt;b&gt;`, `href="/trash">Delta`, ">removed by mira<")
	if a, b, c := strings.Index(view, ">Beta"), strings.LastIndex(view, ">Alpha"), strings.Index(view, "31 January"); b > a || a > c {
		t.Errorf("not newest first: %d %d %d", b, a, c)
	}
	view = s.get("/activity?author=codex")
	has(t, view, "Gamma")
	hasNot(t, view, "Alpha", "Delta")
	for i := range 250 {
		put(t, s.dir, "notes/n"+strings.Repeat("i", i%5)+string(rune('a'+i/26))+string(rune('a'+i%26))+".md", "# N\n")
	}
	seen := 0
	for path, pages := "/activity", 0; path != "" && pages < 5; pages++ {
		view = s.get(path)
		seen += strings.Count(view, "<li><a href=") + strings.Count(view, "<li data-id=")
		_, rest, _ := strings.Cut(view, `class="more"><a class="button" href="`)
		path, _, _ = strings.Cut(rest, `"`)
		path = strings.ReplaceAll(path, "&amp;", "&")
	}
	if seen < 250 {
		t.Errorf("%d things on all pages", seen)
	}
}

// Rows about which the same is said are one line, which can be opened; also what an import
// has brought. Rows that differ, or are few, stay.
func TestFolded(t *testing.T) {
	s := in(t)
	for i := range 654 {
		put(t, s.dir, fmt.Sprintf("notes/n%d.md", i), fmt.Sprintf("---\ntitle: Filler <%d>\nauthor: ann\ncreated: 2026-02-03T10:00:00Z\nimported_from: markdown:src/%d.md#f19c634af4fc795e\n---\nText.\n", i, i))
	}
	for i := range 4 {
		put(t, s.dir, fmt.Sprintf("notes/few%d.md", i), fmt.Sprintf("---\ntitle: Few %d\nauthor: bob\ncreated: 2026-02-02T10:00:00Z\n---\nText.\n", i))
	}
	view := s.get("/activity")
	has(t, view, "<summary>654 notes imported by ann</summary>", "ann</a> wrote 654 notes", "Filler &lt;", ">written by bob<")
	if n := strings.Count(view, "<li data-id="); n != 5 {
		t.Errorf("%d lines", n)
	}
	if strings.Count(view, "Filler") != 654 || strings.Contains(view, ">Older<") {
		t.Error("not all is on one page, or too much")
	}
}

// The table sets the status of a note as it was shown, and returns to the list as it was.
func TestTableSetsStatus(t *testing.T) {
	s := in(t)
	put(t, s.dir, "notes/plan.md", "---\ntype: decision\ntitle: Plan\nstatus: proposed\n---\nWe move.\n")
	put(t, s.dir, "notes/doing.md", "---\ntitle: Doing\nstatus: In Progress\n---\nAll.\n")
	put(t, s.dir, "notes/odd.md", "---\ntitle: Odd\nstatus: \"<b>\"\n---\nAll.\n")
	put(t, s.dir, "notes/old.md", "---\ntitle: Old\nstatus: superseded\n---\nAll.\n")
	put(t, s.dir, "notes/new.md", "---\ntitle: New\nsupersedes: [old]\n---\nAll.\n")
	view := s.get("/?view=table&type=note")
	has(t, view, `action="/status/doing?type=note&amp;view=table"`, "<option selected>In Progress</option>", "<option selected>&lt;b&gt;</option>", "<option selected>active</option>", "<option>proposed</option>")
	hasNot(t, view, `action="/status/old`, `action="/status/plan`)
	stale := s.read("plan").Revision
	form := url.Values{"revision": {stale}, "status": {"In Progress"}, "project": {s.dir}}
	if code, to := s.ask("POST", "/status/plan?view=table&q=//evil.example", form); code != http.StatusSeeOther || to != "/?changed=plan&now="+s.read("plan").Revision+"&q=%2F%2Fevil.example&view=table&was="+stale || s.read("plan").Status != "In Progress" {
		t.Errorf("%d %s %s", code, to, s.read("plan").Status)
	}
	form.Set("status", "done")
	if code, _ := s.ask("POST", "/status/plan", form); code != http.StatusConflict || s.read("plan").Status != "In Progress" {
		t.Errorf("a revision that is gone: %d", code)
	}
	for _, form := range []url.Values{{"revision": {stale}}, {"status": {"done"}}} {
		if code, _ := s.ask("POST", "/status/plan", form); code != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", form, code)
		}
	}
}

// The table offers the statuses that a type takes. A note that got another one stays where it was chosen,
// though the list is narrowed to the former, and the change can be taken back.
func TestTableKeepsAndUndoes(t *testing.T) {
	s := in(t)
	put(t, s.dir, "notes/plan.md", "---\ntype: decision\ntitle: Plan\nstatus: proposed\n---\nWe move.\n")
	put(t, s.dir, "notes/work.md", "---\ntype: checkpoint\ntitle: Work\nstatus: waiting\n---\nHalf done.\n")
	options := func(name string) (all []string) {
		_, row, _ := strings.Cut(s.get("/?view=table"), `<tr data-id="`+name+`">`)
		row, _, _ = strings.Cut(row, "</tr>")
		for _, option := range strings.Split(row, "<option")[1:] {
			_, text, _ := strings.Cut(option, ">")
			text, _, _ = strings.Cut(text, "<")
			all = append(all, text)
		}
		return all
	}
	for name, want := range map[string]string{"plan": "proposed accepted rejected deprecated superseded", "work": "active done waiting"} {
		if got := strings.Join(options(name), " "); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, status := range []string{"accepted", "rejected", "superseded"} {
		_, to := s.ask("POST", "/status/plan?status=proposed&view=table", url.Values{"status": {status}, "revision": {s.read("plan").Revision}})
		view := s.get(to)
		has(t, view, `<tr data-id="plan">`, "<option selected>"+status, `<div id="Undo" data-live><div class="say">`)
		hasNot(t, s.get("/?status=proposed&view=table"), `data-id="plan"`)
		u, err := url.Parse(to)
		must(t, err)
		form := url.Values{"to": {u.Query().Get("was")}, "revision": {u.Query().Get("now")}, "back": {"/?status=proposed&view=table"}}
		if code, to := s.ask("POST", "/restore/plan", form); code != http.StatusSeeOther || to != "/?status=proposed&view=table" || s.read("plan").Status != "proposed" {
			t.Errorf("%d %s %s", code, to, s.read("plan").Status)
		}
	}
	for _, back := range []string{"//evil.example", `/\\evil.example`, "/\t/evil.example", `/./\\evil.example`, "https://evil.example", ""} {
		n := s.read("plan")
		if _, to := s.ask("POST", "/restore/plan", url.Values{"to": {n.Revision}, "revision": {n.Revision}, "back": {back}}); to != "/notes/plan.html" {
			t.Errorf("%s leads to %s", back, to)
		}
	}
}

// A person accepts and rejects what agents propose, one or all as shown, and takes that back.
func TestProposals(t *testing.T) {
	s := in(t, func(o *page.Options) { o.Call.Door.Terminal = true }) // as the page of a person has it
	put(t, s.dir, "project.yaml", "format: 1\nname: shop\nagents: propose\n")
	for _, name := range []string{"one", "two", "three"} {
		put(t, s.dir, "notes/"+name+".md", "---\ntitle: <b>"+name+"\ntype: decision\nstatus: proposed\n---\nWe move.\n")
	}
	shown := func(name string) string { return s.read(name).Revision + " " + name }
	view := s.get("/review")
	has(t, view, "Accept all 3 proposals", `name="note" value="`+shown("two")+`"`, "&lt;b&gt;two", "We move.")
	has(t, s.get("/notes/one.html"), "It is proposed", `name="note" value="`+shown("one")+`"`)
	code, to := s.ask("POST", "/decide", url.Values{"note": {shown("one")}, "do": {"reject"}, "why": {"Too slow."}})
	if n := s.read("one"); code != http.StatusSeeOther || !strings.HasPrefix(to, "/review?changed=one&") || n.Status != "rejected" || !strings.Contains(n.Body, "Rejected: Too slow.") {
		t.Errorf("%d %s %+v", code, to, n)
	}
	has(t, s.get(to), `action="/restore/one"`)
	stale := shown("three")
	put(t, s.dir, "notes/three.md", "---\ntitle: three\ntype: decision\nstatus: proposed\n---\nWe stay.\n")
	if code, _ := s.ask("POST", "/decide", url.Values{"note": {shown("two"), stale}, "do": {"accept"}}); code != http.StatusConflict || s.read("two").Status != "proposed" {
		t.Errorf("what was not shown is accepted: %d", code)
	}
	if code, to := s.ask("POST", "/decide", url.Values{"note": {shown("two"), shown("three")}, "do": {"accept"}}); code != http.StatusSeeOther || to != "/review" || s.read("two").Status != "accepted" || s.read("three").Status != "accepted" {
		t.Errorf("%d %s", code, to)
	}
	for _, form := range []url.Values{{"do": {"accept"}}, {"note": {"two"}, "do": {"accept"}}, {"note": {shown("two")}, "do": {"obey"}}} {
		if code, _ := s.ask("POST", "/decide", form); code != http.StatusUnprocessableEntity {
			t.Errorf("%v: %d", form, code)
		}
	}
	hasNot(t, s.get("/review"), `action="/decide"`)
	for _, scope := range []string{"notes", "private"} { // two notes of one name
		put(t, s.dir, scope+"/twin.md", "---\ntitle: Twin\nstatus: proposed\n---\nIn "+scope+".\n")
	}
	view = s.get("/review")
	var both []string
	for _, part := range strings.Split(view, `name="note" value="`)[1:3] {
		value, _, _ := strings.Cut(part, `"`)
		both = append(both, value)
	}
	if code, _ := s.ask("POST", "/decide", url.Values{"note": both, "do": {"accept"}}); code != http.StatusSeeOther || s.read("twin").Status != "active" || s.read("private/twin").Status != "active" {
		t.Errorf("%q: %d", both, code)
	}
}

// The page asks once, with one button, whether the project is trusted.
func TestTrust(t *testing.T) {
	s := in(t)
	hasNot(t, s.get("/"), "not trusted")
	put(t, s.dir, "notes/a.md", "# Note a\n\nText.\n")
	put(t, s.dir, "project.yaml", "format: 1\nid: another\n")
	view := s.get("/")
	has(t, view, "This project is not trusted", `action="/trust"`, ">Note a<")
	if n := strings.Count(view, `action="/trust"`); n != 1 {
		t.Errorf("%d buttons", n)
	}
	if code, to := s.ask("POST", "/trust", url.Values{}); code != http.StatusSeeOther || to != "/" {
		t.Errorf("%d %s", code, to)
	}
	hasNot(t, s.get("/"), "not trusted")
}

// A text is shown as its page would show it, with nothing in it that acts; and
// notes are offered by their words, to links and with their paths to the palette.
func TestPreview(t *testing.T) {
	s := in(t)
	id := s.note(blue.Draft{Title: "Retries stop after three tries", Body: "Because of the bank."})
	code, text := s.ask("POST", "/preview", url.Values{"title": {"Deploys"}, "body": {"# Deploys\r\n\r\nSee [[" + id + "]][^1]. <script>alert(1)</script>\r\n\r\n[^1]: why"}})
	if code != http.StatusOK {
		t.Fatalf("%d %s", code, text)
	}
	has(t, text, `<a href="`+id+`.html" title="`+id+`">Retries stop after three tries</a>`, "footnotes", "&lt;script&gt;")
	hasNot(t, text, "<h1", "<h2", "<script>", "<html")
	for _, q := range []string{"", "three+tr", "retries"} {
		has(t, s.get("/titles?q="+q), `"id":"`+id+`"`, `"title":"Retries stop after three tries"`, `"path":"/notes/`+id+`.html"`)
	}
	if got := strings.TrimSpace(s.get("/titles?q=qqzzxx")); got != "[]" {
		t.Errorf("no match: %s", got)
	}
	foreign := func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }
	if code, _ := s.ask("POST", "/preview", url.Values{"body": {"x"}}, foreign); code != http.StatusForbidden {
		t.Errorf("a foreign page: %d", code)
	}
}

// A person changes to another project that they have opened, and to no other
// directory; a form of the one before changes nothing in it. A page that only shows has it too.
func TestProjects(t *testing.T) {
	readOnly := false
	for range 2 {
		s := in(t, func(o *page.Options) { o.ReadOnly = readOnly })
		other := filepath.Join(filepath.Dir(s.dir), "other")
		must(t, os.Mkdir(other, 0o755))
		put(t, other, "project.yaml", "format: 1\nname: other <b>\nid: other-1\n")
		put(t, other, "notes/theirs.md", "# Theirs\n")
		id := s.note(blue.Draft{Title: "Ours", Body: "Here."})
		hasNot(t, s.get("/"), "Change to")
		if code, _ := s.ask("POST", "/switch", url.Values{"root": {other}}); code != http.StatusNotFound {
			t.Errorf("a project that nobody has opened: %d", code)
		}
		call := s.call
		s.call = blue.Call{Cwd: other, From: at(other)}
		s.project()
		s.call = call
		has(t, s.get("/"), "Change to", `value="`+other+`"`, "other &lt;b&gt;", `href="/why">Why this project`, `href="/review"`)
		form := url.Values{"title": {"Ours"}, "body": {"Written there."}, "project": {s.dir}}
		if code, to := s.ask("POST", "/switch", url.Values{"root": {other}}); code != http.StatusSeeOther || to != "/" {
			t.Fatalf("%d %s", code, to)
		}
		view := s.get("/")
		has(t, view, "Theirs", `data-project="`+other+`"`, `value="`+s.dir+`"`)
		hasNot(t, view, "Ours")
		has(t, s.get("/why"), "you have chosen it on this page")
		if code, text := s.ask("POST", "/new", form); code != map[bool]int{false: http.StatusConflict, true: http.StatusForbidden}[readOnly] {
			t.Errorf("a form of the other project: %d %s", code, text)
		}
		if code, _ := s.ask("POST", "/switch", url.Values{"root": {s.dir}}); code != http.StatusSeeOther {
			t.Errorf("back: %d", code)
		}
		has(t, s.get("/notes/"+id+".html"), "Here.")
		readOnly = true
	}
}

// Each form that changes a note says which project it is of.
func TestForms(t *testing.T) {
	s := in(t)
	id := s.note(blue.Draft{Title: "Ours", Body: "Here.", Type: "checkpoint"})
	body := "There."
	_, err := s.project().Edit(t.Context(), blue.Change{ID: id, Body: &body})
	must(t, err)
	past, err := s.project().History(t.Context(), id)
	must(t, err)
	gone := s.note(blue.Draft{Title: "Gone", Body: "Away."})
	_, err = s.project().Remove(t.Context(), blue.Removal{ID: gone})
	must(t, err)
	put(t, s.dir, "notes/a.md", "---\nstatus: proposed\n---\n# A\n")
	forms := 0
	for _, path := range []string{"/", "/?trashed=" + gone, "/?view=table", "/notes/a.html", "/notes/" + id + ".html", "/history/" + id + "?to=" + past.Revisions[1].Revision, "/trash", "/new", "/edit/" + id} {
		for _, form := range strings.Split(s.get(path), "<form")[1:] {
			form, _, _ = strings.Cut(form, "</form>")
			if strings.Contains(form, `method="post"`) && !strings.Contains(form, `action="/switch"`) {
				has(t, form, `name="project" value="`+s.dir+`"`)
				forms++
			}
		}
	}
	if forms < 11 {
		t.Errorf("%d forms", forms)
	}
}
