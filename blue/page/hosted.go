package page

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"blue/blue"
	"blue/blue/result"
	hosts "blue/blue/server"
	"blue/errors"
	"blue/marker"
)

// HostedOptions configures the pages of a server.
type HostedOptions struct {
	Host   *hosts.Server
	Blue   *blue.Blue
	Log    *slog.Logger
	URL    string // public URL of the server; the path is ignored
	Issuer string // URL of the OIDC issuer
	Client string // OAuth client ID
	Secret string // OAuth client secret
}

// Hosted shows the projects of a server to members who log in at an OIDC issuer. It is stateless:
// any replica answers any request.
type Hosted struct{ logins }

// NewHosted returns the pages of a server.
func NewHosted(o HostedOptions) (*Hosted, error) {
	u, err := url.Parse(o.URL)
	if err != nil {
		return nil, errors.BadValue("audience", o.URL, "a URL")
	}
	sealed, err := newSeal(o.Secret, o.Issuer+"\x00"+o.Client, u.Scheme == "https")
	if err != nil {
		return nil, err
	}
	s := &server{o: Options{Blue: o.Blue, Log: o.Log, ReadOnly: true, Served: true}}
	h := &Hosted{logins{server: s, host: o.Host, seal: sealed, outside: u.Scheme + "://" + u.Host}}
	h.views, h.find, h.surround = newViews(), h.findServed, h.surroundServed
	h.routes = h.makeHostedRoutes()
	return h, nil
}

func (h *Hosted) makeHostedRoutes() http.Handler {
	members := http.NewServeMux()
	h.members = members
	members.Handle("GET "+hostedPath+"/{$}", h.failing(h.projects))
	members.Handle("GET "+hostedPath, http.RedirectHandler(hostedPath+"/", http.StatusSeeOther))
	h.addViews(members, hostedPath+"/{project}")
	all := http.NewServeMux()
	addFiles(all, hostedPath)
	all.HandleFunc("GET "+loginPath, h.login)
	all.HandleFunc("GET "+callbackPath, h.callback)
	all.HandleFunc("GET "+logoutPath, h.loggedOut)
	all.HandleFunc("POST "+logoutPath, h.logout)
	all.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if _, ok := h.personOf(r); !ok {
			h.askLogin(w, r)
			return
		}
		members.ServeHTTP(w, r)
	})
	return all
}

// Serves reports whether a path is one of these pages.
func (h *Hosted) Serves(path string) bool {
	switch path {
	case loginPath, callbackPath, logoutPath, hostedPath:
		return true
	}
	return strings.HasPrefix(path, hostedPath+"/")
}

// User returns the user whose limits apply to a request, or "" if it is not known.
func (h *Hosted) User(r *http.Request) string {
	p, _ := h.personOf(r)
	return p.Subject
}

// ServeHTTP serves top-level navigations and requests of our own pages. The caller has checked Host
// and Origin.
func (h *Hosted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range securityHeaders {
		w.Header().Set(name, value)
	}
	w.Header().Set("Referrer-Policy", "same-origin") // otherwise the logout form would send no Origin
	defer h.recoverPanic(w, r)
	if !comesFromWindow(r) {
		h.fail(w, r, http.StatusForbidden, errors.E(errors.Denied, "a page of another site asks for this").
			Hint("", "", "paste the link into the address bar"))
		return
	}
	h.routes.ServeHTTP(w, r)
}

// comesFromWindow reports whether a request comes from one of our pages or is a top-level
// navigation: a link of another site may lead here, and its pages load nothing of ours.
func comesFromWindow(r *http.Request) bool {
	site, origins := r.Header["Sec-Fetch-Site"], r.Header["Origin"]
	switch {
	case len(site) > 1 || len(origins) > 1:
		return false
	case len(site) == 1 && site[0] == "same-origin":
		return true
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return len(site) == 0 && len(origins) == 1
	}
	return len(site) == 0 || site[0] == "none" || r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// identity returns the person of a request.
func (h *Hosted) identity(r *http.Request) hosts.Identity {
	p, _ := h.personOf(r)
	return hosts.Identity{Subject: p.Subject, Groups: p.Groups}
}

// onPage is the number of projects on one page of the list.
const onPage = 100

// projectsView is one page of the projects that a person may read.
type projectsView struct {
	Names []string
	Part  string // substring of the names
	After string // last name of the previous page
	Next  string // last name of this page; empty if there is no next page
}

// projects lists the projects that the person may read.
func (h *Hosted) projects(w http.ResponseWriter, r *http.Request) error {
	v := projectsView{Part: r.FormValue("q"), After: r.FormValue("after")}
	c, err := h.host.Recognize(r.Context(), h.identity(r), hosts.Look{Part: v.Part, After: v.After, Most: onPage + 1})
	if err != nil {
		return err
	}
	if v.Names = c.Projects(); len(v.Names) > onPage {
		v.Names = v.Names[:onPage]
		v.Next = v.Names[onPage-1]
	}
	h.render(w, r, screen{view: "projects", title: "Projects", main: v}, result.About{}, "")
	return nil
}

// findServed finds the project that a path names. A project that the person may not read counts as
// missing.
func (h *Hosted) findServed(r *http.Request) (*blue.Project, error) {
	name := r.PathValue("project")
	c, err := h.host.Recognize(r.Context(), h.identity(r), hosts.Look{Named: name})
	if err != nil {
		return nil, err
	}
	p, err := h.host.Open(r.Context(), blue.Asked{Caller: c, Names: []blue.NamedProject{{Source: marker.Query, Value: name}}, Client: "blue page"})
	if errors.Is(err, errors.NotDetected) {
		err = errors.E(errors.NotFound, "no project %s here", errors.Quote(name)).Hint("list", "", "see your projects")
	}
	return p, err
}

// surroundServed adds the name of the person. Hosted pages are not live.
func (h *Hosted) surroundServed(r *http.Request, f *frame) {
	p, _ := h.personOf(r)
	f.Person, f.Stamp, f.Base = p.Subject, "", hostedPath
	if name := r.PathValue("project"); name != "" {
		f.Base += "/" + url.PathEscape(name)
	}
}
