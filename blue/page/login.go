package page

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"blue/blue/result"
	hosts "blue/blue/server"
	"blue/errors"
)

const (
	hostedPath   = "/projects" // the list of projects, without the trailing slash
	loginPath    = "/login"
	callbackPath = "/login/callback"
	logoutPath   = "/logout"

	loginTime   = 10 * time.Minute // time limit of a login at the issuer
	personTime  = time.Hour        // lifetime of a login
	personBytes = 2900             // of subject and groups: sealed they must fit into 4096 bytes
)

// logins implements the login at an issuer. It is stateless.
type logins struct {
	*server
	host    *hosts.Server
	members *http.ServeMux // pages that need a login
	seal    seal
	outside string // public scheme and host of the server
}

// attempt is a login in progress. Its cookie is named after the OAuth state, so only the browser
// that began the login can finish it.
type attempt struct {
	hosts.Login
	Next string // the path requested before the login
}

// person is a logged-in user, kept in a cookie only.
type person struct {
	Subject string
	Groups  []string
}

// Cookie names; an attempt's name is followed by its state.
const (
	personCookie  = "person"
	attemptCookie = "login-"
)

// personOf returns the user of a request's cookie.
func (l *logins) personOf(r *http.Request) (p person, ok bool) {
	if !l.seal.read(r, personCookie, &p) {
		return person{}, false
	}
	return p, true
}

// login redirects the browser to the issuer.
func (l *logins) login(w http.ResponseWriter, r *http.Request) {
	a := attempt{Next: l.ownPath(r.URL.Query().Get("next"))}
	a.Login = hosts.Login{State: rand.Text(), Nonce: rand.Text(), Verifier: rand.Text() + rand.Text(), Redirect: l.outside + callbackPath}
	to, err := l.host.Issuer().LoginURL(r.Context(), a.Login)
	if err != nil {
		l.refuseLogin(w, r, err)
		return
	}
	l.seal.put(w, attemptCookie+a.State, a, loginTime)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// longestPath is the size limit, in bytes, of a path that the cookie of a login keeps.
const longestPath = 1 << 10

// ownPath returns next if the server has a page at that path, and the list of projects otherwise.
// It refuses paths that browsers and net/url read differently: those with backslashes, dot
// segments, empty segments or control characters.
func (l *logins) ownPath(next string) string {
	start := hostedPath + "/"
	u, err := url.Parse(next)
	if err != nil || len(next) > longestPath || u.Scheme != "" || u.Host != "" || u.Fragment != "" {
		return start
	}
	if path.Clean("/"+u.Path) != strings.TrimSuffix(u.Path, "/") || strings.Contains(u.Path, `\`) || errors.Visible(u.Path) != u.Path {
		return start
	}
	own := &url.URL{Path: u.Path, RawPath: u.RawPath, RawQuery: u.RawQuery}
	if _, route := l.members.Handler(&http.Request{Method: http.MethodGet, URL: own}); !strings.HasPrefix(route, http.MethodGet+" ") {
		return start
	}
	return own.String()
}

// callback completes a login with the claims of the issuer's token.
func (l *logins) callback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var a attempt
	if !l.seal.read(r, attemptCookie+q.Get("state"), &a) {
		l.refuseLogin(w, r,
			errors.E(errors.Invalid, "this login was not begun in this browser, or more than 10 minutes ago").
				Hint("", "", "log in from here"))
		return
	}
	l.seal.end(w, attemptCookie+a.State)
	if fault := q.Get("error"); fault != "" {
		l.refuseLogin(w, r, errors.E(errors.Denied, "the login was refused: %s",
			errors.Quote(strings.TrimSpace(fault+" "+q.Get("error_description")))).Hint("", "", loginHint))
		return
	}
	id, err := l.host.Issuer().Redeem(r.Context(), a.Login, q.Get("code"), q.Get("iss"))
	if err != nil {
		l.refuseLogin(w, r, err)
		return
	}
	p := person{id.Subject, id.Groups}
	for text, _ := json.Marshal(p); len(text) > personBytes && len(p.Groups) > 0; text, _ = json.Marshal(p) {
		p.Groups = p.Groups[:len(p.Groups)-1]
	}
	l.o.Log.Info("logged in", "subject", p.Subject, "groups", len(p.Groups), "groups_left_out", len(id.Groups)-len(p.Groups))
	l.seal.put(w, personCookie, p, personTime)
	http.Redirect(w, r, a.Next, http.StatusSeeOther)
}

const loginHint = "log in again, or ask the people who run the server"

// refuseLogin denies a login. The reason is logged but not shown.
func (l *logins) refuseLogin(w http.ResponseWriter, r *http.Request, err error) {
	e := errors.Of(err)
	attrs := []any{"reason", errors.Cut(errors.Visible(e.Message), 300)}
	if e.Err != nil {
		attrs = append(attrs, "cause", errors.Cut(errors.Visible(e.Err.Error()), 300))
	}
	l.o.Log.Info("login refused", attrs...)
	if e.Kind == errors.Denied && r.URL.Query().Get("error") == "" {
		err = errors.E(errors.Denied, "the login was refused").Hint("", "", loginHint)
	}
	l.fail(w, r, 0, err)
}

// logout deletes the login cookie.
func (l *logins) logout(w http.ResponseWriter, r *http.Request) {
	if p, ok := l.personOf(r); ok {
		l.o.Log.Info("logged out", "subject", p.Subject)
	}
	l.seal.end(w, personCookie)
	http.Redirect(w, r, logoutPath, http.StatusSeeOther)
}

// loggedOut shows the page after a logout.
func (l *logins) loggedOut(w http.ResponseWriter, r *http.Request) {
	if _, ok := l.personOf(r); ok {
		http.Redirect(w, r, hostedPath+"/", http.StatusSeeOther)
		return
	}
	l.render(w, r, screen{view: "projects", title: "Logged out"}, result.About{}, "")
}

// askLogin redirects to the login, which returns to the requested page. It rejects requests of
// scripts: a script cannot follow the redirect to the issuer, and reloads its page instead.
func (l *logins) askLogin(w http.ResponseWriter, r *http.Request) {
	if mode := r.Header.Get("Sec-Fetch-Mode"); mode != "" && mode != "navigate" {
		l.fail(w, r, http.StatusUnauthorized, errors.E(errors.Denied, "nobody has logged in here").
			Hint("", "", "log in, and look again"))
		return
	}
	http.Redirect(w, r, loginPath+"?"+url.Values{"next": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
}

// seal makes encrypted and authenticated cookies. Replicas derive the same key from a shared
// secret.
type seal struct {
	aead   cipher.AEAD
	prefix string // prefix of cookie names
	secure bool   // sets the Secure attribute and the __Host- prefix
}

// newSeal derives a seal from a secret for one purpose.
func newSeal(secret, purpose string, secure bool) (seal, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "cookies of Blue\x00"+purpose, 32)
	if err != nil {
		return seal{}, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return seal{}, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return seal{aead, map[bool]string{true: "__Host-blue-", false: "blue-"}[secure], secure}, err
}

// cookie returns a cookie with our attributes.
func (s seal) cookie(name, value string, lasts time.Duration) *http.Cookie {
	return &http.Cookie{
		Name: s.prefix + name, Value: value, Path: "/", MaxAge: int(lasts / time.Second), HttpOnly: true, Secure: s.secure, SameSite: http.SameSiteLaxMode,
	}
}

// content is the value of a cookie with its expiry in Unix seconds.
type content struct {
	Holds any
	Until int64
}

// put sets a cookie that holds a value.
func (s seal) put(w http.ResponseWriter, name string, holds any, lasts time.Duration) {
	text, _ := json.Marshal(content{holds, time.Now().Add(lasts).Unix()}) // cannot fail: strings and numbers only
	sealed := s.aead.Seal(nil, nil, text, []byte(s.prefix+name))
	http.SetCookie(w, s.cookie(name, base64.RawURLEncoding.EncodeToString(sealed), lasts))
}

// end deletes a cookie.
func (s seal) end(w http.ResponseWriter, name string) {
	http.SetCookie(w, s.cookie(name, "", -time.Second))
}

// read decrypts a cookie. It reports false for a cookie that is missing, expired, forged or sealed
// for another name.
func (s seal) read(r *http.Request, name string, holds any) bool {
	sent, err := r.Cookie(s.prefix + name)
	if err != nil {
		return false
	}
	sealed, err := base64.RawURLEncoding.DecodeString(sent.Value)
	if err != nil {
		return false
	}
	text, err := s.aead.Open(nil, nil, sealed, []byte(s.prefix+name))
	c := content{Holds: holds}
	return err == nil && json.Unmarshal(text, &c) == nil && time.Now().Unix() < c.Until
}
