package page_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
	"blue/fixtures"
)

func TestNew(t *testing.T) {
	s := in(t)
	form := fields(s.get("/new"))
	form.Set("title", "Deploys")
	form.Set("body", "On Fridays.\r\n\r\nBecause <traffic> is low.\r\n")
	form.Set("tags", "ops, people,")
	form.Set("private", "on")
	code, to := s.ask("POST", "/new", form)
	if code != http.StatusSeeOther || !strings.HasPrefix(to, "/notes/private%2Fdeploys-") {
		t.Fatalf("%d %s", code, to)
	}
	has(t, s.get(to), "Because &lt;traffic&gt; is low.", "#people", "mira")
	form.Set("body", "  ")
	code, view := s.ask("POST", "/new", form)
	if code != http.StatusUnprocessableEntity {
		t.Errorf("an empty text: %d", code)
	}
	has(t, view, "Not saved:", `value="Deploys"`, `value="ops, people,"`, " checked")
	form.Set("body", "token "+"ghp_"+strings.Repeat("a1B2", 9))
	code, view = s.ask("POST", "/new", form)
	if code != http.StatusUnprocessableEntity || len(s.files("private")) != 1 {
		t.Errorf("a secret: %d, files %v", code, s.files("private"))
	}
	has(t, view, "Not saved:", "line 1")
}

// The text has the focus where writing begins, and where it goes on after a refusal.
func TestTextHasTheFocus(t *testing.T) {
	s := in(t)
	id := s.note(blue.Draft{Title: "Deploys", Body: "On Fridays."})
	const focused = `<textarea name="body" rows="18" spellcheck="true" autofocus>`
	has(t, s.get("/new"), focused)
	has(t, s.get("/edit/"+id), focused)
	form := fields(s.get("/edit/" + id))
	form.Set("body", "token ghp_"+strings.Repeat("a1B2", 9))
	_, view := s.ask("POST", "/edit/"+id, form)
	has(t, view, "Not saved:", focused)
}

// After a refusal the person can say on the page that it is no secret. That
// holds for one save; the page offers it nowhere else.
func TestPersonAllowsOnce(t *testing.T) {
	s := in(t)
	form := fields(s.get("/new"))
	if form.Has("allow_secret") || strings.Contains(s.get("/new"), "allow_secret") {
		t.Error("a form that was not refused offers to allow")
	}
	token := "ghp_" + strings.Repeat("a1B2", 9)
	form.Set("title", "Forms of tokens")
	form.Set("body", "as in\n"+token+"\n")
	code, view := s.ask("POST", "/new", form)
	if code != http.StatusUnprocessableEntity || len(s.files("notes")) != 0 {
		t.Fatalf("not allowed: %d, %v", code, s.files("notes"))
	}
	has(t, view, `name="allow_secret"`, "on the page")
	form = fields(view)
	form.Set("allow_secret", "on")
	code, to := s.ask("POST", "/new", form)
	if code != http.StatusSeeOther {
		t.Fatalf("allowed: %d %s", code, to)
	}
	id := strings.TrimSuffix(strings.TrimPrefix(to, "/notes/"), ".html")
	if !strings.Contains(s.file(id), token+" <!-- blue:allow github-token -->") {
		t.Errorf("the line is not marked: %q", s.file(id))
	}
	form = fields(s.get("/edit/" + id))
	form.Set("body", form.Get("body")+"\nand ghp_"+strings.Repeat("c3D4", 9)+"\n")
	code, view = s.ask("POST", "/edit/"+id, form)
	if code != http.StatusUnprocessableEntity {
		t.Errorf("what was allowed once allows another: %d", code)
	}
	form = fields(view)
	form.Set("allow_secret", "on")
	if code, view := s.ask("POST", "/edit/"+id, form); code != http.StatusSeeOther || strings.Count(s.file(id), "blue:allow") != 2 {
		t.Errorf("%d %s: %q", code, view, s.file(id))
	}
}

func (s *site) files(scope string) []string {
	names, err := filepath.Glob(filepath.Join(s.dir, ".blue", scope, "*.md"))
	must(s.t, err)
	return names
}

// TestEdit: what the person changed is changed, and every other byte stays.
func TestEdit(t *testing.T) {
	s := in(t)
	text := "---\r\n# mine\r\ntitle: Deploys   # here\r\ntype: note\r\nkey: [a, b]\r\n---\r\n\r\n\r\nOn Fridays.\r\n\r\n\r\n"
	put(t, s.dir, "notes/deploys.md", text)
	form := fields(s.get("/edit/deploys"))
	if code, to := s.ask("POST", "/edit/deploys", form); code != http.StatusSeeOther || to != "/notes/deploys.html" {
		t.Fatalf("nothing changed: %d %s", code, to)
	}
	if got := s.file("deploys"); got != text {
		t.Errorf("an edit that changes nothing leaves %q", got)
	}
	form.Set("title", "Releases")
	if code, view := s.ask("POST", "/edit/deploys", form); code != http.StatusSeeOther {
		t.Fatalf("%d %s", code, view)
	}
	if got, want := s.file("deploys"), strings.Replace(text, "title: Deploys   # here", "title: Releases", 1); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	form = fields(s.get("/edit/deploys"))
	form.Set("body", "On Mondays.\r\n")
	form.Set("files", "a.go\r\nb.go")
	if code, view := s.ask("POST", "/edit/deploys", form); code != http.StatusSeeOther {
		t.Fatalf("%d %s", code, view)
	}
	n := s.read("deploys")
	if strings.TrimSpace(n.Body) != "On Mondays." || len(n.Files) != 2 || n.Title != "Releases" || len(n.Revisions) != 2 {
		t.Errorf("the note is %+v", n)
	}
	form = fields(s.get("/edit/deploys"))
	form.Set("files", "../x")
	code, view := s.ask("POST", "/edit/deploys", form)
	if code != http.StatusUnprocessableEntity {
		t.Errorf("a file outside: %d", code)
	}
	has(t, view, "Not saved:", "outside the project")
}

func (s *site) file(id string) string {
	data, err := os.ReadFile(filepath.Join(s.dir, ".blue", "notes", id+".md"))
	must(s.t, err)
	return string(data)
}

// TestConflict: a save over a text that the person has not seen changes nothing and
// shows both; the next one is made knowingly, and nothing is lost.
func TestConflict(t *testing.T) {
	s := in(t)
	id := s.note(blue.Draft{Title: "Retries", Body: "Five times.\n\nThen park it.", Tags: []string{"ops"}})
	form := fields(s.get("/edit/" + id))
	long := "Six times, says the agent.\n\n" + strings.Repeat("A long line that must be shown as a whole. ", 500)
	_, err := s.project().Edit(t.Context(), blue.Change{ID: id, Body: &long, Title: new("Retries of webhooks"), Tags: &[]string{"ops", "pay"}})
	must(t, err)
	theirs := s.read(id)
	form.Set("body", "Seven times, says <mira>.\r\n\r\nThen park it.")
	code, view := s.ask("POST", "/edit/"+id, form)
	if code != http.StatusConflict || s.read(id).Revision != theirs.Revision {
		t.Fatalf("%d, the note is at %s", code, s.read(id).Revision)
	}
	has(t, view, "Somebody changed this note", "Seven times, says &lt;mira&gt;.", "Save my text", "Keep theirs")
	if got := strings.Count(view, "A long line that must be shown as a whole. "); got < 1000 {
		t.Errorf("their text is shown %d of 1000 times, as text and as difference", got)
	}
	form = fields(view)
	if form.Get("revision") != theirs.Revision || form.Get("title") != "Retries of webhooks" || form.Get("tags") != "ops, pay" {
		t.Errorf("what only they changed is %q, %q at %s", form.Get("title"), form.Get("tags"), form.Get("revision"))
	}
	if code, view := s.ask("POST", "/edit/"+id, form); code != http.StatusSeeOther {
		t.Fatalf("%d %s", code, view)
	}
	n := s.read(id)
	if !strings.Contains(n.Body, "Seven times") || n.Title != "Retries of webhooks" || len(n.Revisions) != 2 || n.Revisions[0] != theirs.Revision {
		t.Errorf("the note is %+v", n)
	}
}

// TestConflictWithRemoval: the note went away; what was written can become one.
func TestConflictWithRemoval(t *testing.T) {
	s := in(t)
	id := s.note(blue.Draft{Title: "Retries", Body: "Five times."})
	form := fields(s.get("/edit/" + id))
	_, err := s.project().Remove(t.Context(), blue.Removal{ID: id})
	must(t, err)
	form.Set("body", "Six times.")
	code, view := s.ask("POST", "/edit/"+id, form)
	if code != http.StatusNotFound {
		t.Errorf("%d", code)
	}
	has(t, view, `action="/new"`, "Six times.")
	code, to := s.ask("POST", "/new", fields(view))
	if code != http.StatusSeeOther {
		t.Fatalf("%d %s", code, to)
	}
	has(t, s.get(to), "Six times.")
}

// TestHiddenInForm: a note with hidden characters keeps them when only its title is
// changed.
func TestHiddenInForm(t *testing.T) {
	s := in(t)
	put(t, s.dir, "notes/hidden.md", "---\ntitle: A\n---\nSome\u200bthing\n")
	view := s.get("/edit/hidden")
	has(t, view, `Some\u{200B}thing`, "1 hidden character")
	form := fields(view)
	form.Set("title", "B")
	if code, _ := s.ask("POST", "/edit/hidden", form); code != http.StatusSeeOther {
		t.Errorf("%d", code)
	}
	if got := s.file("hidden"); !strings.Contains(got, "Some\u200bthing") || !strings.Contains(got, "title: B") {
		t.Errorf("the file is %q", got)
	}
}

// TestTooMuch: a form beyond any note is refused, not cut.
func TestTooMuch(t *testing.T) {
	fixtures.Slow(t)
	s := in(t)
	code, _ := s.ask("POST", "/new", url.Values{"body": {strings.Repeat("x", 5<<20)}})
	if code != http.StatusUnprocessableEntity || len(s.files("notes")) != 0 {
		t.Errorf("%d, %v", code, s.files("notes"))
	}
}
