package page

import (
	"html/template"
	"net/http"
	"strings"

	"blue/blue"
	"blue/blue/transfer"
)

// noteView shows a note or one of its former revisions.
type noteView struct {
	*blue.Note
	Name  string // as it stands in URLs
	Past  bool
	Marks marks
	Prose template.HTML // empty for a commit
}

// marks are the badges of a note. Rows of lists have the same fields.
type marks struct {
	Private, Stale bool
	Conflict       bool
	Status, By     string
}

// read shows a note, or one of its former revisions.
func (s *server) read(r *http.Request, p *blue.Project) (screen, error) {
	revision := r.URL.Query().Get("revision")
	n, err := readNote(r, p, revision)
	if err != nil {
		return screen{}, err
	}
	if n.Beside() && n.Type == "document" { // documents have their own page
		section := strings.TrimPrefix(strings.TrimPrefix(n.ID, n.Path), "#")
		return screen{to: documentPath(strings.TrimSuffix(noteNamed(r), "#"+section), section)}, nil
	}
	v := noteView{Note: n, Name: qualifiedID(n.ID, n.Private), Past: revision != "", Marks: marks{Private: n.Private, Conflict: len(n.Conflicts) > 0, Status: n.Status, By: n.By}}
	if !n.Beside() {
		v.Prose, err = transfer.HTML(p, *n)
	}
	return screen{view: "note", title: n.Title, main: v}, err
}

// verify records that a note still holds, in the revision that was shown.
func (s *server) verify(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Verified: true, Revision: r.PostFormValue("revision")})
	return screen{to: pathOf("notes", noteNamed(r))}, err
}

// readNote reads the note that the path names.
func readNote(r *http.Request, p *blue.Project, revision string) (*blue.Note, error) {
	page, err := p.Read(r.Context(), blue.Reading{ID: noteNamed(r), Revision: revision, Whole: true})
	if err != nil {
		return nil, err
	}
	return &page.Notes[0], nil
}
