package page

import (
	"net/http"
	"net/url"
	"slices"

	"blue/blue"
)

// historyView shows the revisions of a note and the diff of one of them.
type historyView struct {
	blue.Past
	Name       string
	From, To   string // the compared revisions; From is empty if To is the oldest kept
	Chosen     int    // index of To in the revisions
	Now        string // the current revision
	Former     bool   // To can be restored
	Difference []diffLine
}

// history shows the revisions of a note and the diff of one of them.
func (s *server) history(r *http.Request, p *blue.Project) (screen, error) {
	past, err := p.History(r.Context(), noteNamed(r))
	if err != nil {
		return screen{}, err
	}
	v := historyView{Past: past, Name: noteNamed(r)}
	if len(past.Revisions) > 0 {
		c, err := p.Compare(r.Context(), blue.Comparing{ID: v.Name, To: r.URL.Query().Get("to")})
		if err != nil {
			return screen{}, err
		}
		v.From, v.To, v.Now, v.Difference = c.From, c.To, past.Revisions[0].Revision, diffLines(c.Lines)
		v.Chosen = slices.IndexFunc(past.Revisions, func(rev blue.Revised) bool { return rev.Revision == c.To }) // the newest of equal texts
		v.Former = !past.Trashed && v.To != v.Now
	}
	return screen{view: "history", title: "History of " + past.ID, main: v}, nil
}

// restore makes a former revision the current text.
func (s *server) restore(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.Edit(r.Context(), blue.Change{ID: noteNamed(r), Restore: r.PostFormValue("to"), Revision: r.PostFormValue("revision")})
	return screen{to: pathOf("notes", noteNamed(r))}, err
}

// trash lists the removed notes.
func (s *server) trash(r *http.Request, p *blue.Project) (screen, error) {
	bin, err := p.Trash(r.Context())
	return screen{view: "trash", title: "Trash", main: bin.Notes}, err
}

// remove moves a note to the trash.
func (s *server) remove(r *http.Request, p *blue.Project) (screen, error) {
	_, err := p.Remove(r.Context(), blue.Removal{ID: noteNamed(r), Revision: r.PostForm.Get("revision")})
	to := "/"
	if r.PostForm.Get("from") == "board" {
		to = "/board"
	}
	return screen{to: to + "?trashed=" + url.QueryEscape(noteNamed(r))}, err
}

// untrash restores a note from the trash.
func (s *server) untrash(r *http.Request, p *blue.Project) (screen, error) {
	out, err := p.Remove(r.Context(), blue.Removal{ID: noteNamed(r), Restore: true})
	return screen{to: pathWritten(out.ID, out.Path)}, err
}
