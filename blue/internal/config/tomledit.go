package config

import (
	"bytes"
	"slices"
	"strings"
)

// Put writes members of the table at path, which has a header of its own.
func (t TOML) Put(src []byte, path []string, want Object, stale []string) ([]byte, error) {
	plain, err := t.Decode(src)
	if err != nil {
		return nil, err
	}
	list := t.statements(src)
	if err := unusual(src, list, path); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(list, func(s statement) bool { return s.under(path) }) {
		return appendTable(src, path, want), nil
	}
	present, _ := Dig(plain, path).(map[string]any)
	for _, m := range want {
		if !m.Once && !Equal(m.Value, present[m.Key]) {
			src = t.set(src, path, m)
		}
	}
	for _, key := range stale {
		src = t.without(src, append(path[:len(path):len(path)], key))
	}
	return src, nil
}

// unusual refuses the spellings that cannot be extended by lines: a container
// that is an inline table or no table, and an entry without a header of its own.
func unusual(src []byte, list []statement, path []string) error {
	headed := false
	var inner *statement
	for i, s := range list {
		switch {
		case s.many && len(s.path) <= len(path) && slices.Equal(s.path, path[:len(s.path)]):
			return Fault{lineAt(src, s.start), "a list of tables stands where one table is expected"}
		case !s.head && len(s.path) <= len(path) && slices.Equal(s.path, path[:len(s.path)]):
			return Fault{lineAt(src, s.start), "\"" + strings.Join(s.path, ".") + "\" has no table header, without which Blue does not change it"}
		case s.head && slices.Equal(s.path, path):
			headed = true
		case s.under(path) && inner == nil:
			inner = &list[i]
		}
	}
	if inner != nil && !headed {
		return Fault{lineAt(src, inner.start), "the table header [" + strings.Join(path, ".") + "] is missing"}
	}
	return nil
}

// appendTable writes a new table at the end. A text without a line end at its
// end stays so.
func appendTable(src []byte, path []string, want Object) []byte {
	nl := newline(src)
	block := "[" + strings.Join(path, ".") + "]" + nl
	for _, m := range want {
		block += tomlPair(m) + nl
	}
	return appendApart(src, block)
}

// set replaces the value of one key of the table at path, or adds the key
// behind the last one of the table.
func (t TOML) set(src []byte, path []string, m Pair) []byte {
	key := append(path[:len(path):len(path)], m.Key)
	list := t.statements(src)
	if i := slices.IndexFunc(list, func(s statement) bool { return !s.head && slices.Equal(s.path, key) }); i >= 0 {
		return replace(src, list[i].value, list[i].stop, tomlValue(m.Value))
	}
	src = t.without(src, key) // the same as a table or with dotted keys
	list = t.statements(src)
	i := slices.IndexFunc(list, func(s statement) bool { return s.head && slices.Equal(s.path, path) })
	for i+1 < len(list) && !list[i+1].head {
		i++
	}
	return insertText(src, list[i].end, tomlPair(m)+newline(src))
}

// Drop takes out what is set at or below path.
func (t TOML) Drop(src []byte, path []string) ([]byte, error) {
	for _, s := range t.statements(src) {
		if len(s.path) < len(path) && !s.head && slices.Equal(s.path, path[:len(s.path)]) {
			return nil, Fault{lineAt(src, s.start), "the entry stands inside an inline table"}
		}
	}
	return t.without(src, path), nil
}

// without takes out the statements under the path, with the comments between
// them and one blank line before them where that would be left over.
func (t TOML) without(src []byte, path []string) []byte {
	list := t.statements(src)
	for i := len(list) - 1; i >= 0; i-- {
		if !list[i].under(path) {
			continue
		}
		last := i
		for i > 0 && list[i-1].under(path) {
			i--
		}
		start, end := list[i].start, list[last].end
		start = leftOver(src, start, end)
		src = replace(src, start, end, "")
	}
	return src
}

// leftOver moves start before a blank line, when the text behind end begins
// with one too or there is none.
func leftOver(src []byte, start, end int) int {
	before := bytes.TrimSuffix(bytes.TrimSuffix(src[:start], []byte("\n")), []byte("\r"))
	blankBefore := len(before) > 0 && before[len(before)-1] == '\n'
	if !blankBefore || !blank(src[end:lineEnd(src, end)]) {
		return start
	}
	if end == len(src) && src[end-1] != '\n' { // the text ends as before: without a line end
		return len(bytes.TrimSuffix(bytes.TrimSuffix(before, []byte("\n")), []byte("\r")))
	}
	return len(before)
}

func tomlPair(m Pair) string { return m.Key + " = " + tomlValue(m.Value) }

func tomlValue(v any) string {
	var parts []string
	switch v := v.(type) {
	case Object:
		for _, m := range v {
			parts = append(parts, m.Key+" = "+tomlValue(m.Value))
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case []string:
		for _, text := range v {
			parts = append(parts, tomlValue(text))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	default:
		// A JSON text is a TOML one, but for the one control character that
		// JSON takes as it is.
		return strings.ReplaceAll(quote(v), "\x7f", `\u007F`)
	}
}
