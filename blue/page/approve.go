package page

import (
	"net/http"

	"blue/blue"
	"blue/errors"
)

// approve says that the person has reviewed a note, as it stood when it was shown.
func (s *server) approve(r *http.Request, p *blue.Project) (screen, error) {
	return s.backTo(r), p.Approve(r.Context(), noteNamed(r), r.PostForm.Get("revision"))
}

// approveAll says that the person has reviewed each note, as all stood when they were shown.
func (s *server) approveAll(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.ApproveAll(r.Context(), r.PostForm.Get("stamp"))
	return screen{to: "/"}, err
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
	switch r.PostForm.Get("from") {
	case "board":
		return screen{to: "/board"}
	case "list":
		return screen{to: "/?unreviewed=1"}
	}
	return screen{to: pathOf("notes", noteNamed(r))}
}
