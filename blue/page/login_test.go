package page

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"blue/fixtures"

	hosts "blue/blue/server"
	"blue/fixtures/issuer"
)

const outside = "http://127.0.0.1:7865"

// newLogins makes pages whose people log in at an issuer; there is no database.
func newLogins(t *testing.T) (*Hosted, *issuer.Issuer) {
	t.Helper()
	from := issuer.New(t)
	from.LogIn(issuer.Person{Client: "blue", Secret: "a-secret-of-the-client", Subject: "ann"})
	host, err := hosts.Open(t.Context(), hosts.Options{
		Store:  "postgres://blue@127.0.0.1:1/none",
		Log:    slog.New(slog.DiscardHandler),
		Issuer: hosts.Issuer{URL: from.URL, Audience: outside + "/mcp", Subject: "sub", Groups: "groups", Client: "blue", Secret: "a-secret-of-the-client"},
	})
	must(t, err)
	t.Cleanup(host.Close)
	h, err := NewHosted(HostedOptions{Host: host, Log: slog.New(slog.DiscardHandler), URL: outside + "/mcp", Issuer: from.URL, Client: "blue", Secret: "a-secret-of-the-client"})
	must(t, err)
	return h, from
}

// logIn goes to the issuer and back, and returns where the browser is sent then.
func logIn(t *testing.T, h *Hosted, query string) (location string) {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, loginPath+"?"+query, nil))
	once := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := once.Get(w.Header().Get("Location"))
	must(t, err)
	answer.Body.Close()
	back, err := answer.Location()
	must(t, err)
	r := httptest.NewRequest(http.MethodGet, back.RequestURI(), nil)
	r.AddCookie(w.Result().Cookies()[0])
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusSeeOther || len(w.Result().Cookies()) != 2 {
		t.Fatalf("%s: the login ends with %d %v", query, w.Code, w.Header())
	}
	return w.Header().Get("Location")
}

// hostileNext are values of the parameter next that name no page of the server, as they are
// after the query was decoded.
var hostileNext = []string{
	`/projects/../\evil.example`, `/projects/..\evil.example`, `/projects/..\\evil.example`, `/projects/\..\..\evil.example`, `/projects/x/../../\evil.example`,
	`/projects/./../\evil.example`, `/projects/.././\/evil.example`, `/projects/../\/evil.example`, `/projects/../\\evil.example`, `/projects/..//\evil.example`,
	`/projects/../ \evil.example`, `/projects/../\@evil.example`, `/projects/../\user:pass@evil.example:8080/`, `/projects/../\evil.example?x=1`, `/projects/../\evil.example#x`,
	`/projects/..//evil.example`, `/projects/../../evil.example`, `/projects/..///evil.example`, `/projects/.././/evil.example`, `/projects/%2e%2e/%5Cevil.example`,
	`/projects/.%2e/\evil.example`, `/projects/%2e./\evil.example`, `/projects/%2E%2E/%2Fevil.example`, `/projects/..%2f%2fevil.example`, `/projects/..%5cevil.example`,
	`/projects/..%5C%5Cevil.example`, `/projects/%2e%2e%5cevil.example`, `/projects/%5C..%5C..%5Cevil.example`, `/projects/%5C%5Cevil.example/`, `/projects/\evil.example/`,
	"/projects/..\t/\\evil.example", "/projects/.\t./\\evil.example", "/projects/..\n/\\evil.example", "/projects/..\r\n/\\evil.example", "/\t/evil.example",
	"/\n/evil.example", "/\r/evil.example", "/projects/\x00/../\\evil.example", "/projects/%00/", "/projects/%0d%0aLocation:%20https://evil.example/",
	"/projects/\r\nLocation: https://evil.example", "/projects/%0a/", "/projects/%09/", "\t//evil.example", " //evil.example",
	"//evil.example", "//evil.example/projects/", "///evil.example", "////evil.example/projects/", "/\\evil.example",
	"\\/evil.example", "\\\\evil.example", "/\\/evil.example", "/\\\\evil.example/projects/", "//evil.example\\@127.0.0.1:7865/projects/",
	"//127.0.0.1:7865@evil.example/projects/", "//127.0.0.1:7865/projects/", "//user:pass@127.0.0.1:7865/projects/", "https://evil.example", "https:evil.example",
	"https:/evil.example/projects/", "https:///evil.example", "http:evil.example", "HTTPS://EVIL.EXAMPLE/projects/", "http://127.0.0.1:7865/projects/",
	"http://127.0.0.1:7865@evil.example/projects/", "http://127.0.0.1:1/projects/", "javascript:alert(1)", "JaVaScRiPt:alert(1)//projects/", "java\tscript:alert(1)",
	"\x01javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:msgbox(1)", "file:///projects/", "blob:https://evil.example/projects/",
	"//evil.example/projects/shop/", "https://evil.example/projects/shop/", "https:/projects/shop/", "/projects/shop/#x", "mailto:ann@evil.example", "projects/", "./projects/", "../projects/", "evil.example",
	"?next=/projects/", "#/projects/", "/projects/#//evil.example", "/projects/..;/\\evil.example", "/projects/..%00/\\evil.example",
	"/projects/..%252f..%252f%255Cevil.example/..", "/projects/..\u2215evil.example/../..", "/projects/\uff0f\uff0fevil.example/../..", "/\u2215/evil.example", "\uff0f\uff0fevil.example",
	"/\uff0fevil.example", "/projects/\u202eelpmaxe.live/", "/projects/shop//evil.example", "/projects//evil.example", "/projects/shop/../../..//evil.example",
	"/login", "/login?next=//evil.example", "/logout", "/login/callback?code=x", "/mcp",
	"/health", "/metrics", "/", "/project", "/projectsevil.example",
	"/projects.evil.example/", "/projects@evil.example", "/projects:80@evil.example/", "/projects/shop/review", "/projects/shop/edit/x",
	"/projects/shop/notes/", "/projects/shop/notes/x/y", "/projects/shop/nothing", "/projects/%", "/projects/%zz/",
	"/projects/" + strings.Repeat("x", 2000) + "/", "/projects/" + strings.Repeat("../", 300) + "\\evil.example", "/" + strings.Repeat("/", 200) + "evil.example", "", "/projects/\xff\xfe/",
}

// After a login a browser is sent to a page of this server, whatever the link said.
func TestNext(t *testing.T) {
	h, _ := newLogins(t)
	for _, next := range hostileNext {
		location := logIn(t, h, url.Values{"next": {next}}.Encode())
		if location != hostedPath+"/" || !staysHere(location) {
			t.Errorf("next=%q leads to %q", next, location)
		}
	}
	// Spellings of the query itself, where a parser decides what the value is.
	for _, query := range []string{
		"next=/projects/../%5Cevil.example", "next=/projects/..%2F%5cevil.example", "next=%2Fprojects%2F..%2F%5C%5Cevil.example", "next=/projects/../%5Cevil.example;x=y",
		"Next=//evil.example", "next[]=//evil.example", "next%00=//evil.example", "next=%", "next=/projects/%2e%2e/%255Cevil.example", "url=//evil.example", "",
	} {
		if location := logIn(t, h, query); location != hostedPath+"/" {
			t.Errorf("%s leads to %q", query, location)
		}
	}
	for next, want := range map[string]string{
		"/projects": "", "/projects/": "", "/projects/shop": "", "/projects/shop/": "", "/projects/shop/?q=a+b&tag=c%2Fd": "", "/projects/shop/notes/x.html": "", "/projects/shop/?q=//evil.example": "",
		"/projects/shop/notes/private%2Fx.html": "", "/projects/shop/history/x?to=1": "", "/projects/shop/graph": "", "/projects/shop/trash": "", "/projects/shop/activity?author=ann": "",
		"/projects/проект/": "/projects/%D0%BF%D1%80%D0%BE%D0%B5%D0%BA%D1%82/", "/projects/two words/": "/projects/two%20words/",
	} {
		if want == "" {
			want = next
		}
		if location := logIn(t, h, url.Values{"next": {next}}.Encode()); location != want || !staysHere(location) {
			t.Errorf("next=%q leads to %q, want %q", next, location, want)
		}
	}
}

// Nothing that a browser can ask for, logged in or not, is answered with a way to
// another place than this server and the issuer.
func TestRedirects(t *testing.T) {
	h, from := newLogins(t)
	w := httptest.NewRecorder()
	h.seal.put(w, personCookie, person{Subject: "ann"}, personTime)
	known := w.Result().Cookies()[0]
	for _, path := range hostileNext {
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost} {
			for _, cookie := range []*http.Cookie{known, {Name: "none", Value: "x"}} {
				r := httptest.NewRequest(method, outside+"/", nil)
				r.URL = &url.URL{Path: path}
				if u, err := url.ParseRequestURI(path); err == nil {
					r.URL = u
				}
				r.Header.Set("Sec-Fetch-Site", "same-origin")
				r.AddCookie(cookie)
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				to := w.Header().Get("Location")
				if to != "" && !staysHere(to) && !strings.HasPrefix(to, from.URL+"/authorize?") || w.Header().Get("Refresh") != "" {
					t.Errorf("%s %q leads to %q", method, path, to)
				}
			}
		}
	}
}

// What the reader of URLs below makes of those that are known to mislead others.
func TestStaysHere(t *testing.T) {
	for location, want := range map[string]bool{
		"/projects/": true, "projects": true, "?x": true, "": true, "/a\\..\\b": true, "http:/x": true, "http:x": true, "http://127.0.0.1:7865/x": true, "http://evil@127.0.0.1:7865/": true, "/x//evil.example": true,
		"//evil.example": false, `/\evil.example`: false, `\\evil.example`: false, "/\t/evil.example": false, "\n//evil.example": false, "https:evil.example": false, "http:///evil.example": false,
		"http://127.0.0.1:7865@evil.example": false, "http://127.0.0.1:1/": false, "java\nscript:alert(1)": false, "//127.0.0.1:7865\\@evil.example": true, "https://127.0.0.1:7865/": false, " javascript:x": false,
	} {
		if staysHere(location) != want {
			t.Errorf("%q stays here: %v", location, !want)
		}
	}
}

var schemeFirst = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)

// staysHere reports whether a browser that is sent on from a page of ours stays at our origin.
// It reads the URL as browsers do (https://url.spec.whatwg.org): tabs and line ends are left
// out, a backslash is a slash, and any number of slashes behind a scheme begins a host.
func staysHere(location string) bool {
	text := strings.TrimFunc(location, func(c rune) bool { return c <= ' ' })
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(text)
	if scheme := strings.ToLower(schemeFirst.FindString(text)); scheme != "" {
		if text = text[len(scheme):]; scheme != "http:" {
			return false
		}
		if strings.HasPrefix(text, "//") {
			text = "//" + strings.TrimLeft(text, "/")
		}
	}
	rest, ok := strings.CutPrefix(text, "//")
	if !ok {
		return true
	}
	authority := strings.TrimLeft(rest, "/")
	if at := strings.IndexAny(authority, "/?#"); at >= 0 {
		authority = authority[:at]
	}
	return authority[strings.LastIndexByte(authority, '@')+1:] == strings.TrimPrefix(outside, "http://")
}

var must = fixtures.Must
