package page

import (
	"net/http"
	"strconv"

	"blue/blue"
	"blue/errors"
)

// trust says that the person trusts the project.
func (s *server) trust(_ *http.Request, p *blue.Project) (screen, error) {
	return screen{to: "/"}, p.Trust()
}

// looked says that the person has looked at what came from others, as it was shown.
func (s *server) looked(r *http.Request, p *blue.Project) (screen, error) {
	at, err := strconv.ParseInt(r.PostForm.Get("at"), 10, 64)
	if err != nil {
		return screen{}, errors.BadValue("at", r.PostForm.Get("at"), "a time in nanoseconds")
	}
	return screen{to: "/"}, p.Looked(at)
}

// decide says what has become of a proposal.
func (s *server) decide(r *http.Request, p *blue.Project) (screen, error) {
	status := r.PostForm.Get("status")
	if status != "accepted" && status != "rejected" {
		return screen{}, errors.BadValue("status", status, "accepted or rejected")
	}
	_, err := p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Status: &status, Revision: r.PostForm.Get("revision")})
	return s.backTo(r), err
}

// backTo is the view that a form for a note was sent from.
func (s *server) backTo(r *http.Request) screen {
	if r.PostForm.Get("from") == "board" {
		return screen{to: "/board"}
	}
	return screen{to: pathOf("notes", noteNamed(r))}
}
