package note

import (
	"bytes"
	"reflect"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// HasKey reports whether the front matter has a key.
func (n *Text) HasKey(key string) bool {
	from, to := n.findKey(key)
	return from < to
}

// SetKey sets a key of the front matter, or removes it if the value is nil. All other bytes stay. A
// note without front matter gets one.
func (n *Text) SetKey(key string, value any) error {
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
	from, to := n.findKey(key)
	n.Front = n.Front[:from] + lines + n.Front[to:]
	return nil
}

// findKey returns the byte range of a top-level key's lines in the front matter, or its length
// twice if the key is missing. Comments and blank lines belong to the key that follows them.
func (n *Text) findKey(key string) (from, to int) {
	root, _ := parseMapping(n.Front)
	starts := lineStarts(n.Front)
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == key {
			return n.keyLines(root, starts, i)
		}
	}
	return len(n.Front), len(n.Front)
}

// keyLines returns the byte range of the lines of a mapping's i-th key.
func (n *Text) keyLines(root *yaml.Node, starts []int, i int) (from, to int) {
	end := len(starts) - 1
	if i+2 < len(root.Content) {
		end = root.Content[i+2].Line - 1
	}
	begin := root.Content[i].Line - 1
	for end > begin+1 && isLoose(n.Front[starts[end-1]:starts[end]]) {
		end--
	}
	return starts[begin], starts[end]
}

// KeyLines is the lines of a key of the front matter with the comments and blank lines before it.
// The segment after the last key has no key.
type KeyLines struct{ Key, Lines string }

// Segments splits the front matter into segments, which concatenate to it. ok is false if keys
// share a line or occur twice.
func (n *Text) Segments() (all []KeyLines, ok bool) {
	root, problem := parseMapping(n.Front)
	starts, seen, at := lineStarts(n.Front), map[string]bool{"": true}, 0
	for i := 0; problem == "" && i+1 < len(root.Content); i += 2 {
		key := root.Content[i].Value
		from, to := n.keyLines(root, starts, i)
		if seen[key] || from < at || root.Style&yaml.FlowStyle != 0 {
			return nil, false
		}
		seen[key] = true
		all = append(all, KeyLines{key, n.Front[at:to]})
		at = to
	}
	if at < len(n.Front) {
		all = append(all, KeyLines{"", n.Front[at:]})
	}
	return all, problem == "" && n.Problem == ""
}

// Frame returns the text around the front matter: the opening line with a byte order mark, and the
// closing line with the blank lines after it, which is empty without front matter.
func (n *Text) Frame() (opening, closing string) { return n.lead, n.tail }

// isLoose reports whether a line is blank or an unindented comment.
func isLoose(line string) bool {
	return strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#")
}

// lineEnds lists the line ends of YAML, which has more than Markdown.
var lineEnds = regexp.MustCompile("\r\n|[\n\r\u0085\u2028\u2029]")

// lineStarts returns the offset of each line of a front matter, followed by its length.
func lineStarts(text string) []int {
	starts := []int{0}
	for _, end := range lineEnds.FindAllStringIndex(text, -1) {
		starts = append(starts, end[1])
	}
	if starts[len(starts)-1] < len(text) {
		starts = append(starts, len(text))
	}
	return starts
}

// InlineList returns words as a YAML flow sequence, or nil if there are none.
func InlineList(words []string) any {
	if len(words) == 0 {
		return nil
	}
	node := &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
	for _, word := range words {
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: word})
	}
	return node
}

// newFront is the front matter of a new note.
type newFront struct {
	Type       string    `yaml:"type"`
	Title      string    `yaml:"title"`
	Tags       []string  `yaml:"tags,flow,omitempty"`
	Created    time.Time `yaml:"created"` // RFC 3339
	Author     string    `yaml:"author,omitempty"`
	UID        string    `yaml:"uid,omitempty"`
	Files      []Cited   `yaml:"files,omitempty"`
	Status     string    `yaml:"status"`
	Supersedes []string  `yaml:"supersedes,flow,omitempty"`
	Branch     string    `yaml:"branch,omitempty"`
	Request    string    `yaml:"request,omitempty"`
}

// KeyOrder returns the keys of a new note in the order in which they are written.
func KeyOrder() (keys []string) {
	for field := range reflect.TypeFor[newFront]().Fields() {
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		keys = append(keys, key)
	}
	return keys
}

// RenderFront sets the front matter of a new note from its fields, in the order of [KeyOrder].
func (n *Text) RenderFront() error {
	front := newFront{n.Type, n.Title, n.Tags, n.Created.UTC(), n.Author, n.UID, n.Files, n.Status, n.Supersedes, n.Branch, n.Request}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(front)
	n.eol, n.lead, n.Front, n.tail = "\n", "---\n", b.String(), "---\n\n"
	return err
}
