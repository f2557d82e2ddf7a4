package page_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue/page"
)

// clash puts two notes of a conflict into a project.
func clash(t *testing.T, dir string) {
	t.Helper()
	put(t, dir, "notes/queue-aaaa.md", "---\ntitle: Queue\n---\n\none <b>\ntwo\n")
	put(t, dir, "notes/queue-bbbb.md", "---\ntitle: Queue\nconflict-with: queue-aaaa\n---\n\none <b>\n2\n")
	put(t, dir, "notes/other.md", "# Other\n")
}

// TestResolve: the list marks both notes of a conflict, each leads to the view of both texts,
// and its buttons end it, for the texts that were shown.
func TestResolve(t *testing.T) {
	for keep, want := range map[string]string{"ours": "one <b>\ntwo\n", "theirs": "one <b>\n2\n", "both": "one <b>\ntwo\n\n## Other text of this note\n\none <b>\n2\n"} {
		s := in(t)
		clash(t, s.dir)
		if list := s.get("/"); strings.Count(list, ">conflict</span>") != 2 {
			t.Errorf("the list marks %d notes", strings.Count(list, ">conflict</span>"))
		}
		for _, id := range []string{"queue-aaaa", "queue-bbbb"} {
			has(t, s.get("/notes/"+id+".html"), `href="/resolve/queue-bbbb"`, ">conflict</span>")
			has(t, s.get("/resolve/"+id), "<del>", "<ins>", "one &lt;b&gt;", `value="ours"`, `value="theirs"`, `value="both"`, "blue resolve queue-bbbb")
		}
		form := fields(s.get("/resolve/queue-aaaa"))
		form.Set("keep", keep)
		foreign := func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }
		if code, _ := s.ask("POST", "/resolve/queue-aaaa", form, foreign); code != http.StatusForbidden {
			t.Errorf("a foreign page: %d", code)
		}
		for _, of := range []string{"revision", "with_revision", "project"} {
			stale := url.Values{}
			for name := range form {
				stale.Set(name, form.Get(name))
			}
			stale.Set(of, "0123456789abcdef")
			if code, _ := s.ask("POST", "/resolve/queue-aaaa", stale); code != http.StatusConflict {
				t.Errorf("another %s: %d", of, code)
			}
		}
		if len(s.files("notes")) != 3 {
			t.Fatalf("a refusal has removed a note: %v", s.files("notes"))
		}
		code, to := s.ask("POST", "/resolve/queue-aaaa", form)
		data, err := os.ReadFile(filepath.Join(s.dir, ".blue", "notes", "queue-aaaa.md"))
		if code != http.StatusSeeOther || to != "/notes/queue-aaaa.html" || err != nil || string(data) != "---\ntitle: Queue\n---\n\n"+want || len(s.files("notes")) != 2 {
			t.Errorf("%s: %d %s, %v %q, %v", keep, code, to, err, data, s.files("notes"))
		}
		hasNot(t, s.get("/notes/queue-aaaa.html"), ">conflict</span>", "/resolve/")
		if code, view := s.ask("GET", "/resolve/queue-aaaa", nil); code != http.StatusNotFound || !strings.Contains(view, "is in no conflict") {
			t.Errorf("%d %s", code, view)
		}
	}
}

// TestResolveReadOnly: a page that only shows has the texts and no buttons.
func TestResolveReadOnly(t *testing.T) {
	s := in(t, func(o *page.Options) { o.ReadOnly = true })
	clash(t, s.dir)
	view := s.get("/resolve/queue-aaaa")
	has(t, view, "<del>", "<ins>")
	hasNot(t, view, `name="keep"`)
	if code, _ := s.ask("POST", "/resolve/queue-aaaa", url.Values{"keep": {"ours"}, "with": {"queue-bbbb"}}); code != http.StatusForbidden {
		t.Errorf("%d", code)
	}
}
