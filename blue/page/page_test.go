package page_test

import (
	"context"
	"html"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/page"
	"blue/blue/result"
	"blue/fixtures"
	"blue/marker"
)

// site is a page that is open, and the browser that opened it.
type site struct {
	t    testing.TB
	dir  string // the project
	b    *blue.Blue
	call blue.Call
	link string // that opens the page
	root string // http://127.0.0.1:PORT
	http *http.Client
}

// start opens a page on an empty project; change sets its options.
func start(t testing.TB, change ...func(*page.Options)) *site {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	s := &site{t: t, dir: filepath.Join(home, "shop")}
	must(t, os.Mkdir(s.dir, 0o755))
	s.b = blue.New(blue.Options{
		Home: home, Cache: filepath.Join(home, "cache"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config"),
		User: "mira", Env: func(string) string { return "" }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	_, err = s.b.Init(t.Context(), blue.NewProject{Dir: s.dir, Name: "shop"})
	must(t, err)
	s.call = blue.Call{Cwd: s.dir, From: at(s.dir)}
	ready := make(chan string, 2)
	o := page.Options{Blue: s.b, Log: slog.New(slog.DiscardHandler), Call: s.call, Ready: func(url string) { ready <- url }}
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- page.Serve(ctx, o) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-done)
		_ = s.b.Close()
	})
	select {
	case s.link = <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	s.root, _, _ = strings.Cut(s.link, "/?")
	s.http = browser(t)
	return s
}

// at is what is known of a project when a directory is all that is known.
func at(dir string) iter.Seq[marker.Candidate] {
	return slices.Values([]marker.Candidate{{Source: marker.Cwd, Value: dir}})
}

// browser is one that keeps its cookies and follows nobody.
func browser(t testing.TB) *http.Client {
	jar, err := cookiejar.New(nil)
	must(t, err)
	c := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// in is start, and the link has been opened.
func in(t testing.TB, change ...func(*page.Options)) *site {
	t.Helper()
	s := start(t, change...)
	if code, _ := s.ask("GET", strings.TrimPrefix(s.link, s.root), nil); code != http.StatusSeeOther {
		t.Fatalf("the link is answered with %d", code)
	}
	return s
}

// ask sends a request, with a form when there is one, as a page of the site would.
func (s *site) ask(method, path string, form url.Values, change ...func(*http.Request)) (code int, body string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.root+path, strings.NewReader(form.Encode()))
	must(s.t, err)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", s.root)
	}
	for _, c := range change {
		c(r)
	}
	answer, err := s.http.Do(r)
	must(s.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must(s.t, err)
	if answer.StatusCode == http.StatusSeeOther {
		return answer.StatusCode, answer.Header.Get("Location")
	}
	return answer.StatusCode, string(text)
}

// get is the text of a view, which must be there.
func (s *site) get(path string) string {
	s.t.Helper()
	code, text := s.ask("GET", path, nil)
	if code != http.StatusOK {
		s.t.Fatalf("GET %s: %d\n%s", path, code, text)
	}
	return text
}

func (s *site) project() *blue.Project {
	s.t.Helper()
	p, err := s.b.Open(s.t.Context(), s.call)
	must(s.t, err)
	return p
}

// note writes a note as an agent would, and returns its id.
func (s *site) note(d blue.Draft) string {
	s.t.Helper()
	w, err := s.project().Write(s.t.Context(), d)
	must(s.t, err)
	return w.ID
}

func (s *site) read(id string) result.Note {
	s.t.Helper()
	got, err := s.project().Read(s.t.Context(), blue.Reading{ID: id, Whole: true})
	must(s.t, err)
	return got.Notes[0]
}

var must = fixtures.Must

func has(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

func hasNot(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in\n%s", part, text)
		}
	}
}

var (
	control = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)">|<input name="(\w+)" value="([^"]*)"`)
	area    = regexp.MustCompile(`(?s)<textarea name="(\w+)"[^>]*>\n(.*?)</textarea>`)
)

// fields are the controls of the form on a view, as a browser would send them.
func fields(view string) url.Values {
	form := url.Values{"status": {"active"}}
	for _, m := range control.FindAllStringSubmatch(view, -1) {
		form.Set(m[1]+m[3], html.UnescapeString(m[2]+m[4]))
	}
	for _, m := range area.FindAllStringSubmatch(view, -1) {
		form.Set(m[1], strings.ReplaceAll(html.UnescapeString(m[2]), "\n", "\r\n"))
	}
	return form
}

// A parameter that comes twice is refused on every route of the page, and changes nothing.
func TestRepeatedParameters(t *testing.T) {
	s := in(t)
	id := s.note(blue.Draft{Title: "Plan", Body: "A plan."})
	for _, path := range []string{
		"/", "/notes/" + id + ".html", "/history/" + id, "/trash", "/graph", "/graph.json", "/activity", "/review", "/documents/", "/new", "/edit/" + id, "/why", "/titles", "/page.css", "/nothing",
	} {
		code, text := s.ask("GET", path+"?q=a&q=b", nil)
		if code != http.StatusBadRequest || !strings.Contains(text, "the parameter &#34;q&#34; comes more than once") {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	if code, text := s.ask("POST", "/remove/"+id+"?from=list&from=list", url.Values{}); code != http.StatusBadRequest {
		t.Errorf("a removal: %d %s", code, text)
	}
	if code, _ := s.ask("GET", "/notes/"+id+".html?q=a", nil); code != http.StatusOK {
		t.Errorf("the note is not there any more: %d", code)
	}
	fresh := start(t)
	link := strings.TrimPrefix(fresh.link, fresh.root)
	if code, _ := fresh.ask("GET", link+"&token=x", nil); code != http.StatusBadRequest {
		t.Errorf("two tokens: %d", code)
	}
	if code, _ := fresh.ask("GET", link, nil); code != http.StatusSeeOther {
		t.Errorf("the link was used up: %d", code)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // a stream has no end
	defer cancel()
	if code, text := s.ask("GET", "/events?q=a&q=b", nil, func(r *http.Request) { *r = *r.WithContext(ctx) }); code != http.StatusBadRequest {
		t.Errorf("/events: %d %s", code, text)
	}
}
