package page

import (
	"bytes"
	"net/http"
	"strings"

	"blue/blue"
	"blue/errors"
)

// maxForm is the size of a form in bytes: a note at its limit takes three times its size in one.
const maxForm = 4 << 20

// screen is what a request is answered with: a view, or the way to another one.
type screen struct {
	view  string // its name: that of its template, and as the script knows it
	title string
	main  any    // what the template shows
	code  int    // 0 is 200
	to    string // path of the next view, after a change
}

// viewFunc is the answer to a request about a project.
type viewFunc func(r *http.Request, p *blue.Project) (screen, error)

// inProject finds the project and shows what the function answers.
func (s *server) inProject(answer viewFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.open(r)
		if err != nil {
			s.fail(w, r, 0, err)
			return
		}
		stamp, err := p.Stamp(r.Context())
		if err != nil {
			s.fail(w, r, 0, err)
			return
		}
		a, err := answer(r, p)
		switch {
		case err != nil:
			s.fail(w, r, 0, err)
		case a.to != "":
			http.Redirect(w, r, a.to, http.StatusSeeOther)
		default:
			s.render(w, r, a, p.About(), stamp)
		}
	})
}

// open opens the project. A form is for the one that its page has shown.
func (s *server) open(r *http.Request) (*blue.Project, error) {
	if err := r.ParseForm(); err != nil {
		return nil, errors.TooLong("form", maxForm, maxForm, "bytes")
	}
	p, err := s.find(r)
	if err != nil {
		return nil, err
	}
	if shown := r.PostForm.Get("project"); shown != "" && shown != p.Root() {
		return nil, errors.OtherProject(shown, p.Root())
	}
	return p, nil
}

// render sends a view in its frame.
func (s *server) render(w http.ResponseWriter, r *http.Request, a screen, about blue.About, stamp string) {
	f := frame{View: a.view, Title: a.title, Stamp: stamp, Project: about.Project, Warnings: about.Warnings, ReadOnly: s.o.ReadOnly, Main: a.main}
	s.surround(r, &f)
	if c, err := r.Cookie("blue-theme"); err == nil && (c.Value == "dark" || c.Value == "light") {
		f.Theme = c.Value
	}
	var page bytes.Buffer // so that a view that fails leaves no half of a page
	v := s.views.take()
	v.base, v.served = f.Base, s.o.Served
	if err := v.byName[a.view].Execute(&page, f); err != nil {
		panic(err) // a fault of the template, which the guard reports
	}
	s.views.giveBack(v)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if a.code != 0 {
		w.WriteHeader(a.code)
	}
	_, _ = page.WriteTo(w) // a browser that is gone misses nothing
}

// fail shows an error, with the status that its kind has when code is 0.
func (s *server) fail(w http.ResponseWriter, r *http.Request, code int, err error) {
	e := errors.Of(err)
	if s.o.Served && e.Kind == errors.Internal { // it may name paths of the server
		s.o.Log.Error("a page failed", "err", err)
		e = errors.FailedInside()
	}
	if code == 0 {
		code = statusOf(e.Kind)
	}
	var about blue.About
	if ref, ok := e.Project.(*blue.Ref); ok {
		about.Project = ref
	}
	title := "Not possible"
	if e.Kind == errors.NotFound {
		title = "Nothing here"
	}
	stamp := string(e.Kind) // another one than that of any project
	s.render(w, r, screen{view: "failed", title: title, code: code, main: e}, about, stamp)
}

// statusOf is the HTTP status of a kind of error.
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

// unixLines makes the line ends of a browser ours.
func unixLines(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}
