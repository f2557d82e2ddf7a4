package page

import (
	"net/http"
	"strconv"

	"blue/blue"
	"blue/errors"
)

// trust records that the person trusts the project.
func (s *server) trust(_ *http.Request, p *blue.Project) (screen, error) {
	return screen{to: "/"}, p.Trust()
}

// looked records that the person has reviewed the notes that came from others.
func (s *server) looked(r *http.Request, p *blue.Project) (screen, error) {
	at, err := strconv.ParseInt(r.PostForm.Get("at"), 10, 64)
	if err != nil {
		return screen{}, errors.BadValue("at", r.PostForm.Get("at"), "a time in nanoseconds")
	}
	return screen{to: "/"}, p.Looked(at)
}

// decide sets the status of a proposal.
func (s *server) decide(r *http.Request, p *blue.Project) (screen, error) {
	status := r.PostForm.Get("status")
	if status != "accepted" && status != "rejected" {
		return screen{}, errors.BadValue("status", status, "accepted or rejected")
	}
	_, err := p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Status: &status, Revision: r.PostForm.Get("revision")})
	return s.backTo(r), err
}

// backTo returns the path of the view that a note's form was sent from.
func (s *server) backTo(r *http.Request) screen {
	if r.PostForm.Get("from") == "board" {
		return screen{to: "/board"}
	}
	return screen{to: pathOf("notes", noteNamed(r))}
}
