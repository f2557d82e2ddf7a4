package page

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"blue/blue"
	"blue/errors"
)

// screen is what a request is answered with: a view, or the way to another one.
type screen struct {
	view  string // its name, as the script knows it
	title string
	main  safe
	code  int    // 0 is 200
	to    string // path of the next view, after a change
}

// show is the answer to a request about a project.
type show func(r *http.Request, p *blue.Project) (screen, error)

// shown finds the project and shows what the function answers.
func (s *server) shown(answer show) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.o.Blue.Open(r.Context(), s.o.Call)
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
			s.render(w, r, a, around{p.About(), stamp})
		}
	})
}

// around is what the frame of a view shows.
type around struct {
	blue.About
	stamp string
}

// render sends a view in its frame.
func (s *server) render(w http.ResponseWriter, r *http.Request, a screen, f around) {
	title, theme := a.title, ""
	if f.Project != nil {
		title += " · " + f.Project.Name
	}
	if c, err := r.Cookie("blue-theme"); err == nil && (c.Value == "dark" || c.Value == "light") {
		theme = c.Value
	}
	var warnings safe
	for _, text := range f.Warnings {
		warnings += markup(`<p class="say warn wide">%s</p>`+"\n", text)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if a.code != 0 {
		w.WriteHeader(a.code)
	}
	page := markup(surrounding, when(theme != "", ` data-theme="%s"`, theme), title, a.view, f.stamp, s.bar(a.view, f.Project), warnings, a.main)
	_, _ = io.WriteString(w, string(page)) // a browser that is gone misses nothing
}

// bar is what stands on top of every view.
func (s *server) bar(view string, project *blue.Ref) (text safe) {
	if project == nil {
		return `<span class="project"><span>Blue</span></span>` + tools
	}
	for _, to := range [][3]string{{"/", "Notes", "list note"}, {"/graph", "Graph", "graph"}, {"/trash", "Trash", "trash"}, {"/why", "Why", "why"}} {
		text += markup(`<a href="%s"%s>%s</a>`+"\n", to[0], when(strings.Contains(to[2], view), ` aria-current="page"`), to[1])
	}
	text = markup(logo, project.Root, project.Name) + "<nav aria-label=\"Views\">\n" + text + "</nav>\n" + tools
	if s.o.ReadOnly {
		return text + badge("", "read-only", "")
	}
	return text + `<a class="button main" id="New" href="/new">New note</a>`
}

// failure is an error, for a person: what it says, and what to do next, as a link
// where the page has a view for it.
func failure(e *errors.Error) (text safe) {
	if rest, ok := strings.CutPrefix(e.Text(), e.Message); ok {
		rest = strings.TrimSpace(rest)
		text += when(rest != "", "<pre>%s</pre>", rest)
	}
	for _, h := range e.Hints {
		switch {
		case h.Verb == "list":
			text += markup(`<p><a href="/">%s</a></p>`, h.Text)
		case h.Verb == "read" && h.Args != "":
			text += markup(`<p><a href="%s">%s</a></p>`, at("notes", h.Args), h.Text)
		case h.Verb != "":
			text += markup(`<p>%s: <code>%s</code></p>`, h.Text, strings.TrimSpace("blue "+h.Verb+" "+h.Args))
		default:
			text += markup(`<p>%s</p>`, h.Text)
		}
	}
	return markup(`<div class="say bad"><p><strong>%s</strong></p>%s</div>`+"\n", e.Message, text)
}

// fail shows an error, with the status that its kind has when code is 0.
func (s *server) fail(w http.ResponseWriter, r *http.Request, code int, err error) {
	e := errors.Of(err)
	if code == 0 {
		code = status(e.Kind)
	}
	f := around{stamp: string(e.Kind)} // another one than that of any project
	if ref, ok := e.Project.(*blue.Ref); ok {
		f.Project = ref
	}
	title := "Not possible"
	if e.Kind == errors.NotFound {
		title = "Nothing here"
	}
	s.render(w, r, screen{view: "failed", title: title, code: code, main: markup(`<div id="Failed" data-live><h1>%s</h1>%s</div>`, title, failure(e))}, f)
}

// status is the HTTP status of a kind of error.
func status(kind errors.Kind) int {
	switch kind {
	case errors.NotFound, errors.NoProject, errors.NotDetected, errors.BadMarker:
		return http.StatusNotFound
	case errors.Conflict, errors.Exists, errors.SeveralProjects:
		return http.StatusConflict
	case errors.Invalid, errors.BadPath, errors.SecretDetected, errors.HiddenText, errors.TooLarge:
		return http.StatusUnprocessableEntity
	case errors.UntrustedProject, errors.OutsideAllowedRoots:
		return http.StatusForbidden
	case errors.Busy, errors.Timeout, errors.FSTimeout:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// file is the note that a path names: its id, with private/ before it where that is
// needed to tell it from another one.
func file(r *http.Request) string { return strings.TrimSuffix(r.PathValue("file"), ".html") }

// at is the path of a view of a note.
func at(view, id string) string {
	path := "/" + view + "/" + url.PathEscape(id)
	if view == "notes" {
		path += ".html"
	}
	return path
}

// named is the id by which a page names a note.
func named(id string, private bool) string {
	if private {
		return "private/" + id
	}
	return id
}
