// Package note knows a note as text: its front matter and body, its id, its links and
// sections, and how it is shown. It is pure: bytes and words go in, and come out.
//
// A file comes apart by [ParseText] into parts that make the same file again, byte for
// byte, so that an edit (front.go, body.go) changes only what it names. What a person
// wrote is never refused here; what is wrong with a file stands in [Text].Problem.
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
	TitleLimit   = 200       // characters
	WordLimit    = 100       // characters of a type or a tag
	StatusLimit  = 64        // characters of a status
	ListLimit    = 100       // tags, files or ids of one note
	ProblemLimit = 300       // characters of a problem: a parser repeats names of any length
)

// Types of notes that mean something to the program.
const (
	TypeNote       = "note"
	TypeDecision   = "decision"
	TypeCheckpoint = "checkpoint"
	TypeRemedy     = "remediation"
	TypeSkill      = "skill"
)

// Types returns the types of notes that have a meaning of their own, the default one
// first; any other word is a type too.
func Types() []string {
	return []string{TypeNote, TypeDecision, TypeCheckpoint, TypeRemedy, TypeSkill, "reference"}
}

// Cited is a file of the project that a note is about, or a part of one. In a reply Path
// names the part too, and Hash is that of the part.
type Cited struct {
	Path     string `json:"path" yaml:"path"`                               // relative to the project root, with slashes
	Hash     string `json:"hash,omitempty" yaml:"hash,omitempty"`           // first 16 hex digits of the SHA-256 of its content when it was cited
	Span     string `json:"span,omitempty" yaml:"span,omitempty"`           // the part: lines such as L10-L42, or a name that the file defines
	Lines    string `json:"lines,omitempty" yaml:"lines,omitempty"`         // the lines that a name had when it was cited
	SpanHash string `json:"span_hash,omitempty" yaml:"span_hash,omitempty"` // of the part, when it was cited
	Changed  bool   `json:"changed,omitempty" yaml:"-"`                     // the content is no longer what it was, or is gone
	Gone     bool   `json:"gone,omitempty" yaml:"-"`                        // the project has no such file
	Now      string `json:"now,omitempty" yaml:"-"`                         // where it is now, when that is elsewhere
}

// Ref is how a citation is written: the path, and the part behind "#".
func (c Cited) Ref() string {
	if c.Span == "" {
		return c.Path
	}
	return c.Path + "#" + c.Span
}

// Text is a file of notes/ or private/, taken apart. The parts lead, Front, tail and
// Body concatenated are the file, byte for byte.
type Text struct {
	id    string // from the name of the file
	lead  string // byte order mark and the opening line "---", or only the former
	Front string // the lines of the front matter, without the two "---"
	tail  string // the closing "---" and the blank lines after it; empty without front matter
	Body  string
	eol   string // the line end of the file: "\n" or "\r\n"

	Type, Title, Author, Status string
	Tags, Aliases, Supersedes   []string
	Created                     time.Time // zero when the file does not say
	Files                       []Cited
	UID                         string // identity that stays when the file gets another name; see [Text.Identity]
	Verified                    string // day on which somebody saw that the note still holds, and who
	Branch                      string // of a checkpoint: the git branch that was checked out when it was written
	From                        string // what an import made it of
	ConflictWith                string // id of the note of which this is what another machine has made
	Request                     string // of a note that was written with a key: a hash of that and of what was sent
	Problem                     string // why the front matter cannot be used; empty when it can
	Conflicted                  bool   // the file holds the conflict markers of a merge
}

// ParseText takes a file apart. It never fails: a file that is no good note is a
// note all the same, with what is wrong in Problem. The name gives the title
// when nothing in the file does.
func ParseText(name string, data []byte) Text {
	text := string(data)
	n := Text{id: IDOf(name), Type: TypeNote, Status: Active, eol: "\n"}
	if !utf8.ValidString(text) {
		n.Problem = "the file is not UTF-8 text" // its bytes stay as they are; whoever shows them makes them visible
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

// ParseBody returns the body of a file as valid UTF-8; nothing else of it is looked at.
func ParseBody(data []byte) string {
	var n Text
	n.splitParts(strings.ToValidUTF8(string(data), "\uFFFD"))
	return n.Body
}

// splitParts finds the front matter. An opening "---" without a closing one opens
// nothing: the whole file is body.
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

// Bytes puts the file together again.
func (n *Text) Bytes() []byte { return []byte(n.lead + n.Front + n.tail + n.Body) }

// BodyLines returns a function that tells the line of the file on which a byte of the body
// stands.
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

// ConflictLine is the line of the file on which the first conflict marker stands.
func (n *Text) ConflictLine() int {
	text := string(n.Bytes())
	return 1 + strings.Count(text[:strings.Index("\n"+text, "\n"+conflictStart)], "\n")
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
	if size := utf8.RuneCountInString(n.Status); size > StatusLimit {
		return errors.TooLong("status", size, StatusLimit, "characters")
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

// cutLine returns the first line of text with its line end, and the rest.
func cutLine(text string) (line, rest string) {
	end := strings.IndexByte(text, '\n') + 1
	if end == 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

// FindTitle returns the first heading of the body, else the name, else the first line.
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

// isConflicted reports whether a text holds a whole set of conflict markers.
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
