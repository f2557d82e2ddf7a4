package page_test

import (
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/page"
	"blue/errors"
)

// TestGuard: only the person's browser gets in, and only from a page of ours.
func TestGuard(t *testing.T) {
	s := in(t)
	port := s.root[strings.LastIndexByte(s.root, ':'):]
	set := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	stranger := func(r *http.Request) {
		r.Header["Cookie"] = []string{"blue" + strings.Replace(port, ":", "-", 1) + "=wrong"}
	}
	both := func(all ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, one := range all {
				one(r)
			}
		}
	}
	at, err := url.Parse(s.root)
	must(t, err)
	cookie := set("Cookie", s.http.Jar.Cookies(at)[0].String()) // the client would look at the Host
	s.http.Jar = nil
	none := func(r *http.Request) { r.Header.Del("Origin") }
	for name, c := range map[string]struct {
		change    func(*http.Request)
		get, post int
	}{
		"nothing special":           {func(*http.Request) {}, 200, 422},
		"localhost":                 {both(host("localhost"+port), set("Origin", "http://localhost"+port)), 200, 422},
		"no Origin":                 {none, 200, 403},
		"the page itself":           {set("Sec-Fetch-Site", "same-origin"), 200, 422},
		"a form without referrer":   {both(set("Sec-Fetch-Site", "same-origin"), set("Origin", "null")), 200, 422},
		"the address bar":           {both(none, set("Sec-Fetch-Site", "none")), 200, 403},
		"foreign Origin":            {set("Origin", "https://evil.example"), 403, 403},
		"Origin null":               {set("Origin", "null"), 403, 403},
		"another port":              {set("Origin", "http://127.0.0.1:1"), 403, 403},
		"Origin over https":         {set("Origin", "https://127.0.0.1"+port), 403, 403},
		"two Origins":               {set("Origin", s.root, s.root), 403, 403},
		"a foreign site":            {set("Sec-Fetch-Site", "cross-site"), 403, 403},
		"a foreign site, no Origin": {both(none, set("Sec-Fetch-Site", "cross-site")), 403, 403},
		"a page of another port":    {both(none, set("Sec-Fetch-Site", "same-site")), 403, 403},
		"own Origin, foreign site":  {both(set("Origin", s.root), set("Sec-Fetch-Site", "cross-site")), 403, 403},
		"a frame of no origin":      {both(set("Origin", "null"), set("Sec-Fetch-Site", "cross-site")), 403, 403},
		"foreign Host":              {host("evil.example"), 403, 403},
		"foreign Host, our port":    {host("evil.example" + port), 403, 403},
		"Host and Origin foreign":   {both(host("evil.example"+port), set("Origin", "http://evil.example"+port)), 403, 403},
		"Host with a dot":           {host("localhost." + port), 403, 403},
		"Host of another port":      {host("127.0.0.1:1"), 403, 403},
		"no cookie":                 {set("Cookie"), 401, 401},
		"another cookie":            {stranger, 401, 401},
	} {
		for method, want := range map[string]int{"GET": c.get, "HEAD": c.get, "POST": c.post} {
			path, form := "/", url.Values(nil)
			if method == "POST" {
				path, form = "/new", url.Values{"body": {" "}}
			}
			code, text := s.ask(method, path, form, cookie, c.change)
			if code != want {
				t.Errorf("%s: %s is answered with %d, want %d", name, method, code, want)
			}
			if want == 401 || want == 403 {
				hasNot(t, text, "All types", "shop")
			}
		}
	}
	for _, path := range []string{"/graph.json", "/events", "/page.js", "/graph.js", "/notes/x.html", "/nothing"} {
		if code, _ := s.ask("GET", path, nil); code != http.StatusUnauthorized {
			t.Errorf("GET %s without a cookie: %d", path, code)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "TRACE"} {
		if code, _ := s.ask(method, "/", url.Values{}, cookie); code != http.StatusNotFound {
			t.Errorf("%s: %d", method, code)
		}
	}
}

// TestTokenOnce: the link lets one browser in; who only looks does not use it up.
func TestTokenOnce(t *testing.T) {
	s := start(t)
	path := strings.TrimPrefix(s.link, s.root)
	foreign := func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	for what, want := range map[string]int{"HEAD": 401, "POST": 401} {
		if code, _ := s.ask(what, path, nil, func(r *http.Request) { r.Header.Set("Origin", s.root) }); code != want {
			t.Errorf("%s with the token: %d, want %d", what, code, want)
		}
	}
	if code, _ := s.ask("GET", path, nil, foreign); code != http.StatusForbidden {
		t.Errorf("the link followed from a foreign site: %d", code)
	}
	if code, _ := s.ask("GET", path+"x", nil); code != http.StatusUnauthorized {
		t.Errorf("a wrong token: %d", code)
	}
	if code, to := s.ask("GET", path, nil); code != http.StatusSeeOther || to != "/" {
		t.Fatalf("the link: %d to %q", code, to)
	}
	at, err := url.Parse(s.root)
	must(t, err)
	if cookies := s.http.Jar.Cookies(at); len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	s.get("/")
	if code, to := s.ask("GET", path, nil); code != http.StatusSeeOther || to != "/" {
		t.Errorf("the link once more in the same browser: %d to %q", code, to)
	}
	s.http = browser(t)
	code, text := s.ask("GET", path, nil)
	if code != http.StatusUnauthorized {
		t.Errorf("the link in another browser: %d", code)
	}
	has(t, text, "another browser has used it")
	if code, _ := s.ask("GET", "/", nil); code != http.StatusUnauthorized {
		t.Errorf("another browser: %d", code)
	}
}

// TestAnotherLink: a link that is asked for lets another browser in, once, and puts an unused one out of use.
func TestAnotherLink(t *testing.T) {
	again, links := make(chan struct{}), make(chan string, 3)
	s := start(t, func(o *page.Options) {
		first := o.Ready
		o.Again, o.Ready = again, func(url string) { links <- url; first(url) }
	})
	open := func(link string) int {
		code, _ := s.ask("GET", strings.TrimPrefix(link, s.root), nil)
		return code
	}
	first := <-links
	again <- struct{}{}
	second := <-links
	if code := open(first); code != http.StatusUnauthorized {
		t.Errorf("a link that another has replaced: %d", code)
	}
	if code := open(second); code != http.StatusSeeOther {
		t.Errorf("another link: %d", code)
	}
	s.http = browser(t)
	if code := open(second); code != http.StatusUnauthorized {
		t.Errorf("a used link in another browser: %d", code)
	}
}

// TestHeaders: every answer tells a browser to load from here alone; the cookie is
// for nobody else.
func TestHeaders(t *testing.T) {
	s := start(t)
	for _, path := range []string{strings.TrimPrefix(s.link, s.root), "/", "/notes/none.html", "/page.js", "/graph.js", "/page.css", "/icon.svg", "/graph.json", "/nothing"} {
		answer, err := s.http.Get(s.root + path)
		must(t, err)
		_, _ = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
			"X-Content-Type-Options":  "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
		} {
			if got := answer.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		for _, c := range answer.Cookies() {
			if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || len(c.Value) < 20 || strings.Contains(s.link, c.Value) {
				t.Errorf("the cookie is %v", c)
			}
		}
	}
}

// hostile are texts of notes that want something to happen in a browser.
var hostile = []string{
	"<script>alert(1)</script>", "<SCRIPT SRC=https://evil.example/x.js></SCRIPT>", "a <img src=x onerror=alert(1)> b", "<svg/onload=alert(1)>",
	"<svg><script>alert(1)</script></svg>", "[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](data:text/html,<script>alert(1)</script>)", "<javascript:alert(1)>",
	"![x](https://evil.example/x.png)", "![x](javascript:alert(1))", "<iframe src=https://evil.example></iframe>", "</main><script>alert(1)</script>", "</textarea><script>alert(1)</script>",
	"<style>@import 'https://evil.example'</style>", "<base href=https://evil.example>", "<form action=https://evil.example><input name=x></form>", "\"><script>alert(1)</script>", "{{.}} {{template \"frame\"}}",
	"<meta http-equiv=refresh content='0;url=https://evil.example'>", "[a]: javascript:alert(1)\n\n[a]", "<a href=\"javascript:alert(1)\">x</a>", "[[x|<script>alert(1)</script>]]", "```\n</code></pre><script>alert(1)</script>\n```",
}

// TestHostileNotes: whatever a note holds, in whatever place, it is text on every
// view.
func TestHostileNotes(t *testing.T) {
	s := in(t)
	for i, text := range hostile {
		title := strings.NewReplacer("\n", " ", "\"", "'").Replace(text)
		front := "---\ntype: \"" + title + "\"\ntitle: \"" + title + "\"\ntags: [\"" + title + "\"]\nauthor: \"" + title + "\"\nfiles: [\"" + title + "\"]\nsupersedes: [\"" + title + "\"]\n---\n\n"
		name := "hostile-" + string(rune('a'+i))
		put(t, s.dir, "notes/"+name+".md", front+text+" [["+title+"]] [[hostile-a]] word\n")
		_, err := s.project().Edit(t.Context(), blue.Change{ID: name, Append: new("more")})
		if err != nil && !errors.Is(err, errors.Invalid) {
			t.Errorf("%q: %v", text, err)
		}
		views := []string{"/notes/" + name + ".html", "/edit/" + name, "/history/" + name, "/?trashed=" + url.QueryEscape(text), "/new?title=" + url.QueryEscape(text), "/notes/" + url.PathEscape(text) + ".html"}
		for _, field := range []string{"q", "type", "tag"} {
			views = append(views, "/?"+field+"="+url.QueryEscape(text))
		}
		for _, path := range views[i%2*3 : 6+i%2*3] {
			_, view := s.ask("GET", path, nil)
			harmless(t, path, view)
		}
	}
	for _, path := range []string{"/", "/graph", "/why"} {
		harmless(t, path, s.get(path))
	}
	for i := range hostile {
		_, err := s.project().Remove(t.Context(), blue.Removal{ID: "hostile-" + string(rune('a'+i))})
		must(t, err)
	}
	harmless(t, "/trash", s.get("/trash"))
}

// known are the elements of our pages and of Markdown; own, how those begin that
// could do something.
var (
	known = strings.Fields("!doctype html head title body header nav main article section aside div p span a h1 h2 h3 h4 h5 h6 ul ol li dl dt dd table thead tbody tr th td " +
		"code pre em strong del ins mark hr br q kbd time blockquote button label select option datalist textarea details summary dialog rect path noscript")
	own = map[string][]string{
		"script": {`script src="/page.js" defer`, `script src="/graph.js" defer`, `script src="/note.js" defer`}, "link": {`link rel="icon" href="/icon.svg"`, `link rel="stylesheet" href="/page.css"`},
		"svg": {`svg viewBox="0 0 16 16" aria-hidden="true"`, `svg id="Graph" tabindex="0"`}, "meta": {`meta charset="utf-8"`, `meta name="`},
		"form":  {`form method="post" action="/`, `form class="search" role="search" action="/"`, `form class="edit" method="post" action="/`, `form method="dialog"`},
		"input": {`input type="`, `input name="`},
	}
	handler = regexp.MustCompile(`(?i)\s(on\w+|style|srcdoc|background|formaction)\s*=`)
	leads   = regexp.MustCompile(`(?i)\s(href|src|action)\s*=\s*"?\s*(javascript|data|vbscript|file|//)`)
	quoted  = regexp.MustCompile(`(\s[\w-]+)="[^"]*"`)
)

// harmless looks at each tag of a view: no element that is not ours or Markdown's,
// no handler, and no link that runs something.
func harmless(t testing.TB, path, view string) {
	t.Helper()
	for _, tag := range strings.Split(view, "<")[1:] {
		tag, _, _ = strings.Cut(tag, ">")
		if strings.HasPrefix(tag, "/") {
			continue
		}
		word := strings.ToLower(strings.Fields(tag)[0])
		begins := func(with string) bool { return strings.HasPrefix(tag, with) }
		if !slices.Contains(known, word) && !slices.ContainsFunc(own[word], begins) {
			t.Errorf("%s holds <%s>", path, tag)
		}
		if leads.MatchString(tag) || handler.MatchString(quoted.ReplaceAllString(tag, "$1=")) {
			t.Errorf("%s holds the attributes of <%s>", path, tag)
		}
	}
}

// TestReadOnly: nothing is offered that changes something, and nothing changes.
func TestReadOnly(t *testing.T) {
	s := in(t, func(o *page.Options) { o.ReadOnly = true })
	id := s.note(blue.Draft{Title: "Deploys", Body: "On Fridays."})
	before := s.read(id)
	for _, path := range []string{"/new", "/edit/" + id, "/remove/" + id, "/restore/" + id, "/untrash/" + id, "/verify/" + id} {
		code, text := s.ask("POST", path, url.Values{"body": {"changed"}, "revision": {before.Revision}, "to": {before.Revision}})
		if code != http.StatusForbidden {
			t.Errorf("POST %s: %d", path, code)
		}
		has(t, text, "only shows notes")
	}
	for _, path := range []string{"/new", "/edit/" + id} {
		if code, _ := s.ask("GET", path, nil); code != http.StatusUnprocessableEntity {
			t.Errorf("GET %s: %d", path, code)
		}
	}
	for _, path := range []string{"/", "/notes/" + id + ".html", "/history/" + id, "/trash", "/review", "/why"} {
		view := s.get(path)
		hasNot(t, view, `method="post"`, "/new\"", "/edit/")
		has(t, view, "read-only")
	}
	if after := s.read(id); after.Revision != before.Revision || len(after.Revisions) != 0 {
		t.Errorf("the note is at %s, was at %s", after.Revision, before.Revision)
	}
}

// TestPortTaken: a port that another process has is named, with what to do.
func TestPortTaken(t *testing.T) {
	s := start(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.root, "http://"))
	number, err := strconv.Atoi(port)
	must(t, err)
	err = page.Serve(t.Context(), page.Options{Blue: s.b, Log: slog.New(slog.DiscardHandler), Call: s.call, Port: number})
	if !errors.Is(err, errors.Busy) || !strings.Contains(err.Error(), port) {
		t.Errorf("a taken port: %v", err)
	}
}
