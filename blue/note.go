package blue

import (
	"bytes"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Cited is a file of the project that a note is about.
type Cited struct {
	Path    string `json:"path" yaml:"path"`                     // relative to the project root, with slashes
	Hash    string `json:"hash,omitempty" yaml:"hash,omitempty"` // first 16 hex digits of the SHA-256 of its content when it was cited
	Changed bool   `json:"changed,omitempty" yaml:"-"`           // its content is no longer what it was, or it is gone
}

// Types of notes that have a meaning of their own; any other word is allowed.
const (
	TypeNote       = "note"
	TypeCheckpoint = "checkpoint"
)

// knownTypes are all of them.
var knownTypes = []string{TypeNote, "decision", TypeCheckpoint, "remediation", "skill", "reference"}

// Words of the front matter key "status".
const (
	Active     = "active"
	Superseded = "superseded"
)

// notUTF8 is the problem of a file that is no text; what else is wrong with it does
// not matter beside.
const notUTF8 = "the file is not UTF-8 text"

// Text is a file of notes/ or private/, taken apart. The parts lead, Front, tail and
// Body concatenated are the file, byte for byte.
type Text struct {
	lead  string // byte order mark and the opening line "---", or only the former
	Front string // the lines of the front matter, without the two "---"
	tail  string // the closing "---" and the blank lines after it; empty without front matter
	Body  string
	eol   string // the line end of the file: "\n" or "\r\n"

	Type, Title, Author, Status string
	Tags, Supersedes            []string
	Created                     time.Time // zero when the file does not say
	Files                       []Cited
	From                        string // what an import made it of
	Request                     string // of a note that was written with a key: a hash of that and of what was sent
	Problem                     string // why the front matter cannot be used; empty when it can
	Conflicted                  bool   // the file holds the conflict markers of a merge
}

// ParseText takes a file apart. It never fails: a file that is no good note is a
// note all the same, with what is wrong in Problem. The name gives the title
// when nothing in the file does.
func ParseText(name string, data []byte) Text {
	text := string(data)
	n := Text{Type: TypeNote, Status: Active, eol: "\n"}
	if !utf8.ValidString(text) {
		n.Problem = notUTF8 // its bytes stay as they are; whoever shows them makes them visible
	}
	if first, _, ok := strings.Cut(text, "\n"); ok && strings.HasSuffix(first, "\r") {
		n.eol = "\r\n"
	}
	n.split(text)
	n.Conflicted = conflicted(text)
	if n.tail != "" {
		n.readFront()
	}
	if n.Title == "" {
		n.Title = titleOf(n.Body, strings.TrimSuffix(path.Base(name), ".md"))
	}
	return n
}

// split finds the front matter. An opening "---" without a closing one opens
// nothing: the whole file is body.
func (n *Text) split(text string) {
	n.Body = text
	bom := ""
	if rest, ok := strings.CutPrefix(text, "\uFEFF"); ok {
		bom, text = "\uFEFF", rest
	}
	n.lead, n.Body = bom, text
	first, rest, ok := cutLine(text)
	if !ok || strings.TrimRight(first, " \t\r\n") != "---" {
		return
	}
	for at := 0; at < len(rest); {
		line, _, _ := cutLine(rest[at:])
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
func (n *Text) Bytes() []byte {
	return []byte(n.lead + n.Front + n.tail + n.Body)
}

// cutLine returns the first line of text with its line end, and the rest.
func cutLine(text string) (line, rest string, ok bool) {
	if text == "" {
		return "", "", false
	}
	if i := strings.IndexByte(text, '\n'); i >= 0 {
		return text[:i+1], text[i+1:], true
	}
	return text, "", true
}

// titleOf is the first heading of the body, else its first line, else the name.
func titleOf(body, name string) string {
	first := ""
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			return strings.TrimSpace(strings.TrimRight(heading, "# "))
		}
		if first == "" {
			first = line
		}
	}
	if name != "" {
		return name
	}
	return first
}

// conflicted reports whether a text holds a whole set of conflict markers.
func conflicted(text string) bool {
	found := 0
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "<<<<<<< "):
			found |= 1
		case strings.TrimRight(line, "\r\n") == "=======":
			found |= 2
		case strings.HasPrefix(line, ">>>>>>> "):
			found |= 4
		}
	}
	return found == 7
}

// setBody replaces the body, with the line ends of the file and one at the end.
func (n *Text) setBody(body string) {
	body = strings.TrimRight(strings.ReplaceAll(body, "\r\n", "\n"), "\n") + "\n"
	n.putBody(strings.ReplaceAll(strings.TrimLeft(body, "\n"), "\n", n.eol))
}

// putBody replaces the body by bytes that stay as they are.
func (n *Text) putBody(body string) {
	n.Body = body
	if n.tail != "" && !strings.HasSuffix(n.tail, "\n") {
		n.tail += n.eol + n.eol
	}
}

// appendBody adds text after a blank line; what stands there stays as it is.
func (n *Text) appendBody(text string) {
	gap := n.eol + n.eol
	switch {
	case strings.HasSuffix(n.Body, gap):
		gap = ""
	case strings.HasSuffix(n.Body, "\n"):
		gap = n.eol
	}
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n") + "\n"
	n.Body += gap + strings.ReplaceAll(text, "\n", n.eol)
}

// SetFront sets one key of the front matter, nil removes it; every other byte
// stays. A note without front matter gets some.
func (n *Text) SetFront(key string, value any) error {
	lines := ""
	if value != nil {
		out, err := yaml.Marshal(map[string]any{key: value})
		if err != nil {
			return err
		}
		lines = strings.ReplaceAll(string(out), "\n", n.eol)
	}
	if n.tail == "" {
		n.lead, n.Front, n.tail = n.lead+"---"+n.eol, "", "---"+n.eol+n.eol
	}
	from, to := n.span(key)
	n.Front = n.Front[:from] + lines + n.Front[to:]
	return nil
}

// span is where the lines of a top-level key begin and end in the front matter;
// both are its length when the key is not there. Comments and blank lines before
// the next key belong to that one.
func (n *Text) span(key string) (from, to int) {
	root := mapping(n.Front)
	if root == nil {
		return len(n.Front), len(n.Front)
	}
	starts := lineStarts(n.Front)
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value != key {
			continue
		}
		end := len(starts) - 1
		if i+2 < len(root.Content) {
			end = root.Content[i+2].Line - 1
		}
		begin := root.Content[i].Line - 1
		for end > begin+1 && loose(n.Front[starts[end-1]:starts[end]]) {
			end--
		}
		return starts[begin], starts[end]
	}
	return len(n.Front), len(n.Front)
}

// loose reports whether a line is blank or a comment that stands at the margin.
func loose(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
}

// lineStarts returns the offset of each line of text, and its length.
func lineStarts(text string) []int {
	starts := []int{0}
	for at := 0; at < len(text); {
		line, _, _ := cutLine(text[at:])
		at += len(line)
		starts = append(starts, at)
	}
	return starts
}

// mapping parses front matter, nil when it is not a mapping.
func mapping(front string) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(front), &document); err != nil || len(document.Content) == 0 {
		return nil
	}
	if root := document.Content[0]; root.Kind == yaml.MappingNode {
		return root
	}
	return nil
}

// draftFront renders the front matter of a new note, in the order of docs/notes.md.
func draftFront(n Text) ([]byte, error) {
	front := struct {
		Type       string    `yaml:"type"`
		Title      string    `yaml:"title"`
		Tags       []string  `yaml:"tags,flow,omitempty"`
		Created    time.Time `yaml:"created"` // RFC 3339
		Author     string    `yaml:"author,omitempty"`
		Files      []Cited   `yaml:"files,omitempty"`
		Status     string    `yaml:"status"`
		Supersedes []string  `yaml:"supersedes,flow,omitempty"`
		Request    string    `yaml:"request,omitempty"`
	}{n.Type, n.Title, n.Tags, n.Created.UTC(), n.Author, n.Files, n.Status, n.Supersedes, n.Request}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(front)
	return b.Bytes(), err
}
