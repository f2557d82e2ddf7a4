package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// jsonText is JSON (RFC 8259), with comments and trailing commas where the
// client reads them. The parser keeps positions, because an edit must not
// touch the bytes around it, and refuses duplicate keys.
type jsonText struct{ comments, commas bool }

// maxDepth bounds the nesting of a file, so that no text exhausts the stack.
const maxDepth = 100

var byteOrderMark = []byte("\xef\xbb\xbf")

// node is a value at src[start:end]. Kind is its first byte.
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

type parser struct {
	jsonText
	src        []byte
	pos, depth int
}

// parse returns the value of the text; kind 0 when there is none.
func (t jsonText) parse(src []byte) (node, error) {
	p := &parser{jsonText: t, src: src}
	if bytes.HasPrefix(src, byteOrderMark) {
		p.pos = len(byteOrderMark)
	}
	if err := p.space(); err != nil || p.pos == len(src) {
		return node{start: len(src), end: len(src)}, err
	}
	root, err := p.value()
	if err == nil {
		err = p.space()
	}
	if err == nil && p.pos < len(src) {
		err = p.fault("text after the end of the value")
	}
	return root, err
}

func (p *parser) fault(format string, args ...any) error {
	return fault{lineAt(p.src, p.pos), fmt.Sprintf(format, args...)}
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// space skips blanks and comments.
func (p *parser) space() error {
	for p.pos < len(p.src) {
		rest := p.src[p.pos:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			p.pos++
		case rest[0] != '/':
			return nil
		case !p.comments:
			return p.fault("this client takes no comments here")
		case bytes.HasPrefix(rest, []byte("//")):
			p.pos += until(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")) && bytes.Contains(rest[2:], []byte("*/")):
			p.pos += 4 + bytes.Index(rest[2:], []byte("*/"))
		default:
			return p.fault("a comment without end")
		}
	}
	return nil
}

// until is the offset of the first of the bytes, or of the end.
func until(text []byte, any string) int {
	if i := bytes.IndexAny(text, any); i >= 0 {
		return i
	}
	return len(text)
}

func (p *parser) value() (node, error) {
	switch c := p.peek(); c {
	case '{', '[':
		return p.container()
	case '"':
		return p.text()
	default:
		n := node{kind: 'v', start: p.pos}
		end := p.pos + until(p.src[p.pos:], ",:]}[{\"/ \t\r\n")
		if !json.Valid(p.src[p.pos:end]) {
			return n, p.fault("a value is expected")
		}
		p.pos, n.end = end, end
		return n, nil
	}
}

func (p *parser) text() (node, error) {
	n := node{kind: '"', start: p.pos}
	for i := p.pos + 1; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '"':
			n.end = i + 1
			if !json.Valid(p.src[n.start:n.end]) {
				return n, p.fault("a text with a bad character or escape")
			}
			p.pos = n.end
			return n, nil
		}
	}
	return n, p.fault("a text without end")
}

// container parses an object or a list.
func (p *parser) container() (node, error) {
	n := node{kind: p.peek(), start: p.pos}
	end := n.kind + 2 // '}' follows '{' at this distance, ']' follows '['
	if p.depth++; p.depth > maxDepth {
		return n, p.fault("nested deeper than %d", maxDepth)
	}
	defer func() { p.depth-- }()
	keys := map[string]bool{}
	for p.pos++; ; {
		if err := p.space(); err != nil {
			return n, err
		}
		last := len(n.items) - 1
		switch {
		case p.peek() == end && last >= 0 && n.items[last].comma >= 0 && !p.commas:
			return n, p.fault("a comma before %q, which this client does not take", end)
		case p.peek() == end:
			p.pos++
			n.end = p.pos
			return n, nil
		case last >= 0 && n.items[last].comma < 0:
			return n, p.fault("a comma or %q is expected", end)
		}
		it, err := p.item(n.kind == '{', keys)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, it)
	}
}

// item parses a member or an element, and the comma behind it.
func (p *parser) item(member bool, keys map[string]bool) (item, error) {
	it := item{start: p.pos, comma: -1}
	if member {
		if err := p.key(&it, keys); err != nil {
			return it, err
		}
	}
	var err error
	if it.node, err = p.value(); err != nil {
		return it, err
	}
	end := p.pos
	if err := p.space(); err != nil {
		return it, err
	}
	if p.peek() == ',' {
		it.comma = p.pos
		p.pos++
		return it, nil
	}
	p.pos = end
	return it, nil
}

func (p *parser) key(it *item, keys map[string]bool) error {
	if p.peek() != '"' {
		return p.fault("a key in double quotes is expected")
	}
	n, err := p.text()
	if err != nil {
		return err
	}
	it.key = decodeText(p.src[n.start:n.end])
	if keys[it.key] {
		return p.fault("the key %q stands there twice", it.key)
	}
	keys[it.key] = true
	if err := p.space(); err != nil {
		return err
	}
	if p.peek() != ':' {
		return p.fault("a colon is expected")
	}
	p.pos++
	return p.space()
}
