package clients

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fault says where and why a text cannot be edited; line 0 means the whole text.
type fault struct {
	line int
	text string
}

// Error returns the line and the reason.
func (f fault) Error() string { return fmt.Sprintf("line %d: %s", f.line, f.text) }

var byteOrderMark = []byte("\xef\xbb\xbf")

// lineAt returns the number of the line at an offset, counted from 1.
func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}

// blank reports whether text consists of white space.
func blank(text []byte) bool { return len(bytes.Trim(text, " \t\r\n")) == 0 }

// oddLine returns the line of the first byte that is not UTF-8 or of the first control
// character, 0 if there is none.
func oddLine(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 || !strings.ContainsRune("\t\r\n", r) && unicode.IsControl(r) || r&^1 == 0xfffe {
			return lineAt(src, i)
		}
		i += size
	}
	return 0
}

// newline returns the line ending of a text, taken from its first line.
func newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func replace(src []byte, start, end int, text string) []byte {
	return slices.Concat(src[:start], []byte(text), src[end:])
}

// insertText inserts whole lines at the beginning of a line. If the last line has no newline, a
// text inserted after it ends without one, too.
func insertText(src []byte, at int, text string) []byte {
	if len(bytes.TrimPrefix(src[:at], byteOrderMark)) > 0 && src[at-1] != '\n' {
		nl := newline(src)
		text = nl + strings.TrimSuffix(text, nl)
	}
	return replace(src, at, at, text)
}

// appendApart appends text with insertText, after a blank line.
func appendApart(src []byte, text string) []byte {
	if len(bytes.TrimPrefix(src, byteOrderMark)) > 0 {
		text = newline(src) + text
	}
	return insertText(src, len(src), text)
}

// isEmpty reports whether a JSON text holds no values.
func isEmpty(src []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(src, byteOrderMark))
	return len(text) == 0 || string(text) == "{}"
}

// pair is one member of an object to write. A once pair is written only with a new object and
// belongs to the user from then on.
type pair struct {
	Key   string
	Value any // string, bool, int, []string, object or []any
	Once  bool
}

// object is a list of members, in the order in which they are written.
type object []pair

// once marks the key of a once pair.
type once string

// obj returns an object from alternating keys, each a string or once, and values.
func obj(members ...any) (o object) {
	for m := range slices.Chunk(members, 2) {
		key, isOnce := m[0].(once)
		if !isOnce {
			key = once(m[0].(string))
		}
		o = append(o, pair{string(key), m[1], isOnce})
	}
	return o
}

// find returns the value of a member.
func (o object) find(key string) (any, bool) {
	i := slices.IndexFunc(o, func(m pair) bool { return m.Key == key })
	if i < 0 {
		return nil, false
	}
	return o[i].Value, true
}

// nest wraps v in one object per key, or in a list for the key "-".
func nest(path []string, v any) any {
	for _, key := range slices.Backward(path) {
		if key == listEnd {
			v = []any{v}
		} else {
			v = obj(key, v)
		}
	}
	return v
}

// equal reports whether the decoded value have matches want. An object matches if it has all
// members of want, except those written once.
func equal(want, have any) bool {
	switch want := want.(type) {
	case []string:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, func(w string, h any) bool { return w == h })
	case []any:
		list, ok := have.([]any)
		return ok && slices.EqualFunc(want, list, equal)
	case object:
		members, ok := have.(map[string]any)
		return ok && !slices.ContainsFunc(want, func(m pair) bool { return !m.Once && !equal(m.Value, members[m.Key]) })
	case int:
		return fmt.Sprint(want) == fmt.Sprint(have)
	default:
		return want == have
	}
}

// dig follows the keys into a decoded value. It returns nil if one is missing.
func dig(v any, keys ...string) any {
	for _, key := range keys {
		members, _ := v.(map[string]any)
		v = members[key]
	}
	return v
}

// has reports whether there is a value at path, even null.
func has(v any, path []string) bool {
	last := len(path) - 1
	members, _ := dig(v, path[:last]...).(map[string]any)
	_, there := members[path[last]]
	return there
}

// listEnd is the key for the end of a list, as in a JSON pointer.
const listEnd = "-"
