package config

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// member is the index of the key in a mapping, -1 without it.
func member(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Kind == yaml.ScalarNode && n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// extentOf returns the lines of a key and its value: those indented deeper,
// and blank lines and comments between them.
func extentOf(src []byte, key *yaml.Node) (start, end int) {
	start = lineStart(src, key.Line)
	end = lineEnd(src, start)
	for pos := end; pos < len(src); {
		next := lineEnd(src, pos)
		line := bytes.TrimRight(src[pos:next], " \t\r\n")
		depth := len(line) - len(bytes.TrimLeft(line, " "))
		deeper := len(line) > 0 && depth >= key.Column
		if !deeper && len(line) > 0 && line[depth] != '#' {
			break
		}
		pos = next
		if deeper {
			end = next
		}
	}
	return start, end
}

// lineStart is the offset of a line, counted from 1.
func lineStart(src []byte, line int) int {
	pos := 0
	for range line - 1 {
		pos = lineEnd(src, pos)
	}
	return pos
}

// eraseValue takes out a written null or {}, and the blanks before it.
func eraseValue(src []byte, n *yaml.Node) []byte {
	at := min(len(src), lineStart(src, n.Line)+n.Column-1)
	for _, text := range []string{"{}", "~", "null", "Null", "NULL"} {
		if bytes.HasPrefix(src[at:], []byte(text)) {
			return replace(src, len(bytes.TrimRight(src[:at], " ")), at+len(text), "")
		}
	}
	return src
}

// insertLines puts text behind the line.
func insertLines(src []byte, line int, text string) []byte {
	return insertText(src, lineEnd(src, lineStart(src, line)), text)
}

// lines encodes a value with a margin.
func lines(n *yaml.Node, margin int, nl string) string {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	_ = enc.Encode(n) // a buffer takes every write
	text := ""
	for line := range strings.Lines(b.String()) {
		if line = strings.TrimRight(line, "\n"); line != "" {
			line = strings.Repeat(" ", margin) + line
		}
		text += line + nl
	}
	return text
}

// yamlNode builds the node of a value.
func yamlNode(v any) *yaml.Node {
	n := &yaml.Node{}
	o, ok := v.(Object)
	if !ok {
		_ = n.Encode(v) // texts, lists of them, numbers and truth values encode
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
