package config

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"blue/errors"
)

// TOML is TOML 1.0, as Codex reads it. The library says whether a text is
// valid and what it means, and its parser where each statement stands; the edit
// works on whole lines and single values and so leaves all else as it is.
type TOML struct{}

// Decode reads a valid text.
func (TOML) Decode(src []byte) (any, error) {
	plain := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(src, byteOrderMark), &plain)
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := bad.Position()
		return nil, Fault{line, strings.TrimPrefix(bad.Error(), "toml: ")}
	}
	if err != nil {
		return nil, Fault{0, strings.TrimPrefix(err.Error(), "toml: ")}
	}
	return plain, nil
}

// statement is a table header or a key with its value.
type statement struct {
	path       []string // with the table that it stands in
	head, many bool     // [path]; [[path]]
	start, end int      // whole lines, line end included
	value      int      // src[value:stop] is the value
	stop       int
}

// statements splits a valid text.
func (TOML) statements(src []byte) []statement {
	body := bytes.TrimPrefix(src, byteOrderMark)
	mark := len(src) - len(body)
	var list []statement
	var table []string
	var p unstable.Parser
	for p.Reset(body); p.NextExpression(); {
		n := p.Expression()
		names, first, last := keyOf(n)
		s := statement{start: mark + bytes.LastIndexByte(body[:first], '\n') + 1}
		if n.Kind == unstable.KeyValue {
			s.path = slices.Concat(table, names)
			s.value = len(src) - len(bytes.TrimLeft(body[last:], " \t="))
			s.stop = mark + int(n.Raw.Offset+n.Raw.Length)
			s.end = lineEnd(src, s.stop)
		} else {
			s.head, s.many = true, n.Kind == unstable.ArrayTable
			s.path, table = names, names
			s.end = lineEnd(src, mark+last)
		}
		list = append(list, s)
	}
	return list
}

func keyOf(n *unstable.Node) (names []string, first, last int) {
	for keys := n.Key(); keys.Next(); {
		key := keys.Node()
		if len(names) == 0 {
			first = int(key.Raw.Offset)
		}
		names = append(names, string(key.Data))
		last = int(key.Raw.Offset + key.Raw.Length)
	}
	return names, first, last
}

// lineEnd is the offset of the next line.
func lineEnd(src []byte, pos int) int {
	return min(len(src), pos+until(src[pos:], "\n")+1)
}

// under reports whether the statement sets the path or something in it.
func (s statement) under(path []string) bool {
	return len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
}
