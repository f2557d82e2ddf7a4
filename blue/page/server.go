package page

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

// Options configures [Serve].
type Options struct {
	Blue     *blue.Blue
	Log      *slog.Logger
	Call     blue.Call        // names the project, for every request
	Port     int              // 0 picks a free port
	ReadOnly bool             // disables changes
	Served   bool             // pages of `blue server`
	Ready    func(url string) // called with each link that opens the page: the first, and those that are asked for
	Again    <-chan struct{}  // asks for another link; may be nil
}

// server serves one page.
type server struct {
	o      Options
	port   string
	token  atomic.Pointer[string] // in the opening link, nil once that was used
	cookie http.Cookie
	views  *sync.Pool // of *views
	routes http.Handler
	chosen atomic.Pointer[blue.Call] // the project that the person has switched to, nil for the initial one

	find     func(r *http.Request) (*blue.Project, error) // finds the project of a request
	surround func(r *http.Request, f *frame)              // fills in the frame of a view
}

// switchPath switches to another project. It changes no notes, so read-only pages have it too.
const switchPath = "/switch"

// call names the current project: the one the person has switched to, or the initial one.
func (s *server) call() blue.Call {
	if c := s.chosen.Load(); c != nil {
		return *c
	}
	return s.o.Call
}

// maxForm is the size limit of a form in bytes. Percent-encoding can triple the size of a note.
const maxForm = 4 << 20

// screen is the response to a request: a view or a redirect.
type screen struct {
	view  string // name of the template, which the script also uses
	title string
	main  any    // data of the template
	code  int    // 0 is 200
	to    string // redirect target after a change

	titled func(id string) string // returns the title of a note, nil where no project is shown
}

// undo is a change of one note that can be taken back, after which the page of Back is shown.
type undo struct{ Name, Was, Now, Back string }

// changed returns the redirect to a path after a change of a note, with what takes it back.
func changed(to, name string, e result.Edited) screen {
	if e.Previous == "" {
		return screen{to: to}
	}
	path, query, _ := strings.Cut(to, "?")
	q, _ := url.ParseQuery(query) // made here
	q.Set("changed", name)
	q.Set("was", e.Previous)
	q.Set("now", e.Revision)
	return screen{to: path + "?" + q.Encode()}
}

// undoOf returns the change after which a page is shown, nil if there is none.
func (s *server) undoOf(r *http.Request) *undo {
	q := r.URL.Query()
	u := undo{Name: q.Get("changed"), Was: q.Get("was"), Now: q.Get("now"), Back: r.URL.EscapedPath()}
	if r.Method != http.MethodGet || s.o.ReadOnly || u.Name == "" || u.Was == "" || u.Now == "" {
		return nil
	}
	for _, name := range []string{"changed", "was", "now", "cursor"} {
		q.Del(name)
	}
	if len(q) > 0 {
		u.Back += "?" + q.Encode()
	}
	return &u
}

// backOr returns the page that a form names to go back to, or another path if it names none of this
// server.
func backOr(r *http.Request, path string) string {
	back := r.PostForm.Get("back")
	foreign := strings.HasPrefix(back, "//") || strings.ContainsFunc(back, func(c rune) bool { return c <= ' ' || c == '\\' })
	if strings.HasPrefix(back, "/") && !foreign {
		return back
	}
	return path
}

// viewFunc handles a request about a project.
type viewFunc func(r *http.Request, p *blue.Project) (screen, error)

// inProject returns a handler that finds the project and renders the view.
func (s *server) inProject(answer viewFunc) http.Handler {
	return s.failing(func(w http.ResponseWriter, r *http.Request) error {
		p, err := s.open(r)
		if err != nil {
			return err
		}
		stamp, err := p.Stamp(r.Context())
		if err != nil {
			return err
		}
		a, err := answer(r, p)
		switch {
		case err != nil:
			return err
		case a.to != "":
			http.Redirect(w, r, a.to, http.StatusSeeOther)
		default:
			a.titled = titledIn(p)
			s.render(w, r, a, p.About(), stamp)
		}
		return nil
	})
}

// failing returns a handler that shows the error of serve.
func (s *server) failing(serve func(w http.ResponseWriter, r *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := serve(w, r); err != nil {
			s.fail(w, r, 0, err)
		}
	}
}

// writeJSON writes a value as JSON.
func writeJSON(w http.ResponseWriter, value any) error {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // the client may be gone
	return nil
}

// open opens the project of a request. A form applies only to the project that its page showed.
func (s *server) open(r *http.Request) (*blue.Project, error) {
	if err := r.ParseForm(); err != nil {
		return nil, errors.TooLong("form", maxForm, maxForm, "bytes")
	}
	p, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if shown := r.PostForm.Get("project"); shown != "" && shown != p.Root() {
		return nil, errors.E(errors.Conflict, "this page shows the project at %s, and you have changed to %s since",
			errors.Quote(shown), errors.Quote(p.Root())).
			Hint("", "", "nothing was changed: go back to that project, and send it again")
	}
	return p, nil
}

// render writes a view inside the frame.
func (s *server) render(w http.ResponseWriter, r *http.Request, a screen, about result.About, stamp string) {
	f := frame{View: a.view, Title: a.title, Stamp: stamp, Project: about.Project, Warnings: about.Warnings, ReadOnly: s.o.ReadOnly, Main: a.main}
	if a.code == 0 {
		f.Undo = s.undoOf(r)
	}
	s.surround(r, &f)
	if theme := remembered(r, "blue-theme"); theme == "dark" || theme == "light" {
		f.Theme = theme
	}
	var page bytes.Buffer // buffered, so that a failing view writes nothing
	v := s.views.Get().(*views)
	v.base, v.served, v.root, v.titled = f.Base, s.o.Served, "", a.titled
	if f.Project != nil {
		v.root = f.Project.Root
	}
	if err := v.byName[a.view].Execute(&page, f); err != nil {
		panic(err) // a bug in the template; recoverPanic reports it
	}
	s.views.Put(v)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if a.code != 0 {
		w.WriteHeader(a.code)
	}
	_, _ = page.WriteTo(w) // the client may be gone
}

// remembered returns a choice that the script keeps in a cookie.
func remembered(r *http.Request, name string) string {
	c, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return c.Value
}

// fail shows an error. If code is 0 the status follows from the error's kind.
func (s *server) fail(w http.ResponseWriter, r *http.Request, code int, err error) {
	e := errors.Of(err)
	if s.o.Served && e.Kind == errors.Internal { // it may reveal paths of the server
		s.o.Log.Error("a page failed", "err", err)
		e = errors.E(errors.Internal, "internal error (logged)").Hint("", "", "tell the people who run the server")
	}
	if code == 0 {
		code = statusOf(e.Kind)
	}
	var about result.About
	if ref, ok := e.Project.(*result.Ref); ok {
		about.Project = ref
	}
	title := "Not possible"
	if e.Kind == errors.NotFound {
		title = "Nothing here"
	}
	stamp := string(e.Kind) // differs from the stamp of every project
	s.render(w, r, screen{view: "failed", title: title, code: code, main: e}, about, stamp)
}

// statusOf returns the HTTP status of a kind of error.
func statusOf(kind errors.Kind) int {
	switch kind {
	case errors.NotFound, errors.NoProject, errors.NotDetected, errors.BadMarker:
		return http.StatusNotFound
	case errors.Conflict, errors.Exists, errors.SeveralProjects:
		return http.StatusConflict
	case errors.Invalid, errors.BadPath, errors.SecretDetected, errors.HiddenText, errors.TooLarge:
		return http.StatusUnprocessableEntity
	case errors.UntrustedProject, errors.OutsideAllowedRoots, errors.Denied:
		return http.StatusForbidden
	case errors.Busy, errors.Timeout, errors.FSTimeout:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// unixLines converts CRLF line ends to LF.
func unixLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// linkUsed returns the error for a browser other than the one that used the link.
func linkUsed() *errors.Error {
	return errors.E(errors.Invalid, "this browser has not opened the link of this page, or another browser has used it").
		Hint("ui", "", "press Enter in the terminal of blue ui for a new link, or start it again")
}

// onlyShown returns the error for a change on a page started with --read-only.
func onlyShown() *errors.Error {
	return errors.E(errors.Invalid, "this page only shows notes").
		Hint("ui", "", "to change them, start it without --read-only")
}

// noView returns the error for a path without a page.
func noView(path string) *errors.Error {
	return errors.E(errors.NotFound, "there is nothing at %s", errors.Quote(path)).
		Hint("list", "", "see the notes")
}
