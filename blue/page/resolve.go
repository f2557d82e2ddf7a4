package page

import (
	"net/http"

	"blue/blue"
)

// conflictView shows the two notes of a conflict and their diff.
type conflictView struct {
	blue.Conflict
	Name       string // the note that the URL names
	Difference []diffLine
}

// conflict shows the conflict of a note.
func (s *server) conflict(r *http.Request, p *blue.Project) (screen, error) {
	c, err := p.Conflict(r.Context(), noteNamed(r))
	return screen{view: "resolve", title: "Conflict: " + c.Title, main: conflictView{Conflict: c, Name: noteNamed(r), Difference: diffLines(c.Lines)}}, err
}

// resolve ends a conflict, provided that both texts are still those that were shown.
func (s *server) resolve(r *http.Request, p *blue.Project) (screen, error) {
	v := r.PostForm.Get
	out, err := p.Resolve(r.Context(), blue.Resolving{ID: v("with"), Keep: v("keep"), Revision: v("revision"), WithRevision: v("with_revision")})
	return screen{to: pathWritten(out.ID, out.Path)}, err
}
