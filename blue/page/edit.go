package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"blue/blue"
	"blue/errors"
)

// form is a note as it is being written. Was holds what its fields held when they
// were shown: only what the person changed is sent to the verb.
type form struct {
	Name     string // empty for a new note
	Revision string // that the fields were filled from
	Title    string
	Type     string
	Tags     string // with commas
	Files    string // one a line
	Status   string
	Body     string
	Private  bool
	Allow    bool // the person says that what looks like a secret in the text is none
	Was      fields
	Hidden   int
	Failed   *errors.Error
	Theirs   *blue.Note // what stands there now, when that is not what the person saw
}

// fields are the values of a form; Body is a digest.
type fields struct{ Title, Type, Tags, Files, Status, Body string }

func (f *form) fields() fields {
	sum := sha256.Sum256([]byte(f.Body))
	return fields{f.Title, f.Type, f.Tags, f.Files, f.Status, hex.EncodeToString(sum[:8])}
}

// filled is the form for a note.
func filled(n *blue.Note) *form {
	f := &form{
		Name: named(n.ID, n.Private), Revision: n.Revision, Title: n.Title, Type: n.Type, Tags: strings.Join(n.Tags, ", "),
		Files: paths(n.Files), Status: n.Status, Body: lf(n.Body), Private: n.Private, Hidden: n.Hidden,
	}
	f.Was = f.fields()
	return f
}

func paths(files []blue.Cited) string {
	var all []string
	for _, f := range files {
		all = append(all, f.Path)
	}
	return strings.Join(all, "\n")
}

// sent reads the form that a browser sends.
func sent(r *http.Request) (*form, error) {
	if err := r.ParseForm(); err != nil {
		return nil, errors.TooLong("form", maxForm, maxForm, "bytes")
	}
	v := func(name string) string { return lf(r.PostForm.Get(name)) }
	return &form{
		Name: file(r), Revision: v("revision"), Title: v("title"), Type: v("type"), Tags: v("tags"), Files: strings.Trim(v("files"), "\n"),
		Status: v("status"), Body: v("body"), Private: v("private") != "", Allow: v("allow_secret") != "",
		Was: fields{v("was_title"), v("was_type"), v("was_tags"), strings.Trim(v("was_files"), "\n"), v("was_status"), v("was_body")},
	}, nil
}

// lf makes the line ends of a browser ours.
func lf(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// write shows the form of a new note, and makes the note.
func (s *server) write(r *http.Request, p *blue.Project) (screen, error) {
	if s.o.ReadOnly {
		return screen{}, errors.OnlyShown()
	}
	if r.Method != http.MethodPost {
		f := &form{Type: blue.TypeNote, Title: r.URL.Query().Get("title")}
		return screen{view: "form", title: "New note", main: f.view()}, nil
	}
	f, err := sent(r)
	if err != nil {
		return screen{}, err
	}
	w, err := p.Write(r.Context(), blue.Draft{Title: f.Title, Type: f.Type, Tags: split(f.Tags, ","), Files: split(f.Files, "\n"), Body: f.Body, Private: f.Private, AllowSecret: f.Allow})
	if err != nil {
		return f.again("New note", err), nil
	}
	return screen{to: written(w.ID, w.Path)}, nil
}

// edit shows the form of a note, and changes the note.
func (s *server) edit(r *http.Request, p *blue.Project) (screen, error) {
	if s.o.ReadOnly {
		return screen{}, errors.OnlyShown()
	}
	if r.Method != http.MethodPost {
		n, err := one(r, p, "")
		if err != nil {
			return screen{}, err
		}
		return screen{view: "form", title: "Edit " + n.Title, main: filled(n).view()}, nil
	}
	f, err := sent(r)
	if err != nil {
		return screen{}, err
	}
	done := screen{to: at("notes", f.Name)}
	if f.fields() == f.Was {
		return done, nil
	}
	_, err = p.Edit(r.Context(), f.change())
	switch {
	case err == nil:
		return done, nil
	case errors.Is(err, errors.NotFound): // it went away: what was written can still become a note
		f.Name = ""
	case errors.Is(err, errors.Conflict):
		if n, fault := one(r, p, ""); fault == nil && n.Revision != f.Revision {
			f.meet(n)
		}
	}
	return f.again("Edit "+f.Title, err), nil
}

// change is what the person changed.
func (f *form) change() blue.Change {
	c := blue.Change{ID: f.Name, Revision: f.Revision, Shown: true, AllowSecret: f.Allow}
	now := f.fields()
	text := func(now, was string, value *string) *string {
		if now == was {
			return nil
		}
		return value
	}
	words := func(now, was, separator string) *[]string {
		if now == was {
			return nil
		}
		all := split(now, separator)
		return &all
	}
	c.Title, c.Type, c.Status = text(now.Title, f.Was.Title, &f.Title), text(now.Type, f.Was.Type, &f.Type), text(now.Status, f.Was.Status, &f.Status)
	c.Tags, c.Files = words(now.Tags, f.Was.Tags, ","), words(now.Files, f.Was.Files, "\n")
	c.Body = text(now.Body, f.Was.Body, &f.Body)
	return c
}

// meet sets the person's text against what stands there now. A field that only the
// others changed takes their value; the next save is made with their revision.
func (f *form) meet(n *blue.Note) {
	theirs := filled(n)
	take := func(mine *string, was, now string) {
		if *mine == was {
			*mine = now
		}
	}
	take(&f.Title, f.Was.Title, theirs.Title)
	take(&f.Type, f.Was.Type, theirs.Type)
	take(&f.Tags, f.Was.Tags, theirs.Tags)
	take(&f.Files, f.Was.Files, theirs.Files)
	take(&f.Status, f.Was.Status, theirs.Status)
	if f.fields().Body == f.Was.Body {
		f.Body = theirs.Body
	}
	f.Revision, f.Was, f.Theirs, f.Hidden = n.Revision, theirs.Was, n, n.Hidden
}

// again shows the form once more, with what the person wrote and why it was not
// saved.
func (f *form) again(title string, err error) screen {
	f.Failed = errors.Of(err)
	return screen{view: "form", title: title, main: f.view(), code: status(f.Failed.Kind)}
}

func split(text, separator string) []string {
	words := strings.Split(text, separator)
	return slices.DeleteFunc(words, func(word string) bool { return strings.TrimSpace(word) == "" })
}

// written is the path of a note that lies in the file.
func written(id, path string) string {
	return at("notes", named(id, strings.HasPrefix(path, ".blue/private/")))
}

func query(text string) string { return url.QueryEscape(text) }
