package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"

	"github.com/tailscale/hujson"
)

// jsonText is JSON (RFC 8259), with comments and trailing commas where the client
// reads them. The tree of the library keeps every byte of a text, so an edit
// changes some nodes of it. The library's Patch is of no use here: it drops
// the comments around a removed value and writes values without line ends.
type jsonText struct{ comments, commas bool }

// maxDepth bounds the nesting of a file, so that no text exhausts the stack.
const maxDepth = 100

// listEnd is the key that stands for the end of a list, as in a JSON pointer.
const listEnd = "-"

// jsonFault leaves out a literal of the file: it may hold a secret.
var jsonFault = regexp.MustCompile(`^hujson: line (\d+), column \d+: (invalid literal|.*)`)

// decode reads a text that holds an object, or nothing.
func (t jsonText) decode(src []byte) (any, error) {
	root, err := t.parse(src)
	if err != nil || root.Value == nil {
		return nil, err
	}
	if root.Value.Kind() != '{' {
		return nil, fault{lineAt(src, root.StartOffset), "an object is expected"}
	}
	root.Standardize()
	dec := json.NewDecoder(bytes.NewReader(root.Pack()))
	dec.UseNumber() // numbers keep their spelling
	var plain map[string]any
	err = dec.Decode(&plain)
	return plain, err
}

// parse returns the value of a text, without its byte order mark; nil when it
// holds nothing but comments. It refuses what the library takes and a client
// may not: comments, trailing commas and duplicate keys.
func (t jsonText) parse(src []byte) (root hujson.Value, err error) {
	if err := t.scan(src); err != nil {
		return root, err
	}
	text := append(bytes.TrimPrefix(bytes.Clone(src), byteOrderMark), '\n') // which ends a comment
	if hujson.Extra(text).IsValid() {
		return root, nil
	}
	if root, err = hujson.Parse(text); err != nil {
		found := jsonFault.FindStringSubmatch(err.Error())
		line, _ := strconv.Atoi(found[1])
		return root, fault{min(line, lineAt(src, len(src))), found[2]}
	}
	root.AfterExtra = root.AfterExtra[:len(root.AfterExtra)-1]
	for v := range root.All() {
		list := membersOf(*v).list
		keys := map[string]bool{}
		for _, m := range list {
			key := keyOf(m)
			if m.Name.Value != nil && keys[key] {
				return root, fault{lineAt(text, m.Name.StartOffset), fmt.Sprintf("the key %q stands there twice", key)}
			}
			keys[key] = true
		}
		if n := len(list); n > 0 && list[n-1].Value.AfterExtra != nil && !t.commas {
			return root, fault{lineAt(text, v.EndOffset), fmt.Sprintf("a comma before %q, which this client does not take", text[v.EndOffset-1])}
		}
	}
	return root, nil
}

// scan refuses a text that is nested too deep, and one with comments where the
// client takes none.
func (t jsonText) scan(src []byte) error {
	depth := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			for i++; i < len(src) && src[i] != '"'; i++ {
				if src[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > maxDepth {
				return fault{lineAt(src, i), fmt.Sprintf("nested deeper than %d", maxDepth)}
			}
		case '}', ']':
			depth--
		case '/':
			size := comment(src[i:])
			if size > 0 && !t.comments {
				return fault{lineAt(src, i), "this client takes no comments here"}
			}
			i += max(0, size-1)
		}
	}
	return nil
}

// comment returns the size of the comment that src begins with.
func comment(src []byte) int {
	switch {
	case bytes.HasPrefix(src, []byte("//")):
		return until(src, "\n")
	case bytes.HasPrefix(src, []byte("/*")):
		return 4 + bytes.Index(src[2:], []byte("*/"))
	}
	return 0
}

// members are those of an object, or the elements of a list as members without names.
type members struct {
	list  []hujson.ObjectMember
	after hujson.Extra // what stands behind the last one
}

func membersOf(v hujson.Value) (m members) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		m = members{v.Members, v.AfterExtra}
	case *hujson.Array:
		m.after = v.AfterExtra
		for _, e := range v.Elements {
			name := hujson.Value{BeforeExtra: e.BeforeExtra}
			m.list = append(m.list, hujson.ObjectMember{Name: name, Value: e})
		}
	}
	return m
}

// put is the reverse of membersOf.
func (m members) put(v *hujson.Value) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		v.Members, v.AfterExtra = m.list, m.after
	case *hujson.Array:
		v.Elements, v.AfterExtra = nil, m.after
		for _, e := range m.list {
			e.Value.BeforeExtra = e.Name.BeforeExtra
			v.Elements = append(v.Elements, e.Value)
		}
	}
}

// keyOf returns the key of a member, "" for an element.
func keyOf(m hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}
