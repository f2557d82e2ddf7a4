// Package page serves the notes of a project to a browser on this machine and lets a person edit
// them.
//
// [Serve] listens on loopback only. A browser gets access through a link that is made at the start, or
// asked for later, and works once (guard.go). Each request detects the project again from the same candidates and
// calls one verb of package blue. The views are the files of templates/. Scripts are optional
// except for the drawing of the graph. No page makes a browser contact another machine.
//
// [Hosted] serves the same views read-only for `blue server`. People log in at an OIDC issuer
// (login.go), and each request is authorized on its own.
package page

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Timeouts and size limits of the server.
const (
	headerTime = 5 * time.Second
	idleTime   = 120 * time.Second
	stopTime   = 2 * time.Second
	maxHeader  = 64 << 10
)

// Serve serves the page until ctx is done. If the port is taken, the error's kind is Busy.
func Serve(ctx context.Context, o Options) error {
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return errors.E(errors.Busy, "listening on 127.0.0.1:%d: %w", o.Port, err).
			Hint("ui", "", "without --port the system chooses a free one")
	}
	s := newServer(o, listener.Addr().(*net.TCPAddr).Port)
	h := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends event streams with ctx
	}
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(listener) }()
	o.Ready(s.newLink())
	for ctx.Err() == nil {
		select {
		case err := <-failed:
			return fmt.Errorf("serving: %w", err)
		case <-o.Again:
			o.Ready(s.newLink())
		case <-ctx.Done():
		}
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if h.Shutdown(limit) != nil {
		_ = h.Close() // cut off requests that are still running
	}
	return nil
}

func newServer(o Options, port int) *server {
	o.Call.Serving = true
	s := &server{o: o, port: strconv.Itoa(port)}
	s.views, s.surround = newViews(), s.surroundHere
	s.find = func(r *http.Request) (*blue.Project, error) { return o.Blue.Open(r.Context(), s.call()) }
	s.cookie = http.Cookie{ // browsers send cookies to every port of a host, so the name includes ours
		Name: "blue-" + s.port, Value: rand.Text(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
	s.routes = s.makeRoutes()
	return s
}

// newLink returns a link that lets one browser in. It takes the place of one that was not used.
func (s *server) newLink() string {
	token := rand.Text()
	s.token.Store(&token)
	return "http://127.0.0.1:" + s.port + "/?token=" + token
}

func (s *server) makeRoutes() http.Handler {
	mux := http.NewServeMux()
	s.addViews(mux, "")
	for path, view := range map[string]viewFunc{"/review": s.review, "/stats": s.stats, "/new": s.write, "/edit/{file}": s.edit, "/resolve/{file}": s.conflict, "/documents/{path...}": s.documents} {
		mux.Handle("GET "+path, s.inProject(view))
	}
	for path, change := range map[string]viewFunc{
		"/new": s.write, "/decide": s.decide, "/untrash/{file}": s.untrash, "/trust": s.trust, "/resolve/{file}": s.resolve,
		"/edit/{file}": ofRevision(s.edit), "/check/{file}": ofRevision(s.check), "/restore/{file}": ofRevision(s.restore),
		"/verify/{file}": ofRevision(s.verify), "/remove/{file}": ofRevision(s.remove), "/status/{file}": ofRevision(s.setStatus),
	} {
		mux.Handle("POST "+path, s.inProject(change))
	}
	mux.Handle("POST "+switchPath, s.failing(s.switchProject))
	mux.Handle("POST /preview", s.failing(s.preview))
	mux.Handle("GET /why", s.failing(s.why))
	mux.HandleFunc("GET /events", s.events)
	return mux
}

// ofRevision returns a change that is refused unless the form names the revision that was shown:
// without it, a change of others since would be lost.
func ofRevision(change viewFunc) viewFunc {
	return func(r *http.Request, p *blue.Project) (screen, error) {
		if r.PostFormValue("revision") == "" {
			return screen{}, errors.BadValue("revision", "", "that of the note that was shown: load the page again")
		}
		return change(r, p)
	}
}

// addViews adds the read-only views below a path.
func (s *server) addViews(mux *http.ServeMux, below string) {
	addFiles(mux, below)
	for path, view := range map[string]viewFunc{
		"/{$}": s.list, "/notes/{file}": s.read, "/history/{file}": s.history, "/trash": s.trash, "/graph": s.graph, "/activity": s.activity,
	} {
		mux.Handle("GET "+below+path, s.inProject(view))
	}
	mux.Handle("GET "+below+"/graph.json", s.failing(s.graphLinks))
	mux.Handle("GET "+below+"/titles", s.failing(s.titles))
	mux.Handle(below+"/", s.inProject(func(r *http.Request, _ *blue.Project) (screen, error) {
		return screen{}, noView(r.URL.Path)
	}))
}

// addFiles adds the static files of the views below a path.
func addFiles(mux *http.ServeMux, below string) {
	for name, kind := range map[string]string{
		"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "graph.js": "text/javascript; charset=utf-8", "note.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
	} {
		text, _ := files.ReadFile(name) // embedded: reading cannot fail
		mux.HandleFunc("GET "+below+"/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(text) // the client may be gone
		})
	}
}

// switchProject switches to another project that this user has opened.
func (s *server) switchProject(w http.ResponseWriter, r *http.Request) error {
	root := r.PostFormValue("root")
	if !slices.ContainsFunc(s.o.Blue.KnownProjects(), func(k result.Known) bool { return k.Root == root }) {
		return noView(root)
	}
	c := s.o.Call
	c.Cwd, c.From = root, slices.Values([]marker.Candidate{{Source: marker.Known, Value: root}})
	if _, err := s.o.Blue.Open(r.Context(), c); err != nil {
		return err
	}
	s.chosen.Store(&c)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// surroundHere adds the projects that the person can switch to.
func (s *server) surroundHere(_ *http.Request, f *frame) {
	if f.Project != nil {
		f.Others = slices.DeleteFunc(s.o.Blue.KnownProjects(), func(k result.Known) bool { return k.Root == f.Project.Root })
	}
}

// pollTime is how often an open page checks for changed notes. A check reads the kernel's change
// events or, without them, lists the directory.
const pollTime = 300 * time.Millisecond

// quietTime is the interval of keep-alive messages, by which each side notices that the other is
// gone.
const quietTime = 20 * time.Second

// stamp returns a value that changes whenever the pages would show something else.
func (s *server) stamp(ctx context.Context) string {
	p, err := s.o.Blue.Open(ctx, s.call())
	if err == nil {
		var stamp string
		if stamp, err = p.Stamp(ctx); err == nil {
			return stamp
		}
	}
	return string(errors.Of(err).Kind)
}

// events streams the stamp of the notes each time it differs from that of the page.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	shown := r.Header.Get("Last-Event-ID")
	if shown == "" {
		shown = r.URL.Query().Get("stamp")
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	said := time.Time{}
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		switch now := s.stamp(r.Context()); {
		case now != shown:
			fmt.Fprintf(w, "id: %s\ndata: %s\n\n", now, now)
			shown, said = now, time.Now()
		case time.Since(said) > quietTime:
			fmt.Fprint(w, ":\n\n")
			said = time.Now()
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}
