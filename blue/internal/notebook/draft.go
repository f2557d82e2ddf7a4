// Package draft is what callers ask of a note: one to be written, or a change of one. It is
// checked, screened and turned into the text of the note; what needs other notes or files is
// done by the verbs.
package notebook

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/blue/internal/store"
	"blue/errors"
)

// Draft is a note to be written.
type Draft struct {
	Body       string   `json:"body" jsonschema:"Markdown"`
	Title      string   `json:"title,omitempty" jsonschema:"default: first heading or line"`
	Type       string   `json:"type,omitempty" jsonschema:"note, decision, checkpoint, remediation, skill, reference or any word"`
	Tags       []string `json:"tags,omitempty"`
	Files      []string `json:"files,omitempty" jsonschema:"files it is about: a.go, a.go#L10-L42, a.go#Name"`
	Private    bool     `json:"private,omitempty" jsonschema:"keep out of git"`
	Supersedes []string `json:"supersedes,omitempty" jsonschema:"ids, or paths of documents, it replaces"`
	Key        string   `json:"key,omitempty" jsonschema:"any string; sent again, no second note"`

	AllowSecret bool `json:"-"` // a person at the terminal says that what looks like a secret is none
}

// Note checks and screens a draft, and turns it into a note without id. Nothing is touched.
func (d Draft) Note(now time.Time, author string) (n note.Text, err error) {
	if len(d.Body) > 2*note.BodyLimit { // whatever is trimmed from it: not worth to be screened
		return n, errors.TooLong("body", len(d.Body), note.BodyLimit, "bytes")
	}
	if err := screenWords(map[string][]string{"title": {d.Title}, "type": {d.Type}, "tags": d.Tags, "files": d.Files, "supersedes": d.Supersedes,
		"key": {d.Key}, "author": {note.ShowHidden(author)}}); err != nil {
		return n, err
	}
	d.Body = screen.AllowSecrets(d.Body, d.AllowSecret)
	if err := screen.Refuse("body", "", d.Body, d.AllowSecret); err != nil {
		return n, err
	}
	if n, err = d.makeNote(now, author); err != nil {
		return n, err
	}
	if d.AllowSecret && d.Title == "" && screen.Refuse("title", "", n.Title, false) != nil {
		return n, errors.Missing("title", "the first line holds what you allow, and would become the title and the file name: give another title")
	}
	if d.Key != "" {
		n.Request = d.hashRequest(n)
	}
	return n, nil
}

// screenWords screens the fields of a call that stand in the front matter, as
// they were sent: to clean a path or a title could make what is there look harmless.
func screenWords(fields map[string][]string) error {
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if err := screen.Refuse(field, "", strings.Join(fields[field], "\n"), false); err != nil {
			return err
		}
	}
	return nil
}

// makeNote makes the note of what is in order.
func (d Draft) makeNote(now time.Time, author string) (note.Text, error) {
	body := strings.TrimSpace(strings.ReplaceAll(d.Body, "\r\n", "\n"))
	if body == "" {
		return note.Text{}, errors.Missing("body", "send the text of the note")
	}
	n := note.Text{
		Type: cmp.Or(note.OneLine(d.Type), note.TypeNote), Title: note.OneLine(d.Title), Tags: note.CleanWords(d.Tags),
		Created: now.UTC().Truncate(time.Second), Author: note.ShowWord(note.OneLine(author)), UID: note.NewUID(),
		Status: note.Active, Supersedes: note.CleanWords(d.Supersedes), Body: body + "\n",
	}
	if n.Title == "" {
		n.Title = errors.Clip(note.FindTitle(body, ""), note.TitleLimit)
	}
	return n, n.CheckLimits()
}

// hashRequest returns the hash by which a draft with a key knows the note again that it has
// made, whatever has become of the text, the name and the history of that note since.
func (d Draft) hashRequest(n note.Text) string {
	return store.Revision([]byte(strings.Join([]string{note.ScopeDir(d.Private), d.Key, n.Title, strings.TrimSpace(n.Body)}, "\x00")))
}

// Template is the text that a person completes in an editor.
func (d Draft) Template() string {
	n := note.ParseText("", nil)
	set := func(key string, value any) { _ = n.SetKey(key, value) } // words can be written as YAML
	set("type", cmp.Or(d.Type, note.TypeNote))
	set("title", d.Title)
	set("tags", []string{})
	for key, words := range map[string][]string{"tags": d.Tags, "files": d.Files, "supersedes": d.Supersedes} {
		if len(words) > 0 {
			set(key, note.InlineList(words))
		}
	}
	return string(n.Bytes())
}

// Completed is the draft that a person has made of its [Draft.Template].
func (d Draft) Completed(text string) (Draft, error) {
	n := note.ParseText(".md", []byte(text)) // no name gives it a title
	if n.Problem != "" {
		return d, errors.Usage("the new note has a broken %s", note.ShowLine(n.Problem)).Hint("", "", "mend what stands between the two lines ---")
	}
	keys, _ := n.Segments()
	for _, key := range keys {
		if key.Key != "" && !slices.Contains([]string{"type", "title", "tags", "files", "supersedes"}, key.Key) {
			return d, errors.Usage("the front matter of a new note has no key %q", key.Key).Hint("", "", "keep type, title, tags, files and supersedes; blue edit adds others")
		}
	}
	d.Body = n.Body
	if len(keys) == 0 {
		return d, nil
	}
	d.Type, d.Title, d.Tags, d.Supersedes, d.Files = n.Type, "", n.Tags, n.Supersedes, nil
	if n.Title != note.FindTitle(n.Body, "") {
		d.Title = n.Title
	}
	for _, f := range n.Files {
		d.Files = append(d.Files, f.Ref())
	}
	return d, nil
}
