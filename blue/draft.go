package blue

import (
	"cmp"
	"strings"
	"time"

	"blue/blue/internal/note"
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
	Supersedes []string `json:"supersedes,omitempty" jsonschema:"ids it replaces"`
	Key        string   `json:"key,omitempty" jsonschema:"any string; sent again, no second note"`

	AllowSecret bool `json:"-"` // a person at the terminal says that what looks like a secret is none
}

// makeNote checks a draft and turns it into a note without id.
func (d Draft) makeNote(now time.Time, author string) (note.Text, error) {
	body := strings.TrimSpace(strings.ReplaceAll(d.Body, "\r\n", "\n"))
	if body == "" {
		return note.Text{}, errors.Missing("body", "send the text of the note")
	}
	n := note.Text{
		Type: cmp.Or(note.OneLine(d.Type), note.TypeNote), Title: note.OneLine(d.Title), Tags: note.CleanWords(d.Tags),
		Created: now.UTC().Truncate(time.Second), Author: note.ShowWord(note.OneLine(author)),
		Status: note.Active, Supersedes: note.CleanWords(d.Supersedes), Body: body + "\n",
	}
	if n.Title == "" {
		n.Title = errors.Clip(note.FindTitle(body, ""), note.TitleLimit)
	}
	return n, n.CheckLimits()
}
