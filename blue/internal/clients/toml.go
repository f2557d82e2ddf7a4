package clients

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"blue/errors"
)

// tomlText is TOML 1.0, as Codex reads it. The library says whether a text is
// valid and what it means; it keeps no positions of statements, so a small
// scanner finds them in text that is known to be valid.
type tomlText struct{}

func (tomlText) decode(src []byte) (any, error) {
	plain := map[string]any{}
	err := toml.Unmarshal(bytes.TrimPrefix(src, byteOrderMark), &plain)
	if bad, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := bad.Position()
		return nil, fault{line, strings.TrimPrefix(bad.Error(), "toml: ")}
	}
	if err != nil {
		return nil, fault{0, strings.TrimPrefix(err.Error(), "toml: ")}
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
func (tomlText) statements(src []byte) []statement {
	var list []statement
	var table []string
	pos := len(src) - len(bytes.TrimPrefix(src, byteOrderMark))
	for pos < len(src) {
		s := statement{start: pos}
		first := pos + len(src[pos:]) - len(bytes.TrimLeft(src[pos:], " \t"))
		if first == len(src) || strings.IndexByte("#\r\n", src[first]) >= 0 {
			pos = lineEnd(src, first)
			continue
		}
		if src[first] == '[' {
			s.head = true
			s.many = bytes.HasPrefix(src[first:], []byte("[["))
			stop := skipTo(src, first, "]")
			s.path = keyPath(bytes.TrimLeft(src[first:stop], "["))
			table = s.path
			s.end = lineEnd(src, stop)
		} else {
			equals := skipTo(src, first, "=")
			s.path = slices.Concat(table, keyPath(src[first:equals]))
			s.value = equals + 1 + len(src[equals+1:]) - len(bytes.TrimLeft(src[equals+1:], " \t"))
			s.stop = valueEnd(src, s.value)
			s.end = lineEnd(src, s.stop)
		}
		list = append(list, s)
		pos = s.end
	}
	return list
}

// lineEnd is the offset of the next line.
func lineEnd(src []byte, pos int) int {
	return min(len(src), pos+until(src[pos:], "\n")+1)
}

// skipTo is the offset of the first of the bytes outside quotes.
func skipTo(src []byte, pos int, any string) int {
	for pos < len(src) && strings.IndexByte(any, src[pos]) < 0 {
		pos = skipOne(src, pos)
	}
	return pos
}

// skipOne steps over a byte, or a text in quotes of any of the four kinds.
func skipOne(src []byte, pos int) int {
	quote := src[pos : pos+1]
	if quote[0] != '"' && quote[0] != '\'' {
		return pos + 1
	}
	if triple := bytes.Repeat(quote, 3); bytes.HasPrefix(src[pos:], triple) {
		quote = triple
	}
	for i := pos + len(quote); i < len(src); i++ {
		switch {
		case src[i] == '\\' && quote[0] == '"':
			i++
		case bytes.HasPrefix(src[i:], quote):
			i += len(quote)
			for n := 0; len(quote) == 3 && n < 2 && i < len(src) && src[i] == quote[0]; n++ {
				i++ // up to two quotes may belong to the text
			}
			return i
		}
	}
	return len(src)
}

// valueEnd is where a value ends, before blanks and a comment.
func valueEnd(src []byte, pos int) int {
	depth := 0
	end := pos
	for pos < len(src) {
		switch c := src[pos]; {
		case c == '#' && depth == 0, c == '\n' && depth == 0:
			return end
		case c == '#':
			pos += until(src[pos:], "\n")
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		}
		next := skipOne(src, pos)
		if strings.IndexByte(" \t\r\n", src[pos]) < 0 {
			end = next
		}
		pos = next
	}
	return end
}

// keyPath decodes a dotted key by letting the library read it.
func keyPath(key []byte) []string {
	var path []string
	var v any = map[string]any{}
	if toml.Unmarshal(append(bytes.Clone(key), " = 0"...), &v) != nil {
		return nil
	}
	for {
		members, ok := v.(map[string]any)
		if !ok {
			return path
		}
		for name, inner := range members {
			path, v = append(path, name), inner
		}
		if len(members) == 0 {
			return path
		}
	}
}

// under reports whether the statement sets the path or something in it.
func (s statement) under(path []string) bool {
	return len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
}
