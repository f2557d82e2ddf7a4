package config

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"

	"github.com/tailscale/hujson"
)

// JSON is JSON (RFC 8259), with comments and trailing commas where the
// client reads them. The library parses and gives the offsets, because an edit
// must not touch the bytes around it; what it takes and a client may not is
// refused here: comments, trailing commas and duplicate keys.
type JSON struct{ Comments, Commas bool }

// maxDepth bounds the nesting of a file, so that no text exhausts the stack.
const maxDepth = 100

var byteOrderMark = []byte("\xef\xbb\xbf")

// jsonFault leaves out a literal of the file: it may hold a secret.
var jsonFault = regexp.MustCompile(`^hujson: line (\d+), column \d+: (invalid literal|.*)`)

// node is a value at src[start:end]. Kind is its first byte, '0' for a number.
type node struct {
	kind       byte
	start, end int
	items      []item
}

// item is a member of an object or an element of a list.
type item struct {
	key   string // "" in a list
	start int    // of the key, or of the element
	comma int    // offset of the comma behind it, -1 without one
	node
}

// parse returns the value of the text; kind 0 when there is none.
func (t JSON) parse(src []byte) (node, error) {
	if err := t.tokens(src); err != nil {
		return node{}, err
	}
	text := bytes.TrimPrefix(src, byteOrderMark)
	v, err := hujson.Parse(append(bytes.Clone(text), '\n')) // which the library wants behind a comment
	if err != nil && v.Value == nil && v.StartOffset > len(text) {
		return node{start: len(src), end: len(src)}, nil
	}
	if err != nil {
		found := jsonFault.FindStringSubmatch(err.Error())
		line, _ := strconv.Atoi(found[1])
		return node{}, Fault{min(line, lineAt(src, len(src))), found[2]}
	}
	b := builder{t, src, len(src) - len(text)}
	return b.node(v)
}

// tokens refuses a text that is nested too deep, and one with comments where
// the client takes none.
func (t JSON) tokens(src []byte) error {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch at := i; src[i] {
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return Fault{lineAt(src, at), fmt.Sprintf("nested deeper than %d", maxDepth)}
			}
		case '}', ']':
			depth--
		case '/':
			if i += comment(src[i:]); i > at && !t.Comments {
				return Fault{lineAt(src, at), "this client takes no comments here"}
			}
		}
	}
	return nil
}

// comment is the offset of the last byte of the comment that src begins with,
// 0 without one.
func comment(src []byte) int {
	switch {
	case bytes.HasPrefix(src, []byte("//")):
		return until(src, "\n") - 1
	case bytes.HasPrefix(src, []byte("/*")):
		return 3 + bytes.Index(src[2:], []byte("*/"))
	}
	return 0
}

// builder turns a value of the library, whose offsets lie by shift before ours.
type builder struct {
	JSON
	src   []byte
	shift int
}

func (b builder) fault(offset int, format string, args ...any) error {
	return Fault{lineAt(b.src, offset+b.shift), fmt.Sprintf(format, args...)}
}

func (b builder) node(v hujson.Value) (node, error) {
	n := node{kind: byte(v.Value.Kind()), start: v.StartOffset + b.shift, end: v.EndOffset + b.shift}
	var err error
	switch v := v.Value.(type) {
	case *hujson.Object:
		keys := map[string]bool{}
		for _, m := range v.Members {
			key := m.Name.Value.(hujson.Literal).String()
			if keys[key] {
				return n, b.fault(m.Name.StartOffset, "the key %q stands there twice", key)
			}
			keys[key] = true
			if n.items, err = b.with(n.items, key, m.Name, m.Value); err != nil {
				return n, err
			}
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			if n.items, err = b.with(n.items, "", e, e); err != nil {
				return n, err
			}
		}
	}
	if last := len(n.items) - 1; last >= 0 && n.items[last].comma >= 0 && !b.Commas {
		return n, b.fault(v.EndOffset, "a comma before %q, which this client does not take", b.src[n.end-1])
	}
	return n, nil
}

// with adds the item that begins with first, which a comma follows unless it
// is the last: then the library keeps what is behind it elsewhere.
func (b builder) with(items []item, key string, first, v hujson.Value) ([]item, error) {
	inner, err := b.node(v)
	it := item{key: key, start: first.StartOffset + b.shift, comma: -1, node: inner}
	if comma := inner.end + len(v.AfterExtra); v.AfterExtra != nil || b.src[comma] == ',' {
		it.comma = comma
	}
	return append(items, it), err
}

// until is the offset of the first of the bytes, or of the end.
func until(text []byte, any string) int {
	if i := bytes.IndexAny(text, any); i >= 0 {
		return i
	}
	return len(text)
}
