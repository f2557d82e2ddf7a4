package clients

import (
	"bytes"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"blue/errors"
)

// tomlText is TOML 1.0, as Codex reads it. The library validates and decodes a text, and its
// parser returns the position of each statement. An edit changes whole lines and single values.
type tomlText struct{}

// decode decodes a text, or returns a fault if it is invalid.
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
	path       []string // includes that of its table
	head, many bool     // [path]; [[path]]
	start, end int      // whole lines with the line ending
	value      int      // src[value:stop] is the value
	stop       int
}

// statements splits a valid text into statements.
func (tomlText) statements(src []byte) []statement {
	body := bytes.TrimPrefix(src, byteOrderMark)
	mark := len(src) - len(body)
	var list []statement
	var table []string
	var p unstable.Parser
	for p.Reset(body); p.NextExpression(); {
		n := p.Expression()
		var names []string
		first, last := 0, 0
		for keys := n.Key(); keys.Next(); {
			key := keys.Node()
			if len(names) == 0 {
				first = int(key.Raw.Offset)
			}
			names = append(names, string(key.Data))
			last = int(key.Raw.Offset + key.Raw.Length)
		}
		s := statement{path: names, start: mark + bytes.LastIndexByte(body[:first], '\n') + 1, stop: mark + last}
		if n.Kind == unstable.KeyValue {
			s.path = slices.Concat(table, names)
			s.value = len(src) - len(bytes.TrimLeft(body[last:], " \t="))
			s.stop = mark + int(n.Raw.Offset+n.Raw.Length)
		} else {
			s.head, s.many = true, n.Kind == unstable.ArrayTable
			table = names
		}
		s.end = lineEnd(src, s.stop)
		list = append(list, s)
	}
	return list
}

// under reports whether the statement sets the path or something below it.
func (s statement) under(path []string) bool {
	return len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
}

// set sets the value at path to v, in the table that has the header of its parent. An object
// without such a table becomes a table of its own. A nil v removes what is set at or below the
// path.
func (t tomlText) set(src []byte, path []string, v any) ([]byte, error) {
	table, headed := path[:len(path)-1], -1 // the last statement of the table
	list := t.statements(src)
	for i, s := range list {
		above := len(s.path) < len(path) && slices.Equal(s.path, path[:len(s.path)])
		switch {
		case above && s.many:
			return nil, fault{lineAt(src, s.start), "a list of tables stands where one table is expected"}
		case above && !s.head:
			text := "\"" + strings.Join(s.path, ".") + "\" has no table header, without which Blue does not change it"
			return nil, fault{lineAt(src, s.start), text}
		case s.head && slices.Equal(s.path, table), headed == i-1 && headed >= 0 && !s.head:
			headed = i
		}
	}
	same := func(s statement) bool { return !s.head && slices.Equal(s.path, path) }
	o, isTable := v.(object)
	switch i := slices.IndexFunc(list, same); {
	case isTable && (headed < 0 || len(table) < 2):
		nl := newline(src)
		block := "[" + strings.Join(path, ".") + "]" + nl
		for _, m := range o {
			block += tomlPair(m) + nl
		}
		return appendApart(cut(src, list, path), block), nil
	case v == nil:
		return cut(src, list, path), nil
	case i >= 0:
		return replace(src, list[i].value, list[i].stop, tomlValue(v)), nil
	case headed < 0:
		text := "the table header [" + strings.Join(table, ".") + "] is missing"
		first := slices.IndexFunc(list, func(s statement) bool { return s.under(table) })
		return nil, fault{lineAt(src, list[max(first, 0)].start), text}
	case slices.ContainsFunc(list, func(s statement) bool { return s.under(path) }): // as a table or with dotted keys
		return t.set(cut(src, list, path), path, v)
	}
	return insertText(src, list[headed].end, tomlPair(pair{Key: path[len(path)-1], Value: v})+newline(src)), nil
}

// cut removes the statements under the path, the comments between them, and one blank line
// before them if it would be left over.
func cut(src []byte, list []statement, path []string) []byte {
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].under(path) {
			continue
		}
		last := i
		for i > 0 && list[i-1].under(path) {
			i--
		}
		start, end := list[i].start, list[last].end
		src = replace(src, leftOver(src, start, end), end, "")
	}
	return src
}

// leftOver moves start before a blank line if the text after end begins with another blank line
// or is empty.
func leftOver(src []byte, start, end int) int {
	trim := func(text []byte) []byte { return bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")) }
	before := trim(src[:start])
	if !bytes.HasSuffix(before, []byte("\n")) || !blank(src[end:lineEnd(src, end)]) {
		return start
	}
	if end == len(src) && src[end-1] != '\n' { // the text still ends without a newline
		return len(trim(before))
	}
	return len(before)
}

func tomlPair(m pair) string { return m.Key + " = " + tomlValue(m.Value) }

func tomlValue(v any) string {
	var parts []string
	switch v := v.(type) {
	case object:
		for _, m := range v {
			parts = append(parts, tomlPair(m))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []string:
		for _, text := range v {
			parts = append(parts, tomlValue(text))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		// A JSON string is a TOML string, except for the one control character that JSON does
		// not escape.
		return strings.ReplaceAll(quote(v), "\x7f", `\u007F`)
	}
}
