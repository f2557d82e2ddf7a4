// Package note parses and edits the text of a note: front matter, body, id, links and sections. It
// does no I/O.
//
// [ParseText] splits a file into parts that concatenate to the same bytes, so an edit (front.go,
// body.go) changes only what it names. Parsing never fails; [Text].Problem says what is wrong with
// a file.
package note

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"blue/errors"
)

// Limits of a note.
const (
	BodyLimit    = 256 << 10 // bytes
	FrontLimit   = 64 << 10  // bytes of the front matter; a longer one counts as broken
	TitleLimit   = 200       // characters
	WordLimit    = 100       // characters of a type or a tag
	StatusLimit  = 64        // characters of a status
	ListLimit    = 100       // tags, files or ids of one note
	ProblemLimit = 300       // characters of a problem, as parser errors quote names of any length
)

// Types of notes with a meaning to the program.
const (
	TypeNote       = "note"
	TypeDecision   = "decision"
	TypeCheckpoint = "checkpoint"
	TypeFix        = "fix"
	TypeHowto      = "howto"
)

// Types returns the predefined types, the default first. Any other word is a valid type too.
func Types() []string {
	return []string{TypeNote, TypeDecision, TypeCheckpoint, TypeFix, TypeHowto, "reference"}
}

// TypeOf returns the type that a word names: the word itself, but for the former names of two types.
func TypeOf(word string) string {
	switch word {
	case "remediation":
		return TypeFix
	case "skill":
		return TypeHowto
	}
	return word
}

// Cited is a citation of a file or a part of it. In replies Path includes the part, and Hash is the
// hash of the part.
type Cited struct {
	Path     string `json:"path" yaml:"path"`                               // relative to the project root, with slashes
	Hash     string `json:"hash,omitempty" yaml:"hash,omitempty"`           // first 16 hex digits of the SHA-256 of its content when it was cited
	Span     string `json:"span,omitempty" yaml:"span,omitempty"`           // the part: lines such as L10-L42, or the name of a definition
	Lines    string `json:"lines,omitempty" yaml:"lines,omitempty"`         // lines of the named definition when it was cited
	SpanHash string `json:"span_hash,omitempty" yaml:"span_hash,omitempty"` // hash of the part when it was cited
	Sketch   string `json:"sketch,omitempty" yaml:"sketch,omitempty"`       // of its lines of code when it was cited, see package anchor
	Changed  bool   `json:"changed,omitempty" yaml:"-"`                     // the content has changed so much that the note may not hold, or is gone
	Differ   int    `json:"changed_lines,omitempty" yaml:"-"`               // lines of code that have changed
	Of       int    `json:"of_lines,omitempty" yaml:"-"`                    // of how many; 0 if unknown
	Gone     bool   `json:"gone,omitempty" yaml:"-"`                        // the file does not exist
	Now      string `json:"now,omitempty" yaml:"-"`                         // new path or lines, if it has moved
}

// Ref returns the written form of a citation: the path, and the part after "#".
func (c Cited) Ref() string {
	if c.Span == "" {
		return c.Path
	}
	return c.Path + "#" + c.Span
}

// Text is a parsed note. Its parts lead, Front, tail and Body concatenate to the file, byte for
// byte.
type Text struct {
	id    string // from the name of the file
	lead  string // byte order mark and the opening line "---", or only the former
	Front string // the lines of the front matter, without the two "---"
	tail  string // the closing "---" and the blank lines after it; empty without front matter
	Body  string
	eol   string // the line end of the file: "\n" or "\r\n"

	Type, Title string
	Tags        []string
	Created     time.Time // zero if missing
	UID         string    // identity that survives renames; see [Text.Identity]
	Verified    string    // when the note was last confirmed, and by whom
	From        string    // source of an imported note
	Request     string    // of a note written with a key: hash of the key and the request
	Conflicted  bool      // the file contains merge conflict markers
	Details
}

// Details are the parts of the front matter that an index keeps, as JSON.
type Details struct {
	Author       string   `json:"a,omitempty"`
	Status       string   `json:"s,omitempty"`
	Files        []Cited  `json:"f,omitempty"`
	Supersedes   []string `json:"u,omitempty"` // what the note replaces: ids of notes, and paths of documents
	Aliases      []string `json:"l,omitempty"` // by which links may name it
	Branch       string   `json:"b,omitempty"` // of a checkpoint: the git branch on which it was written
	ConflictWith string   `json:"c,omitempty"` // id of the note of which this is another machine's version
	Problem      string   `json:"p,omitempty"` // why the front matter is invalid, or ""
}

// ParseText parses a file. It never fails; Problem says what is wrong. If the file has no title,
// the title is derived from its name.
func ParseText(name string, data []byte) Text {
	text := string(data)
	n := Text{id: IDOf(name), Type: TypeNote, eol: "\n", Details: Details{Status: Active}}
	if !utf8.ValidString(text) {
		n.Problem = "the file is not UTF-8 text" // the bytes are kept; output code escapes them
	}
	if first, _, ok := strings.Cut(text, "\n"); ok && strings.HasSuffix(first, "\r") {
		n.eol = "\r\n"
	}
	n.splitParts(text)
	n.Conflicted = isConflicted(text)
	if n.tail != "" {
		n.parseFront()
	}
	if n.Title == "" {
		n.Title = FindTitle(n.Body, strings.TrimSuffix(path.Base(name), ".md"))
	}
	return n
}

// ParseBody returns the body of a file as valid UTF-8 without parsing its front matter.
func ParseBody(data []byte) string {
	var n Text
	n.splitParts(strings.ToValidUTF8(string(data), "\uFFFD"))
	return n.Body
}

// splitParts finds the front matter. Without a closing "---" the whole file is body.
func (n *Text) splitParts(text string) {
	n.Body = text
	bom := ""
	if rest, ok := strings.CutPrefix(text, "\uFEFF"); ok {
		bom, text = "\uFEFF", rest
	}
	n.lead, n.Body = bom, text
	first, rest := cutLine(text)
	if strings.TrimRight(first, " \t\r\n") != "---" {
		return
	}
	for at := 0; at < len(rest); {
		line, _ := cutLine(rest[at:])
		if mark := strings.TrimRight(line, " \t\r\n"); mark == "---" || mark == "..." {
			after := rest[at+len(line):]
			body := strings.TrimLeft(after, "\r\n")
			n.lead, n.Front, n.Body = bom+first, rest[:at], body
			n.tail = rest[at : len(rest)-len(body)]
			return
		}
		at += len(line)
	}
	n.Problem = "the front matter has no closing line ---"
}

// Bytes returns the content of the file.
func (n *Text) Bytes() []byte { return []byte(n.lead + n.Front + n.tail + n.Body) }

// Says returns the title and the text.
func (n *Text) Says() string { return n.Title + "\n" + n.Body }

// BodyLines returns a function that maps a byte offset in the body to a line of the file.
func (n *Text) BodyLines() func(at int) int {
	first := 1 + strings.Count(n.lead+n.Front+n.tail, "\n")
	var ends []int
	for i := range len(n.Body) {
		if n.Body[i] == '\n' {
			ends = append(ends, i)
		}
	}
	return func(at int) int {
		before, _ := slices.BinarySearch(ends, at)
		return first + before
	}
}

// ConflictLine returns the line of the first conflict marker.
func (n *Text) ConflictLine() int {
	text := string(n.Bytes())
	return 1 + strings.Count(text[:strings.Index("\n"+text, "\n"+conflictStart)], "\n")
}

// CheckLimits returns an error if a note exceeds a limit.
func (n *Text) CheckLimits() error {
	if len(n.Body) > BodyLimit {
		return errors.TooLong("body", len(n.Body), BodyLimit, "bytes")
	}
	for _, key := range []struct {
		name  string
		words []string
		limit int
	}{{"title", []string{n.Title}, TitleLimit}, {"type", []string{n.Type}, WordLimit}, {"status", []string{n.Status}, StatusLimit}, {"tags", n.Tags, WordLimit}} {
		for _, word := range key.words {
			if size := utf8.RuneCountInString(word); size > key.limit {
				return errors.TooLong(key.name, size, key.limit, "characters")
			}
		}
	}
	if size := max(len(n.Tags), len(n.Files), len(n.Supersedes)); size > ListLimit {
		return errors.TooLong("tags, files or supersedes", size, ListLimit, "entries")
	}
	return nil
}

// cutLine returns the first line of text with its line end, and the rest.
func cutLine(text string) (line, rest string) {
	end := strings.IndexByte(text, '\n') + 1
	if end == 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// FindTitle returns the first heading of the body, or else the name or the first line.
func FindTitle(body, name string) string {
	first := ""
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if level, heading := parseHeading(line); level > 0 && heading != "" {
			return heading
		}
		if first == "" {
			first = line
		}
	}
	return cmp.Or(name, first)
}

const conflictStart = "<<<<<<< "

// isConflicted reports whether a text contains a complete set of conflict markers.
func isConflicted(text string) bool {
	found := 0
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, conflictStart):
			found |= 1
		case strings.TrimRight(line, "\r\n") == "=======":
			found |= 2
		case strings.HasPrefix(line, ">>>>>>> "):
			found |= 4
		}
	}
	return found == 7
}
