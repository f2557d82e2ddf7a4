package page

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"blue/errors"
)

// securityHeaders are set on every response. The content policy restricts loading to this server,
// so a note cannot make a browser fetch anything else.
var securityHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
		"frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cache-Control":                "no-store",
}

// ServeHTTP admits requests that the person's own browser makes from our pages. For every
// method it checks the Host and the origin first, then the cookie.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range securityHeaders {
		w.Header().Set(name, value)
	}
	defer s.recoverPanic(w, r)
	repeated := errors.Repeated(r.URL.RawQuery)
	switch {
	case !s.isOwnHost(r.Host) || !s.isOwnOrigin(r):
		http.Error(w, "Forbidden: this is not a request of the page itself. Paste the link into the address bar.", http.StatusForbidden)
	case repeated != nil:
		s.fail(w, r, http.StatusBadRequest, repeated)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		s.exchangeToken(w, r)
	case !s.hasCookie(r) && r.URL.Path != "/page.css":
		s.fail(w, r, http.StatusUnauthorized, linkUsed())
	case s.o.ReadOnly && r.Method != http.MethodGet && r.Method != http.MethodHead && r.URL.Path != switchPath:
		s.fail(w, r, http.StatusForbidden, onlyShown())
	default:
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		s.routes.ServeHTTP(w, r)
	}
}

// isOwnHost reports whether the Host header names this server. It rejects other names that resolve
// to it (DNS rebinding).
func (s *server) isOwnHost(host string) bool {
	switch strings.ToLower(host) {
	case "127.0.0.1:" + s.port, "localhost:" + s.port:
		return true
	}
	return s.port == "80" && s.isOwnHost(host+":80")
}

// isOwnOrigin reports whether a request comes from one of our pages or, if it changes nothing, was
// typed by the person. Pages on other ports of this machine are foreign. If a form's Origin is
// "null", which it is as our pages send no referrer, Sec-Fetch-Site decides.
func (s *server) isOwnOrigin(r *http.Request) bool {
	site, origins := r.Header["Sec-Fetch-Site"], r.Header["Origin"]
	if len(site) > 1 || len(origins) > 1 {
		return false
	}
	own := len(site) == 1 && site[0] == "same-origin"
	if len(origins) == 1 {
		host, ok := strings.CutPrefix(origins[0], "http://")
		return (len(site) == 0 || own) && ok && s.isOwnHost(host) || own && origins[0] == "null"
	}
	asks := r.Method == http.MethodGet || r.Method == http.MethodHead
	return own || asks && (len(site) == 0 || site[0] == "none")
}

// exchangeToken sets the cookie in the first browser that presents the token and redirects to a URL
// without it: that of a note if the link names one.
func (s *server) exchangeToken(w http.ResponseWriter, r *http.Request) {
	token, target := s.token.Load(), "/"
	if id := r.URL.Query().Get("note"); id != "" {
		target = "/notes/" + url.PathEscape(id)
	}
	switch {
	case r.Method != http.MethodGet:
		s.fail(w, r, http.StatusUnauthorized, linkUsed()) // a HEAD request does not use up the link
	case token != nil && equalSecrets(r.URL.Query().Get("token"), *token) && s.token.CompareAndSwap(token, nil):
		http.SetCookie(w, &s.cookie)
		http.Redirect(w, r, target, http.StatusSeeOther)
	case s.hasCookie(r):
		http.Redirect(w, r, target, http.StatusSeeOther)
	default:
		s.fail(w, r, http.StatusUnauthorized, linkUsed())
	}
}

func (s *server) hasCookie(r *http.Request) bool {
	sent, err := r.Cookie(s.cookie.Name)
	return err == nil && equalSecrets(sent.Value, s.cookie.Value)
}

func equalSecrets(given, want string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// recoverPanic answers with an error after a handler panicked and reopens the projects.
func (s *server) recoverPanic(w http.ResponseWriter, r *http.Request) {
	fault := recover()
	if fault == nil || fault == http.ErrAbortHandler {
		return
	}
	s.o.Log.Error("a page failed", "path", r.URL.Path, "fault", fault, "stack", string(debug.Stack()))
	s.o.Blue.Forget()
	http.Error(w, "internal error: look at the terminal where blue ui runs", http.StatusInternalServerError)
}
