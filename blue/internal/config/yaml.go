package config

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"blue/errors"
)

// YAML is YAML in the block style, as Goose keeps its file. The library
// gives the line and column of each key; the edit works on whole lines and so
// leaves all others as they are. Flow style is read and not edited.
type YAML struct{}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s*)?(?:line (\d+): )?`)

// yamlBreak matches the line ends that YAML has and editors do not count, and
// a byte order mark that is not the first character.
var yamlBreak = regexp.MustCompile(`\r(?:[^\n]|$)|\x{85}|\x{2028}|\x{2029}|(?s:.)\x{feff}`)

// meaning matches the failures that concern a document rather than a line.
var meaning = regexp.MustCompile(`anchor|aliasing|merge|map key|!!`)

// Decode reads a text of one document.
func (y YAML) Decode(src []byte) (any, error) {
	_, plain, err := y.document(src)
	return plain, err
}

// document returns the root of the only document, nil for none, and its value.
func (YAML) document(src []byte) (root *yaml.Node, plain any, err error) {
	if at := yamlBreak.FindIndex(src); at != nil {
		return nil, nil, Fault{lineAt(src, at[0]), "a line end other than LF and CR LF, or a byte order mark within the text"}
	}
	var doc, more yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(src))
	if err := dec.Decode(&doc); err == io.EOF {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, yamlFault(src, err)
	}
	if err := dec.Decode(&more); err == nil {
		return nil, nil, Fault{more.Line, "a second document begins"}
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
		return nil, nil, Fault{root.Line, "an object with texts as keys is expected"}
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
	case strings.Contains(text, "did not find expected"): // counted from 0 by the library
		line = min(line+1, lineAt(bytes.TrimRight(src, "\n"), len(src)))
	case line == 0 && oddLine(src) > 0: // it is silent about the place of a control character
		line = oddLine(src)
	case line == 0 && !meaning.MatchString(text): // and about line 1
		line = 1
	}
	return Fault{line, strings.TrimPrefix(text, found[0])}
}

// Put writes members of the object at path, two keys deep, in block style.
func (y YAML) Put(src []byte, path []string, want Object, stale []string) ([]byte, error) {
	root, _, err := y.document(src)
	if err != nil {
		return nil, err
	}
	nl := newline(src)
	if root == nil {
		return insertText(src, len(src), lines(yamlNode(nest(path, want)), 0, nl)), nil
	}
	if root.Style&yaml.FlowStyle != 0 {
		return nil, Fault{root.Line, "written in braces, which Blue does not extend"}
	}
	i := member(root, path[0])
	if i < 0 {
		return insertText(src, len(src), lines(yamlNode(nest(path, want)), root.Column-1, nl)), nil
	}
	key, servers := root.Content[i], root.Content[i+1]
	if servers.Tag == "!!null" || servers.Kind == yaml.MappingNode && len(servers.Content) == 0 {
		src = eraseValue(src, servers)
		margin := key.Column + 1
		return insertLines(src, key.Line, lines(yamlNode(nest(path[1:], want)), margin, nl)), nil
	}
	if servers.Kind != yaml.MappingNode || servers.Style&yaml.FlowStyle != 0 || servers.Line == key.Line {
		return nil, Fault{servers.Line, "the value of \"" + path[0] + "\" is not an object in block style"}
	}
	margin := servers.Content[0].Column - 1
	j := member(servers, path[1])
	if j < 0 {
		return insertLines(src, key.Line, lines(yamlNode(nest(path[1:], want)), margin, nl)), nil
	}
	return y.update(src, servers, j, merged{want, stale})
}

// merged is the change of an entry that is there.
type merged struct {
	want  Object
	stale []string
}

// update writes the entry anew with its own comments and further members.
func (YAML) update(src []byte, servers *yaml.Node, i int, m merged) ([]byte, error) {
	key, entry := servers.Content[i], servers.Content[i+1]
	if entry.Kind != yaml.MappingNode {
		return nil, Fault{entry.Line, "the value of \"" + key.Value + "\" is not an object"}
	}
	var present map[string]any
	if err := entry.Decode(&present); err != nil {
		return nil, yamlFault(src, err)
	}
	for _, p := range m.want {
		if j := member(entry, p.Key); j >= 0 {
			if !p.Once && !Equal(p.Value, present[p.Key]) {
				fresh, old := yamlNode(p.Value), entry.Content[j+1]
				fresh.HeadComment, fresh.LineComment, fresh.FootComment = old.HeadComment, old.LineComment, old.FootComment
				entry.Content[j+1] = fresh
			}
		} else if !p.Once {
			entry.Content = append(entry.Content, yamlNode(p.Key), yamlNode(p.Value))
		}
	}
	for _, name := range m.stale {
		if j := member(entry, name); j >= 0 {
			entry.Content = slices.Delete(entry.Content, j, j+2)
		}
	}
	entry.Style &^= yaml.FlowStyle
	start, end := extentOf(src, key)
	key.HeadComment, key.FootComment, entry.FootComment = "", "", "" // stay where they are
	text := lines(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, entry}}, key.Column-1, newline(src))
	if src[end-1] != '\n' {
		text = strings.TrimRight(text, "\r\n")
	}
	return replace(src, start, end, text), nil
}

// Drop takes out the object at path, two keys deep.
func (y YAML) Drop(src []byte, path []string) ([]byte, error) {
	root, _, err := y.document(src)
	if err != nil {
		return nil, err
	}
	i := member(root, path[0])
	if i < 0 || root.Content[i+1].Kind != yaml.MappingNode {
		return nil, Fault{root.Line, "the entry stands in an alias or a merged object"}
	}
	servers := root.Content[i+1]
	j := member(servers, path[1])
	if j < 0 || servers.Style&yaml.FlowStyle != 0 || root.Style&yaml.FlowStyle != 0 {
		return nil, Fault{servers.Line, "the entry is written in braces or merged, which Blue does not edit"}
	}
	start, end := extentOf(src, servers.Content[j])
	first, last := extentOf(src, root.Content[i])
	if len(servers.Content) > 2 {
		return replace(src, start, end, ""), nil
	}
	if lineEnd(src, first) == start && blank(src[end:last]) { // nothing else stands in the container
		return replace(src, first, last, ""), nil
	}
	src = replace(src, start, end, "")
	colon := first + root.Content[i].Column - 1
	colon += until(src[colon:], ":")
	return replace(src, colon+1, colon+1, " {}"), nil // an object, as before, not null
}
