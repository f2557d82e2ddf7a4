package page_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
)

// TestDocumentsAndCommits: a search shows documents and commits apart from the notes, and each is read as
// the data that it is, with nothing to change it.
func TestDocumentsAndCommits(t *testing.T) {
	s := in(t)
	must(t, os.MkdirAll(filepath.Join(s.dir, "docs"), 0o755))
	hostile := "<script>alert(1)</script> [[x]] <img src=x onerror=alert(2)>"
	must(t, os.WriteFile(filepath.Join(s.dir, "docs", "deploy.md"), []byte("# Deploying\n\n"+strings.Repeat("Introduction. ", 200)+"\n\n## Rolling back a migration\n\nRun the rollback twice. "+hostile+"\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(s.dir, "notes.txt"), []byte(hostile+"\n"), 0o644))
	for _, args := range [][]string{{"init", "-q"}, {"add", "docs", "notes.txt"}, {"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "Cap the webhook backlog <b>\n\nBecause of the outage. " + hostile}} {
		if out, err := exec.Command("git", append([]string{"-C", s.dir}, args...)...).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: git: %s", out)
		}
	}
	hash, err := exec.Command("git", "-C", s.dir, "rev-parse", "--short=10", "HEAD").Output()
	must(t, err)
	s.note(blue.Draft{Title: "Rollback", Body: "We roll back by hand."})
	found := s.get("/?q=rolling+back+a+migration")
	notes, also, _ := strings.Cut(found, "Also in this project")
	has(t, notes, ">Rollback</a>")
	_, rest, _ := strings.Cut(also, `href="`)
	path, _, _ := strings.Cut(rest, `"`)
	if path != "/documents/docs/deploy.md#rolling-back-a-migration" {
		t.Fatalf("the document is at %q in\n%s", path, also)
	}
	for name, c := range map[string]struct{ path, text string }{
		"section": {path, `<h2 id="rolling-back-a-migration">Rolling back a migration</h2>`},
		"commit":  {"/notes/" + url.PathEscape("commit "+strings.TrimSpace(string(hash))) + ".html", "Because of the outage."},
		"text":    {"/documents/notes.txt", "&lt;script&gt;"},
	} {
		view := s.get(c.path)
		has(t, view, c.text, "This is text of the repository", "&lt;script&gt;alert(1)")
		hasNot(t, view, "<script>alert", "onerror=alert(2)>", "<b>", "not trusted", `method="post"`, `id="Edit"`, `id="History"`)
		if name == "commit" {
			has(t, view, "Touched files", "<code>docs/deploy.md</code></li>", "<h1>Cap the webhook backlog &lt;b&gt;</h1>")
		}
	}
	has(t, s.get("/?q=webhook+backlog"), "No note holds a word of", "<code>commit ", "Cap the webhook backlog")
	hasNot(t, s.get("/?q=rolling+back+a+migration&type=note"), "Also in this project")
	has(t, s.get("/why"), "<dt>Documents</dt><dd>2", "<dt>Commits</dt><dd>1")
}

// TestStatuses: what a status says stands beside the note, with links to what stands in its
// place and to what another machine has made of it.
func TestStatuses(t *testing.T) {
	s := in(t)
	put(t, s.dir, "project.yaml", "format: 1\nname: shop\nnotes: notebook\n")
	put(t, s.dir, "notebook/format", "format: 1\nproject: shop\n")
	for _, status := range []string{"proposed", "accepted", "Rejected: too slow", "deprecated", "superseded"} {
		put(t, s.dir, "notebook/notes/is-"+strings.ToLower(status[:8])+".md", "---\nstatus: \""+status+"\"\n---\n# A matter\n")
		has(t, s.get("/notes/is-"+strings.ToLower(status[:8])+".html"), `<span class="badge">`+status+"</span>")
	}
	put(t, s.dir, "notebook/notes/old.md", "---\nstatus: superseded\n---\n# Old\n")
	put(t, s.dir, "notebook/notes/new.md", "---\nsupersedes: [old]\n---\n# New\n")
	put(t, s.dir, "notebook/notes/theirs.md", "---\nconflict-with: new\n---\n# New\n")
	by := `superseded by <a href="/notes/new.html" title="new">New</a>`
	has(t, s.get("/"), by, ">accepted<")
	has(t, s.get("/notes/old.html"), by)
	clash := `<a href="/notes/theirs.html">theirs</a> is another machine's text of <a href="/notes/new.html">new</a>`
	has(t, s.get("/notes/new.html"), clash)
	has(t, s.get("/notes/theirs.html"), clash)
	hasNot(t, s.get("/notes/new.html"), `<span class="badge">active`)
	has(t, s.get("/why"), clash, "<dt>Sync</dt><dd>", "1 conflict", `href="/review"`)
}

// TestStillHolds: a person who has read a note says that it holds; nobody else does, and
// not of a text that has changed meanwhile.
func TestStillHolds(t *testing.T) {
	s := in(t)
	file := filepath.Join(s.dir, "a.go")
	must(t, os.WriteFile(file, []byte("package a"), 0o644))
	id := s.note(blue.Draft{Title: "Retries", Body: "Five times.", Files: []string{"a.go"}})
	must(t, os.WriteFile(file, []byte("package other"), 0o644))
	view := s.get("/notes/" + id + ".html")
	has(t, view, "a.go: 1 of 1 line since", "Nobody has verified it.", `action="/verify/`+id+`"`, "It still holds")
	form := url.Values{"revision": {s.read(id).Revision}}
	foreign := func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }
	if code, _ := s.ask("POST", "/verify/"+id, form, foreign); code != http.StatusForbidden {
		t.Errorf("a foreign page: %d", code)
	}
	if code, _ := s.ask("POST", "/verify/"+id, url.Values{"revision": {"0123456789abcdef"}}); code != http.StatusConflict {
		t.Errorf("another revision: %d", code)
	}
	if got := s.read(id); got.Verified != "" {
		t.Errorf("verified %s", got.Verified)
	}
	if code, to := s.ask("POST", "/verify/"+id, form); code != http.StatusSeeOther || !strings.HasPrefix(to, "/notes/"+id+".html?changed="+id+"&now=") {
		t.Errorf("%d %s", code, to)
	}
	has(t, s.get("/notes/"+id+".html"), ">unchanged<", "Verified "+s.read(id).Verified, "by mira")
}

// TestReview: each thing stands with its reason, the command and a link to the note.
func TestReview(t *testing.T) {
	s := in(t)
	has(t, s.get("/review"), "Nothing to look at among 0 notes")
	put(t, s.dir, "notes/new.md", "---\ntitle: <b>New\n---\n")
	put(t, s.dir, "notes/a;b.md", "---\ntitle: <b>New\nconflict-with: new\n---\n")
	has(t, s.get("/review"), "1 thing to look at among 2 notes", `<a href="/notes/a%3Bb.html">&lt;b&gt;New</a>`, ">conflict<", `<span class="badge"><a href="/notes/new.html" title="new">&lt;b&gt;New</a></span>`,
		`<code>blue resolve &#39;a;b&#39;</code>`, `data-copy="blue resolve &#39;a;b&#39;"`)
	for i := range 250 {
		put(t, s.dir, fmt.Sprintf("notes/old-%03d.md", i), fmt.Sprintf("---\ntitle: Matter %d\ncreated: 2020-01-01\n---\n", i))
	}
	seen, pages := 0, 0
	for path := "/review"; path != ""; pages++ {
		view := s.get(path)
		seen += strings.Count(view, "<li data-id=")
		_, rest, _ := strings.Cut(view, `id="More" class="button" href="`)
		path, _, _ = strings.Cut(rest, `"`)
	}
	if seen != 251 || pages < 3 {
		t.Errorf("%d things on %d pages", seen, pages)
	}
}

// A document that a note supersedes says so in a search, in its directory and where it is
// read; links of notes lead to documents.
func TestSupersededDocument(t *testing.T) {
	s := in(t)
	must(t, os.MkdirAll(filepath.Join(s.dir, "docs"), 0o755))
	must(t, os.WriteFile(filepath.Join(s.dir, "docs", "plan.md"), []byte("# Plan\n\nStatus: accepted\n\n## Food\n\nWalruses are fed at noon.\n"), 0o644))
	has(t, s.get("/documents/"), `Plan</a> <code>plan.md</code><span class="badge good">accepted</span>`)
	id := s.note(blue.Draft{Title: "Evening", Body: "At dusk, see [[docs/plan.md#food|the plan]].", Supersedes: []string{"docs/plan.md"}})
	_, also, _ := strings.Cut(s.get("/?q=walruses+fed"), "Also in this project")
	has(t, also, ">Plan</a>", "<span>superseded by "+id+"</span>")
	has(t, s.get("/documents/"), `Plan</a> <code>plan.md</code><span class="badge">superseded</span>`)
	has(t, s.get("/documents/docs/plan.md"), `<span class="badge">superseded by <a href="/notes/`+id+`.html" title="`+id+`">Evening</a></span>`)
	const at = `/notes/docs%2Fplan.md.html`
	has(t, s.get("/notes/"+id+".html"), `<a href="docs%2Fplan.md.html#food">the plan</a>`, `<h2>Links</h2><ul><li><a href="`+at+`">Plan</a>`, `<h2>Replaces</h2><ul><li><a href="`+at+`">Plan</a>`)
	if code, _ := s.ask("GET", at, nil); code != 303 {
		t.Errorf("%s: %d", at, code)
	}
}
