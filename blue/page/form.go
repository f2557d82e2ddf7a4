package page

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"blue/blue"
	"blue/errors"
)

// form is a note as it is being written. Was holds what its fields held when they
// were shown: only what the person changed is sent to the verb.
type form struct {
	fields
	Name     string // empty for a new note
	Revision string // that the fields were filled from
	Private  bool
	Was      fields // with a digest for a body
	Hidden   int    // characters that are spelled out
	Failed   *errors.Error
	Theirs   *blue.Note // what stands there now, when that is not what the person saw

	allow bool // the person says that what looks like a secret in the text is none
}

// fields are the values of a form.
type fields struct {
	Title, Type string
	Tags        string // with commas
	Files       string // one a line
	Status      string
	Body        string
}

// withDigest is the fields with a digest in the place of the body.
func (f fields) withDigest() fields {
	sum := sha256.Sum256([]byte(f.Body))
	f.Body = hex.EncodeToString(sum[:8])
	return f
}

// noteForm is the form of a note.
func noteForm(n *blue.Note) *form {
	var files []string
	for _, f := range n.Files {
		files = append(files, f.Path)
	}
	now := fields{n.Title, n.Type, strings.Join(n.Tags, ", "), strings.Join(files, "\n"), n.Status, unixLines(n.Body)}
	return &form{fields: now, Name: qualifiedID(n.ID, n.Private), Revision: n.Revision, Private: n.Private, Was: now.withDigest(), Hidden: n.Hidden}
}

// sentForm reads the form that a browser sends.
func sentForm(r *http.Request) *form {
	v := func(name string) string { return unixLines(r.PostForm.Get(name)) }
	read := func(was string) fields {
		return fields{v(was + "title"), v(was + "type"), v(was + "tags"), strings.Trim(v(was+"files"), "\n"), v(was + "status"), v(was + "body")}
	}
	return &form{
		fields: read(""), Was: read("was_"), Name: noteNamed(r), Revision: v("revision"), Private: v("private") != "", allow: v("allow_secret") != "",
	}
}

// change is what the person changed.
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

// splitWords are the words between separators.
func splitWords(text, separator string) []string {
	words := strings.Split(text, separator)
	return slices.DeleteFunc(words, func(word string) bool { return strings.TrimSpace(word) == "" })
}

// mergeTheirs sets the person's text against what stands there now. A field that
// only the others changed takes their value; the next save is made with their
// revision.
func (f *form) mergeTheirs(n *blue.Note) {
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

// Difference is what the person's text changes of the one that stands there now.
func (f *form) Difference() []diffLine { return diffLines(blue.Diff(f.Theirs.Body, f.Body)) }

// LooksSecret reports whether the note was refused for what looks like a secret.
func (f *form) LooksSecret() bool { return f.Failed != nil && f.Failed.Kind == errors.SecretDetected }
