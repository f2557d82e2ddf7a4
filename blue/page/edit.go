package page

import (
	"net/http"

	"blue/blue"
	"blue/errors"
)

// write shows the form of a new note on GET and creates the note on POST.
func (s *server) write(r *http.Request, p *blue.Project) (screen, error) {
	if s.o.ReadOnly {
		return screen{}, errors.OnlyShown()
	}
	if r.Method != http.MethodPost {
		f := &form{fields: fields{Type: blue.TypeNote, Title: r.URL.Query().Get("title")}}
		return screen{view: "form", title: "New note", main: f}, nil
	}
	f := sentForm(r)
	w, err := p.Write(r.Context(), blue.Draft{
		Title: f.Title, Type: f.Type, Tags: splitWords(f.Tags, ","), Files: splitWords(f.Files, "\n"), Body: f.Body, Private: f.Private, AllowSecret: f.allow,
	})
	if err != nil {
		return f.askAgain("New note", err), nil
	}
	return screen{to: pathWritten(w.ID, w.Path)}, nil
}

// edit shows the form of a note on GET and changes the note on POST.
func (s *server) edit(r *http.Request, p *blue.Project) (screen, error) {
	if s.o.ReadOnly {
		return screen{}, errors.OnlyShown()
	}
	if r.Method != http.MethodPost {
		n, err := readNote(r, p, "")
		if err != nil {
			return screen{}, err
		}
		return screen{view: "form", title: "Edit " + n.Title, main: noteForm(n)}, nil
	}
	f := sentForm(r)
	done := screen{to: pathOf("notes", f.Name)}
	if f.withDigest() == f.Was {
		return done, nil
	}
	_, err := p.Edit(r.Context(), f.change())
	switch {
	case err == nil:
		return done, nil
	case errors.Is(err, errors.NotFound): // it went away: what was written can still become a note
		f.Name = ""
	case errors.Is(err, errors.Conflict):
		if n, fault := readNote(r, p, ""); fault == nil && n.Revision != f.Revision {
			f.mergeTheirs(n)
		}
	}
	return f.askAgain("Edit "+f.Title, err), nil
}

// askAgain shows the form again with the submitted text and the reason why it was not saved.
func (f *form) askAgain(title string, err error) screen {
	f.Failed = errors.Of(err)
	return screen{view: "form", title: title, main: f, code: statusOf(f.Failed.Kind)}
}
