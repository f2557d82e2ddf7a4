package page

import (
	"html/template"
	"net/http"

	"blue/blue"
	"blue/blue/transfer"
)

// noteView is a note, or one of its former revisions.
type noteView struct {
	*blue.Note
	Name  string // by which a page names it
	Past  bool
	Marks marks
	Prose template.HTML
}

// marks are what else is to be known of a note at once; a row of a list has the
// same fields.
type marks struct {
	Private, Superseded, Stale bool
	Origin                     string
}

// read shows a note, or one of its former revisions.
func (s *server) read(r *http.Request, p *blue.Project) (screen, error) {
	revision := r.URL.Query().Get("revision")
	n, err := readNote(r, p, revision)
	if err != nil {
		return screen{}, err
	}
	prose, err := transfer.HTML(p, *n)
	v := noteView{Note: n, Name: qualifiedID(n.ID, n.Private), Past: revision != "", Marks: marks{Private: n.Private, Superseded: blue.IsSuperseded(n.Status)}, Prose: prose}
	if !v.Past {
		v.Marks.Origin = n.Origin
	}
	return screen{view: "note", title: n.Title, main: v}, err
}

// readNote reads the whole note that the path names.
func readNote(r *http.Request, p *blue.Project, revision string) (*blue.Note, error) {
	page, err := p.Read(r.Context(), blue.Reading{ID: noteNamed(r), Revision: revision, Whole: true})
	if err != nil {
		return nil, err
	}
	return &page.Notes[0], nil
}
