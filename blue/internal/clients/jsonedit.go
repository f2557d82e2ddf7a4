package clients

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
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
