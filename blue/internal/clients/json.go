package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// set makes v the value at path. In a list the key is an index, or "-" for the
// end. Nil removes the value, and the containers that are empty then.
func (t jsonText) set(src []byte, path []string, v any) ([]byte, error) {
	root, err := t.parse(src)
	if err != nil {
		return nil, err
	}
	text := bytes.TrimPrefix(src, byteOrderMark)
	mark := src[:len(src)-len(text)]
	s := style{src: text, nl: newline(src), unit: "  "}
	if root.Value == nil {
		made := s.render(nest(path, v), "", true) + s.nl
		if len(text) > 0 && text[len(text)-1] != '\n' {
			made = s.nl + made
		}
		return append(bytes.Clone(src), made...), nil
	}
	if list := membersOf(root).list; len(list) > 0 {
		s.flat = !bytes.Contains(text[root.StartOffset:root.EndOffset], []byte("\n"))
		s.unit = cmp.Or(lineMargin(list[0].Name.BeforeExtra, ""), s.unit)
	}
	if err := s.set(&root, path, "", v); err != nil {
		return nil, err
	}
	return append(bytes.Clone(mark), root.Pack()...), nil
}

// style is how a text is written.
type style struct {
	src  []byte
	nl   string // line end
	unit string // one step of indentation
	flat bool   // without line ends
}

// lineMargin returns the indentation of the line on which extra ends: margin,
// unless extra begins a line.
func lineMargin(extra hujson.Extra, margin string) string {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 {
		return margin
	}
	line := extra[i+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// set is jsonText.set below the value at, whose line has the margin.
func (s style) set(at *hujson.Value, path []string, margin string, v any) error {
	m := membersOf(*at)
	i := slices.IndexFunc(m.list, func(m hujson.ObjectMember) bool { return keyOf(m) == path[0] })
	if at.Value.Kind() == '[' {
		i, _ = strconv.Atoi(strings.Replace(path[0], listEnd, strconv.Itoa(len(m.list)), 1))
	}
	switch {
	case i >= 0 && i < len(m.list):
		found := &m.list[i]
		inner := lineMargin(found.Name.BeforeExtra, margin)
		if len(path) > 1 {
			if err := s.into(found, path[1:], lineMargin(found.Value.BeforeExtra, inner), v); err != nil {
				return err
			}
		} else if v != nil {
			found.Value.Value = hujson.Literal(s.render(v, inner, !s.flat && at.Value.Kind() == '{'))
		}
		left := membersOf(found.Value)
		if v == nil && (len(path) == 1 || len(left.list) == 0 && blank(left.after)) {
			m.cut(i)
		}
	case v != nil:
		s.insert(&m, path, margin, v)
	}
	m.put(at)
	return nil
}

// into is set in the value of a member, which must be a container for the path.
func (s style) into(m *hujson.ObjectMember, path []string, margin string, v any) error {
	kind, what := hujson.Kind('{'), "an object"
	if _, err := strconv.Atoi(path[0]); err == nil || path[0] == listEnd {
		kind, what = '[', "a list"
	}
	if m.Value.Value.Kind() != kind {
		text := fmt.Sprintf("the value of %q is not %s", keyOf(*m), what)
		return fault{lineAt(s.src, m.Value.StartOffset), text}
	}
	return s.set(&m.Value, path, margin, v)
}

// insert adds a member (an element, when the key is "-") at the end, behind all
// comments and in the style of its neighbours.
func (s style) insert(m *members, path []string, margin string, v any) {
	end := len(bytes.TrimRight(m.after, " \t\r\n"))
	open := !m.after[:end].IsValid() // by a comment that runs to the end of its line
	if open {
		end += until(m.after[end:], "\r\n")
	}
	tail := string(m.after[end:])
	indent, before := margin+s.unit, ""
	broken := open || len(m.list) == 0 && !s.flat
	if len(m.list) > 0 {
		before = " "
		if first := m.list[0].Name.BeforeExtra; bytes.Contains(first, []byte("\n")) {
			broken, indent = true, lineMargin(first, "")
		}
	}
	if broken {
		before = s.nl + indent
		if !strings.Contains(tail, "\n") {
			tail = s.nl + margin + tail
		}
	}
	added := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: append(bytes.Clone(m.after[:end]), before...)}}
	if path[0] != listEnd {
		added.Name.Value = hujson.String(path[0])
		added.Value.BeforeExtra = hujson.Extra(" ")
	}
	added.Value.Value = hujson.Literal(s.render(nest(path[1:], v), indent, broken && path[0] != listEnd))
	if n := len(m.list); n > 0 && m.list[n-1].Value.AfterExtra != nil { // with a comma behind the last one
		added.Value.AfterExtra = hujson.Extra{}
	}
	m.list, m.after = append(m.list, added), hujson.Extra(tail)
}

// cut removes a member, its comma, and its line when nothing else is on it.
// Comments around it stay.
func (m *members) cut(i int) {
	before, gone := m.list[i].Name.BeforeExtra, m.list[i].Value
	behind := &m.after
	if i+1 < len(m.list) {
		behind = &m.list[i+1].Name.BeforeExtra
	} else if i > 0 { // the new last one has a comma if the old one had
		prev := &m.list[i-1].Value
		if gone.AfterExtra == nil {
			before, prev.AfterExtra = slices.Concat(prev.AfterExtra, before), nil
		} else {
			prev.AfterExtra = append(hujson.Extra{}, prev.AfterExtra...)
		}
	}
	if !blank(gone.AfterExtra) {
		*behind = slices.Concat(gone.AfterExtra, *behind)
	}
	if *behind = joined(before, *behind, i == 0); len(m.list) == 1 && blank(*behind) {
		*behind = nil
	}
	m.list = slices.Delete(m.list, i, i+1)
}

// joined returns what stood before and behind a removed member, without the blanks
// that would be left over on the one side.
func joined(before, behind hujson.Extra, first bool) hujson.Extra {
	head, tail := bytes.TrimRight(before, " \t"), bytes.TrimLeft(behind, " \t")
	switch alone := bytes.HasSuffix(head, []byte("\n")); {
	case alone && len(tail) > 0 && (tail[0] == '\n' || tail[0] == '\r'):
		head = bytes.TrimSuffix(bytes.TrimSuffix(head, []byte("\n")), []byte("\r"))
		return slices.Concat(head, behind)
	case alone || first:
		return slices.Concat(before, tail)
	}
	return slices.Concat(head, behind)
}

// render writes a value; indent is the margin of the line it begins on. An element
// of a list takes one line.
func (s style) render(v any, indent string, broken bool) string {
	var parts []string
	edges, inner := "[]", indent+s.unit
	switch v := v.(type) {
	case object:
		edges = "{}"
		for _, m := range v {
			parts = append(parts, quote(m.Key)+": "+s.render(m.Value, inner, broken))
		}
	case []any:
		for _, element := range v {
			parts = append(parts, s.render(element, inner, false))
		}
	case []string:
		broken = false
		for _, text := range v {
			parts = append(parts, quote(text))
		}
	default:
		return quote(v)
	}
	if !broken || len(parts) == 0 {
		return edges[:1] + strings.Join(parts, ", ") + edges[1:]
	}
	return edges[:1] + s.nl + inner + strings.Join(parts, ","+s.nl+inner) + s.nl + indent + edges[1:]
}

// quote writes a text, number or truth value as JSON, without the escapes that
// protect HTML.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // texts, numbers and truth values always encode
	return strings.TrimRight(b.String(), "\n")
}

// document returns a new file of JSON that holds the object.
func document(o object) []byte { return []byte(style{nl: "\n", unit: "  "}.render(o, "", true) + "\n") }

// oneLine returns the object as JSON on one line.
func oneLine(o object) string { return style{}.render(o, "", false) }

// jsonText is JSON (RFC 8259), with comments and trailing commas where the client
// reads them. The tree of the library keeps every byte of a text, so an edit
// changes some nodes of it. The library's Patch is of no use here: it drops
// the comments around a removed value and writes values without line ends.
type jsonText struct{ comments, commas bool }

// maxDepth bounds the nesting of a file, so that no text exhausts the stack.
const maxDepth = 100

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

// jsonMark matches what tells how deep a text is nested, and the strings and comments in which it tells
// nothing.
var jsonMark = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|[][{}]`)

// scan refuses a text that is nested too deep, and one with comments where the
// client takes none.
func (t jsonText) scan(src []byte) error {
	depth := 0
	for pos := 0; ; {
		found := jsonMark.FindIndex(src[pos:])
		if found == nil {
			return nil
		}
		at := pos + found[0]
		switch src[at] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return fault{lineAt(src, at), fmt.Sprintf("nested deeper than %d", maxDepth)}
			}
		case '}', ']':
			depth--
		case '/':
			if !t.comments {
				return fault{lineAt(src, at), "this client takes no comments here"}
			}
		}
		pos += found[1]
	}
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
