package clients

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

// yamlText is YAML in block style, as Goose writes its file. The library returns the line and
// column of each key, and edits change whole lines. The library's encoder writes only the new
// lines, because it would change blanks and line ends of the others. Flow style is read but not
// edited.
type yamlText struct{}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?`)

// yamlBreak matches line breaks that YAML knows but editors do not count, and a byte order mark
// that is not the first character.
var yamlBreak = regexp.MustCompile(`\r(?:[^\n]|$)|\x{85}|\x{2028}|\x{2029}|(?s:.)\x{feff}`)

// meaning matches errors that concern the whole document rather than a line.
var meaning = regexp.MustCompile(`anchor|aliasing|merge|map key|!!`)

// decode decodes a text with one document.
func (y yamlText) decode(src []byte) (any, error) {
	_, plain, err := y.document(src)
	return plain, err
}

// document returns the root of the only document, nil for none, and its value.
func (yamlText) document(src []byte) (root *yaml.Node, plain any, err error) {
	if at := yamlBreak.FindIndex(src); at != nil {
		return nil, nil, fault{lineAt(src, at[0]), "a line end other than LF and CR LF, or a byte order mark within the text"}
	}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(src))
	if err := dec.Decode(&doc); err == io.EOF {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, yamlFault(src, err)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, nil, fault{more.Line, "a second document begins"}
	} else if err != io.EOF {
		return nil, nil, yamlFault(src, err)
	}
	if err := doc.Decode(&plain); err != nil {
		return nil, nil, yamlFault(src, err)
	}
	root = doc.Content[0]
	if plain == nil {
		return nil, nil, nil
	}
	if _, ok := plain.(map[string]any); !ok {
		return nil, nil, fault{root.Line, "an object with texts as keys is expected"}
	}
	return root, plain, nil
}

func yamlFault(src []byte, err error) error {
	text := err.Error()
	if bad, ok := errors.AsType[*yaml.TypeError](err); ok && len(bad.Errors) > 0 {
		text = bad.Errors[0]
	}
	found := yamlLine.FindStringSubmatch(text)
	line, _ := strconv.Atoi(found[1])
	switch {
	case strings.Contains(text, "did not find expected"): // the library counts from 0
		line = min(line+1, lineAt(bytes.TrimRight(src, "\n"), len(src)))
	case line == 0 && oddLine(src) > 0: // the library omits the line of a control character
		line = oddLine(src)
	case line == 0 && !meaning.MatchString(text): // and line 1
		line = 1
	}
	return fault{line, strings.TrimPrefix(text, found[0])}
}

// set sets the value at path to v, in block style. A nil v removes the value; a container that
// becomes empty is removed or becomes {}.
func (y yamlText) set(src []byte, path []string, v any) ([]byte, error) {
	at, _, err := y.document(src)
	if err != nil {
		return nil, err
	}
	if at == nil {
		return insertText(src, len(src), yamlLines(src, path, v, 0, "")), nil
	}
	end := len(src) // where to insert: at the end, but at the beginning of a top-level container
	var above *yaml.Node
	for depth, key := range path {
		i := member(at, key)
		switch {
		case at.Kind != yaml.MappingNode:
			return nil, fault{at.Line, "the value of \"" + above.Value + "\" is not an object"}
		case at.Style&yaml.FlowStyle != 0:
			return nil, fault{at.Line, "written in braces, which Blue does not edit"}
		case i < 0 && v == nil:
			return nil, fault{at.Line, "the entry stands in an alias or a merged object"}
		case i < 0:
			return insertText(src, end, yamlLines(src, path[depth:], v, at.Content[0].Column-1, "")), nil
		case depth == len(path)-1 && v == nil:
			return removed(src, at, i, above), nil
		case depth == len(path)-1:
			return replaced(src, at, i, v), nil
		}
		above, at = at.Content[i], at.Content[i+1]
		if at.Kind == yaml.MappingNode && len(at.Content) == 0 || depth == 0 && at.Tag == "!!null" {
			src = eraseValue(src, at)
			end = lineEnd(src, lineStart(src, above.Line))
			return insertText(src, end, yamlLines(src, path[depth+1:], v, above.Column+1, "")), nil
		}
		if end = lineEnd(src, lineStart(src, above.Line)); depth > 0 {
			_, end = extentOf(src, above)
		}
	}
	return src, nil
}

// member returns the index of the key in a mapping, -1 if it is missing.
func member(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// replaced writes the lines of a member again, keeping the comment after its value.
func replaced(src []byte, at *yaml.Node, i int, v any) []byte {
	key := at.Content[i]
	start, end := extentOf(src, key)
	text := yamlLines(src, []string{key.Value}, v, key.Column-1, at.Content[i+1].LineComment)
	if src[end-1] != '\n' {
		text = strings.TrimRight(text, "\r\n")
	}
	return replace(src, start, end, text)
}

// removed removes a member of the container below the key above.
func removed(src []byte, at *yaml.Node, i int, above *yaml.Node) []byte {
	start, end := extentOf(src, at.Content[i])
	if above == nil || len(at.Content) > 2 {
		return replace(src, start, end, "")
	}
	first, last := extentOf(src, above)
	if lineEnd(src, first) == start && blank(src[end:last]) { // the container holds nothing else
		return replace(src, first, last, "")
	}
	src = replace(src, start, end, "")
	colon := first + above.Column - 1
	colon += until(src[colon:], ":")
	return replace(src, colon+1, colon+1, " {}") // keeps it an object instead of null
}

// extentOf returns the lines of a key and its value: lines indented deeper, lines of a list at
// the same depth, and the blank lines and comments between them.
func extentOf(src []byte, key *yaml.Node) (start, end int) {
	start = lineStart(src, key.Line)
	end = lineEnd(src, start)
	for pos := end; pos < len(src); {
		next := lineEnd(src, pos)
		line := bytes.TrimRight(src[pos:next], " \t\r\n")
		text := bytes.TrimLeft(line, " ")
		depth := len(line) - len(text)
		listed := depth == key.Column-1 && (bytes.HasPrefix(text, []byte("- ")) || string(text) == "-")
		inside := len(text) > 0 && depth >= key.Column || listed
		if !inside && len(text) > 0 && text[0] != '#' {
			break
		}
		pos = next
		if inside {
			end = next
		}
	}
	return start, end
}

// lineStart returns the offset of a line number, counted from 1.
func lineStart(src []byte, line int) int {
	pos := 0
	for range line - 1 {
		pos = lineEnd(src, pos)
	}
	return pos
}

// eraseValue removes a literal null or {}, and the blanks before it.
func eraseValue(src []byte, n *yaml.Node) []byte {
	at := min(len(src), lineStart(src, n.Line)+n.Column-1)
	for _, text := range []string{"{}", "~", "null", "Null", "NULL"} {
		if bytes.HasPrefix(src[at:], []byte(text)) {
			return replace(src, len(bytes.TrimRight(src[:at], " ")), at+len(text), "")
		}
	}
	return src
}

// yamlLines encodes v below the keys, with a margin and the line ends of src.
func yamlLines(src []byte, path []string, v any, margin int, comment string) string {
	n := yamlNode(nest(path, v))
	if n.Content[1].Kind != yaml.MappingNode {
		n.Content[1].LineComment = comment
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	_ = enc.Encode(n) // a buffer accepts every write
	text, nl := "", newline(src)
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			line = strings.Repeat(" ", margin) + line
		}
		text += line + nl
	}
	return text
}

// yamlNode returns the node for a value.
func yamlNode(v any) *yaml.Node {
	n := &yaml.Node{}
	o, ok := v.(object)
	if !ok {
		_ = n.Encode(v) // values of these types always encode
		if n.Kind == yaml.SequenceNode {
			n.Style = yaml.FlowStyle
		}
		return n
	}
	n.Kind = yaml.MappingNode
	if len(o) == 0 {
		n.Style = yaml.FlowStyle
	}
	for _, m := range o {
		n.Content = append(n.Content, yamlNode(m.Key), yamlNode(m.Value))
	}
	return n
}
