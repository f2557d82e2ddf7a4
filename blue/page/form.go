package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

// form is a note that is being edited. Was holds the fields as they were shown: only what the
// person changed is sent to the verb.
type form struct {
	fields
	Name     string // empty for a new note
	Revision string // the revision the fields were filled from
	Private  bool
	Was      fields // the body is replaced by its digest
	Hidden   int    // count of hidden characters, which are escaped
	Failed   *errors.Error
	Theirs   *result.Note // the current note, if it has changed since the form was shown

	allow bool // the person states that the text holds no secret
}

// fields holds the values of a form.
type fields struct {
	Title, Type string
	Tags        string // comma-separated
	Files       string // one path per line
	Status      string
	Body        string
}

// withDigest returns f with the body replaced by its digest.
func (f fields) withDigest() fields {
	sum := sha256.Sum256([]byte(f.Body))
	f.Body = hex.EncodeToString(sum[:8])
	return f
}

// noteForm returns the form of a note.
func noteForm(n *result.Note) *form {
	var files []string
	for _, f := range n.Files {
		files = append(files, f.Path)
	}
	now := fields{n.Title, n.Type, strings.Join(n.Tags, ", "), strings.Join(files, "\n"), n.Status, unixLines(n.Body)}
	return &form{fields: now, Name: qualifiedID(n.ID, n.Private), Revision: n.Revision, Private: n.Private, Was: now.withDigest(), Hidden: n.Hidden}
}

// sentForm reads a submitted form.
func sentForm(r *http.Request) *form {
	v := func(name string) string { return unixLines(r.PostForm.Get(name)) }
	read := func(was string) fields {
		return fields{v(was + "title"), v(was + "type"), v(was + "tags"), strings.Trim(v(was+"files"), "\n"), v(was + "status"), v(was + "body")}
	}
	return &form{
		fields: read(""), Was: read("was_"), Name: noteNamed(r), Revision: v("revision"), Private: v("private") != "", allow: v("allow_secret") != "",
	}
}

// change returns the edit that the person made.
func (f *form) change() blue.Change {
	now := f.withDigest()
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
		all := splitWords(now, separator)
		return &all
	}
	return blue.Change{
		ID: f.Name, Revision: f.Revision, Shown: true, AllowSecret: f.allow,
		Title: text(now.Title, f.Was.Title, &f.Title), Type: text(now.Type, f.Was.Type, &f.Type), Status: text(now.Status, f.Was.Status, &f.Status),
		Tags: words(now.Tags, f.Was.Tags, ","), Files: words(now.Files, f.Was.Files, "\n"), Body: text(now.Body, f.Was.Body, &f.Body),
	}
}

// splitWords splits a text at separators.
func splitWords(text, separator string) []string {
	words := strings.Split(text, separator)
	return slices.DeleteFunc(words, func(word string) bool { return strings.TrimSpace(word) == "" })
}

// mergeTheirs rebases the form on the current note. A field that only others changed takes their
// value, and the next save carries their revision.
func (f *form) mergeTheirs(n *result.Note) {
	theirs, now := noteForm(n), f.withDigest()
	for _, field := range []struct {
		mine             *string
		now, was, theirs string
	}{
		{&f.Title, now.Title, f.Was.Title, theirs.Title}, {&f.Type, now.Type, f.Was.Type, theirs.Type}, {&f.Tags, now.Tags, f.Was.Tags, theirs.Tags},
		{&f.Files, now.Files, f.Was.Files, theirs.Files}, {&f.Status, now.Status, f.Was.Status, theirs.Status}, {&f.Body, now.Body, f.Was.Body, theirs.Body},
	} {
		if field.now == field.was {
			*field.mine = field.theirs
		}
	}
	n.Body = theirs.Body
	f.Revision, f.Was, f.Theirs, f.Hidden = n.Revision, theirs.Was, n, n.Hidden
}

// Difference returns the diff from the current text to the person's text.
func (f *form) Difference() []diffLine { return diffLines(blue.Diff(f.Theirs.Body, f.Body)) }

// LooksSecret reports whether the note was refused for what looks like a secret.
func (f *form) LooksSecret() bool { return f.Failed != nil && f.Failed.Kind == errors.SecretDetected }

// write shows the form of a new note on GET and creates the note on POST.
func (s *server) write(r *http.Request, p *blue.Project) (screen, error) {
	if s.o.ReadOnly {
		return screen{}, onlyShown()
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
		return screen{}, onlyShown()
	}
	if r.Method != http.MethodPost {
		n, err := readNote(r, p, "")
		if err != nil {
			return screen{}, err
		}
		if n.ReadOnly() { // it can only be read
			return screen{to: pathOf("notes", n.ID)}, nil
		}
		return screen{view: "form", title: "Edit " + n.Title, main: noteForm(n)}, nil
	}
	f := sentForm(r)
	done := screen{to: pathOf("notes", f.Name)}
	if f.withDigest() == f.Was {
		return done, nil
	}
	e, err := p.Edit(r.Context(), f.change())
	switch {
	case err == nil:
		return changed(done.to, f.Name, e), nil
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
