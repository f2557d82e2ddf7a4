package blue

import (
	"strings"
	"time"
	"unicode/utf8"

	"blue/errors"
)

// Limits of a note.
const (
	BodyLimit  = 256 << 10 // bytes
	TitleLimit = 200       // characters
	WordLimit  = 100       // characters of a type or a tag
	ListLimit  = 100       // tags, files or ids of one note
)

// Draft is a note to be written.
type Draft struct {
	Body       string   `json:"body" jsonschema:"Markdown text"`
	Title      string   `json:"title,omitempty" jsonschema:"default: first heading or line"`
	Type       string   `json:"type,omitempty" jsonschema:"note, decision, checkpoint, remediation, skill, reference or any word"`
	Tags       []string `json:"tags,omitempty"`
	Files      []string `json:"files,omitempty" jsonschema:"project files it is about"`
	Private    bool     `json:"private,omitempty" jsonschema:"keep out of git"`
	Supersedes []string `json:"supersedes,omitempty" jsonschema:"ids it replaces"`
	Key        string   `json:"key,omitempty" jsonschema:"any string; sent again, no second note"`

	AllowSecret bool `json:"-"` // a person at the terminal says that what looks like a secret is none
}

// dir is where the note will be, below .blue.
func (d Draft) dir() string {
	if d.Private {
		return "private/"
	}
	return "notes/"
}

// note checks a draft and turns it into a note without id.
func (d Draft) note(now time.Time, author string) (Text, error) {
	body := strings.TrimSpace(strings.ReplaceAll(d.Body, "\r\n", "\n"))
	if body == "" {
		return Text{}, errors.Missing("body", "send the text of the note")
	}
	n := Text{
		Type: OneLine(d.Type), Title: OneLine(d.Title), Tags: CleanWords(d.Tags), Created: now.UTC().Truncate(time.Second),
		Author: Label(OneLine(author), WordLimit), Status: Active, Supersedes: CleanWords(d.Supersedes),
		lead: "---\n", tail: "---\n\n", Body: body + "\n", eol: "\n",
	}
	if n.Type == "" {
		n.Type = TypeNote
	}
	if n.Title == "" {
		n.Title = errors.Clip(titleOf(body, ""), TitleLimit)
	}
	return n, n.CheckLimits()
}

// CheckLimits keeps a note within its limits.
func (n *Text) CheckLimits() error {
	if len(n.Body) > BodyLimit {
		return errors.TooLong("body", len(n.Body), BodyLimit, "bytes")
	}
	if size := utf8.RuneCountInString(n.Title); size > TitleLimit {
		return errors.TooLong("title", size, TitleLimit, "characters")
	}
	if size := utf8.RuneCountInString(n.Type); size > WordLimit {
		return errors.TooLong("type", size, WordLimit, "characters")
	}
	for _, tag := range n.Tags {
		if size := utf8.RuneCountInString(tag); size > WordLimit {
			return errors.TooLong("tags", size, WordLimit, "characters")
		}
	}
	if size := max(len(n.Tags), len(n.Files), len(n.Supersedes)); size > ListLimit {
		return errors.TooLong("tags, files or supersedes", size, ListLimit, "entries")
	}
	return nil
}

// OneLine makes one line of a text, without space around it.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// CleanWords makes each word one line and leaves out empty and repeated ones.
func CleanWords(words []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, word := range words {
		if word = OneLine(word); word != "" && !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}
