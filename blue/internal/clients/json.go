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

// set sets the value at path to v. In a list the key is an index, or "-" for the end. A nil v
// removes the value, and the containers that become empty.
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
	if list := itemsOf(root); len(list) > 0 {
		s.flat = !bytes.Contains(text[root.StartOffset:root.EndOffset], []byte("\n"))
		s.unit = cmp.Or(s.margin(list[0].start), s.unit)
	}
	after, err := s.set(root, path, v)
	return slices.Concat(mark, after), err
}

// style is a text and its formatting.
type style struct {
	src  []byte
	nl   string // line end
	unit string // one step of indentation
	flat bool   // all on one line
}

// margin returns the indentation of the line at an offset.
func (s style) margin(offset int) string {
	line := s.src[bytes.LastIndexByte(s.src[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// set implements jsonText.set below the container at.
func (s style) set(at hujson.Value, path []string, v any) ([]byte, error) {
	above, doomed := at, 0 // the outermost item to remove together with the value
	for depth, key := range path {
		list := itemsOf(at)
		i := slices.IndexFunc(list, func(it item) bool { return it.key == key })
		if i < 0 && v == nil {
			return s.src, nil
		} else if i < 0 {
			return s.insert(at, path[depth:], v), nil
		}
		found := list[i].value
		around := slices.Concat(s.src[at.StartOffset+1:list[i].start], s.src[found.EndOffset:at.EndOffset-1])
		if depth == 0 || len(bytes.Trim(around, " \t\r\n,")) > 0 {
			above, doomed = at, i
		}
		if depth+1 == len(path) && v == nil {
			break
		} else if depth+1 == len(path) {
			text := s.render(v, s.margin(list[i].start), !s.flat && at.Value.Kind() == '{')
			return replace(s.src, found.StartOffset, found.EndOffset, text), nil
		}
		kind, what := hujson.Kind('{'), "an object"
		if _, err := strconv.Atoi(path[depth+1]); err == nil || path[depth+1] == listEnd {
			kind, what = '[', "a list"
		}
		if found.Value.Kind() != kind {
			return nil, fault{lineAt(s.src, found.StartOffset), fmt.Sprintf("the value of %q is not %s", key, what)}
		}
		at = found
	}
	return s.cut(above, doomed), nil
}

// insert adds a member (an element if the key is "-") at the end of a container, after all
// comments and in the style of its neighbours.
func (s style) insert(at hujson.Value, path []string, v any) []byte {
	list, margin := itemsOf(at), s.margin(at.StartOffset)
	from, to := at.StartOffset+1, at.EndOffset-1 // the range after the last item
	indent, before, comma, lastComma := margin+s.unit, "", "", ""
	broken := !s.flat
	if n := len(list); n > 0 {
		from, comma, before = list[n-1].value.EndOffset, ",", " "
		if list[n-1].comma > 0 {
			from, comma, lastComma = list[n-1].comma+1, "", ","
		}
		if broken = bytes.Contains(s.src[at.StartOffset:list[0].start], []byte("\n")); broken {
			indent = s.margin(list[0].start)
		}
	}
	end := from + len(bytes.TrimRight(s.src[from:to], " \t\r\n"))
	if !hujson.Extra(s.src[from:end]).IsValid() { // a comment extends to the end of its line
		end += until(s.src[end:to], "\r\n")
		broken = true
	}
	tail := string(s.src[end:to])
	if broken {
		before = s.nl + indent
		if !strings.Contains(tail, "\n") {
			tail = s.nl + margin + tail
		}
	}
	text := ""
	if path[0] != listEnd {
		text = quote(path[0]) + ": "
	}
	text += s.render(nest(path[1:], v), indent, broken && path[0] != listEnd)
	return replace(s.src, from, to, comma+string(s.src[from:end])+before+text+lastComma+tail)
}

// cut removes an item of a container, its comma, and its line if nothing else is on it.
// Comments around it stay.
func (s style) cut(at hujson.Value, i int) []byte {
	list := itemsOf(at)
	start, end := at.StartOffset+1, at.EndOffset-1 // between the neighbours
	if i > 0 {
		start = list[i-1].comma + 1
	}
	if i+1 < len(list) {
		end = list[i+1].start
	}
	gone := list[i]
	before, behind := s.src[start:gone.start], s.src[gone.value.EndOffset:end]
	if gone.comma > 0 {
		behind = s.src[gone.comma+1 : end]
		if inner := s.src[gone.value.EndOffset:gone.comma]; !blank(inner) {
			behind = slices.Concat(inner, behind)
		}
	} else if i > 0 { // the new last item has a comma if the old one had one
		start = list[i-1].value.EndOffset
		before = slices.Concat(s.src[start:list[i-1].comma], before)
	}
	left := joined(before, behind, i == 0)
	if len(list) == 1 && blank(left) {
		left = nil
	}
	return replace(s.src, start, end, string(left))
}

// joined joins the text before and after a removed member, without blanks that would be left
// over.
func joined(before, behind []byte, first bool) []byte {
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

// render formats a value; indent is the margin of the line on which it begins. Elements of a
// list are formatted on one line each.
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

// quote encodes a string, number or boolean as JSON, without escaping HTML.
func quote(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // these types cannot fail
	return strings.TrimRight(b.String(), "\n")
}

// document returns the text of a new JSON file with the object.
func document(o object) []byte { return []byte(style{nl: "\n", unit: "  "}.render(o, "", true) + "\n") }

// oneLine returns the object as JSON on one line.
func oneLine(o object) string { return style{}.render(o, "", false) }

// jsonText is JSON (RFC 8259), with comments and trailing commas if the client accepts them.
// The library returns the offsets of values, and edits replace bytes there. The library's Patch
// is not used because it drops the comments around a removed value and writes values on one
// line.
type jsonText struct{ comments, commas bool }

// maxDepth limits the nesting of a file, so that no text exhausts the stack.
const maxDepth = 100

// jsonFault matches an error of the library without any literal of the file, which may be a
// secret.
var jsonFault = regexp.MustCompile(`^hujson: line (\d+), column \d+: (invalid literal|.*)`)

// decode decodes a text that holds an object, or nothing.
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

// parse parses a text, without its byte order mark. The value is nil if the text holds only
// comments. parse rejects what the library accepts but a client may not: comments, trailing
// commas and duplicate keys.
func (t jsonText) parse(src []byte) (root hujson.Value, err error) {
	if err := t.scan(src); err != nil {
		return root, err
	}
	text := append(bytes.TrimPrefix(bytes.Clone(src), byteOrderMark), '\n') // ends a comment
	if hujson.Extra(text).IsValid() {
		return root, nil
	}
	if root, err = hujson.Parse(text); err != nil {
		found := jsonFault.FindStringSubmatch(err.Error())
		line, _ := strconv.Atoi(found[1])
		return root, fault{min(line, lineAt(src, len(src))), found[2]}
	}
	for v := range root.All() {
		list := itemsOf(*v)
		keys := map[string]bool{}
		for _, it := range list {
			if keys[it.key] {
				return root, fault{lineAt(text, it.start), fmt.Sprintf("the key %q stands there twice", it.key)}
			}
			keys[it.key] = true
		}
		if n := len(list); n > 0 && list[n-1].comma > 0 && !t.commas {
			return root, fault{lineAt(text, v.EndOffset), fmt.Sprintf("a comma before %q, which this client does not take", text[v.EndOffset-1])}
		}
	}
	return root, nil
}

// jsonMark matches the brackets that nest a text, and the strings and comments in which
// brackets do not count.
var jsonMark = regexp.MustCompile(`(?s)"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/|[][{}]`)

// scan rejects a text that is nested too deeply, or that has comments if the client accepts
// none.
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

// item is a member of an object, or an element of a list with its index as key.
type item struct {
	key   string
	start int
	value hujson.Value
	comma int // offset of the comma after it, 0 if there is none
}

func itemsOf(v hujson.Value) (list []item) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		for _, m := range v.Members {
			name, _ := m.Name.Value.(hujson.Literal)
			list = append(list, item{key: name.String(), start: m.Name.StartOffset, value: m.Value})
		}
	case *hujson.Array:
		for i, e := range v.Elements {
			list = append(list, item{key: strconv.Itoa(i), start: e.StartOffset, value: e})
		}
	}
	for i, it := range list {
		if i+1 < len(list) || it.value.AfterExtra != nil {
			list[i].comma = it.value.EndOffset + len(it.value.AfterExtra)
		}
	}
	return list
}
