package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonText is JSON (RFC 8259), with comments and trailing commas if the client accepts them. An
// edit changes the library's syntax tree, which keeps every byte of the rest. The library's Patch
// is not used, because it writes values on one line.
type jsonText struct{ comments, commas bool }

// decode decodes a text that holds an object, or nothing. It returns maps with string keys, lists,
// strings and numbers, or nil for a text without a value.
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

// jsonFault matches an error of the library without any literal of the file, which may be a
// secret.
var jsonFault = regexp.MustCompile(`^hujson: line (\d+), column \d+: (invalid literal|.*)`)

// parse parses a text, without its byte order mark. The value is nil if the text holds only
// comments. parse rejects what the library accepts but a client may not: comments, trailing
// commas and duplicate keys.
func (t jsonText) parse(src []byte) (root hujson.Value, err error) {
	text := append(bytes.TrimPrefix(bytes.Clone(src), byteOrderMark), '\n') // ends a comment
	if hujson.Extra(text).IsValid() {
		if !t.comments && !hujson.Extra(text).IsStandard() {
			err = fault{lineAt(text, bytes.IndexByte(text, '/')), "this client takes no comments here"}
		}
		return root, err
	}
	if root, err = hujson.Parse(text); err != nil {
		found := jsonFault.FindStringSubmatch(err.Error())
		line, _ := strconv.Atoi(found[1])
		return root, fault{min(line, lineAt(src, len(src))), found[2]}
	}
	for v := range root.All() {
		if at := commentAt(v); at >= 0 && !t.comments {
			return root, fault{lineAt(text, at), "this client takes no comments here"}
		}
		list, keys := itemsOf(v), map[string]bool{}
		for _, it := range list {
			if keys[it.key] {
				return root, fault{lineAt(text, it.value.StartOffset), fmt.Sprintf("the key %q stands there twice", it.key)}
			}
			keys[it.key] = true
		}
		if n := len(list); n > 0 && list[n-1].value.AfterExtra != nil && !t.commas {
			return root, fault{lineAt(text, v.EndOffset), fmt.Sprintf("a comma before %q, which this client does not take", text[v.EndOffset-1])}
		}
	}
	return root, nil
}

// item is a member of an object, or an element of a list with its index as key.
type item struct {
	key    string
	before *hujson.Extra // blanks and comments before it
	value  *hujson.Value
}

func itemsOf(v *hujson.Value) (list []item) {
	switch v := v.Value.(type) {
	case *hujson.Object:
		for i := range v.Members {
			m := &v.Members[i]
			name, _ := m.Name.Value.(hujson.Literal)
			list = append(list, item{name.String(), &m.Name.BeforeExtra, &m.Value})
		}
	case *hujson.Array:
		for i := range v.Elements {
			list = append(list, item{strconv.Itoa(i), &v.Elements[i].BeforeExtra, &v.Elements[i]})
		}
	}
	return list
}

// commentAt returns the offset of a comment around a value or before its closing bracket, or -1.
func commentAt(v *hujson.Value) int {
	extras, ends := []hujson.Extra{v.BeforeExtra, v.AfterExtra}, []int{v.StartOffset, v.EndOffset + len(v.AfterExtra)}
	if _, literal := v.Value.(hujson.Literal); !literal {
		extras, ends = append(extras, *tail(v)), append(ends, v.EndOffset-1)
	}
	for i, extra := range extras {
		if !extra.IsStandard() {
			return ends[i] - len(extra) + bytes.IndexByte(extra, '/')
		}
	}
	return -1
}

// tail returns the blanks and comments before the closing bracket of a container.
func tail(v *hujson.Value) *hujson.Extra {
	if o, ok := v.Value.(*hujson.Object); ok {
		return &o.AfterExtra
	}
	return &v.Value.(*hujson.Array).AfterExtra
}

// set returns src with the value at path set to v, in the style of its neighbours. In a list the
// key is an index, or "-" for the end. A nil v removes the value, and the containers that become
// empty.
func (t jsonText) set(src []byte, path []string, v any) ([]byte, error) {
	root, err := t.parse(src)
	if err != nil {
		return nil, err
	}
	text := bytes.TrimPrefix(src, byteOrderMark)
	s := style{src: text, nl: newline(src), unit: "  "}
	if root.Value == nil {
		made := s.render(nest(path, v), "", true) + s.nl
		if len(text) > 0 && text[len(text)-1] != '\n' {
			made = s.nl + made
		}
		return append(bytes.Clone(src), made...), nil
	}
	if list := itemsOf(&root); len(list) > 0 {
		s.flat = !bytes.Contains(text[root.StartOffset:root.EndOffset], []byte("\n"))
		if margin, broken := marginOf(*list[0].before); broken && margin != "" {
			s.unit = margin
		}
	}
	if err := s.set(&root, path, v, ""); err != nil {
		return nil, err
	}
	mark := src[:len(src)-len(text)]
	return slices.Concat(mark, bytes.TrimSuffix(root.Pack(), []byte("\n"))), nil
}

// style is a text and its formatting.
type style struct {
	src  []byte
	nl   string // line end
	unit string // one step of indentation
	flat bool   // all on one line
}

// marginOf returns the indentation of what follows blanks and comments, and reports whether it
// begins a line.
func marginOf(before hujson.Extra) (margin string, broken bool) {
	at := bytes.LastIndexByte(before, '\n')
	return string(before[at+1:]), at >= 0 && blank(before[at+1:])
}

// set implements jsonText.set below a container, which begins on a line with the indentation margin.
func (s style) set(at *hujson.Value, path []string, v any, margin string) error {
	list := itemsOf(at)
	i := slices.IndexFunc(list, func(it item) bool { return it.key == path[0] })
	if i < 0 {
		if v != nil {
			s.add(at, path, v, margin)
		}
		return nil
	}
	if found, broken := marginOf(*list[i].before); broken {
		margin = found
	}
	to := list[i].value
	switch {
	case len(path) == 1 && v == nil:
		drop(at, i)
		return nil
	case len(path) == 1:
		to.Value = s.value(v, margin, !s.flat && at.Value.Kind() == '{')
		return nil
	}
	kind, what := hujson.Kind('{'), "an object"
	if _, err := strconv.Atoi(path[1]); err == nil || path[1] == listEnd {
		kind, what = '[', "a list"
	}
	if to.Value.Kind() != kind {
		return fault{lineAt(s.src, to.StartOffset), fmt.Sprintf("the value of %q is not %s", path[0], what)}
	}
	err := s.set(to, path[1:], v, margin)
	if v == nil && len(itemsOf(to)) == 0 && blank(*tail(to)) {
		drop(at, i)
	}
	return err
}

// add adds a member, or an element if the key is "-", at the end of a container, after all comments
// and in the style of its neighbours.
func (s style) add(at *hujson.Value, path []string, v any, margin string) {
	list, end := itemsOf(at), tail(at)
	indent, broken := margin+s.unit, !s.flat
	if len(list) > 0 {
		var found string
		if found, broken = marginOf(*list[0].before); broken {
			indent = found
		}
	}
	comment := bytes.TrimRight(*end, " \t\r\n")
	behind := slices.Clone((*end)[len(comment):])
	if len(comment) > 0 { // it may extend to the end of its line
		broken = true
	}
	before := hujson.Extra(nil)
	switch {
	case broken:
		before = slices.Concat(comment, []byte(s.nl+indent))
		if !bytes.Contains(behind, []byte("\n")) {
			behind = slices.Concat([]byte(s.nl+margin), behind)
		}
	case len(list) > 0:
		before = hujson.Extra(" ")
	}
	made := hujson.Value{Value: s.value(nest(path[1:], v), indent, broken && path[0] != listEnd)}
	if n := len(list); n > 0 && list[n-1].value.AfterExtra != nil { // a comma behind the last one stays there
		made.AfterExtra = hujson.Extra{}
	}
	*end = behind
	switch c := at.Value.(type) {
	case *hujson.Object:
		made.BeforeExtra = hujson.Extra(" ")
		c.Members = append(c.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(path[0])}, Value: made})
	case *hujson.Array:
		made.BeforeExtra = before
		c.Elements = append(c.Elements, made)
	}
}

// drop removes an item of a container. The comments around it stay.
func drop(at *hujson.Value, i int) {
	list, next := itemsOf(at), tail(at)
	gone, last := list[i], i == len(list)-1
	if !last {
		next = list[i+1].before
	} else if i > 0 { // the new last item has a comma if the old one had one
		was := list[i-1].value
		if comma := gone.value.AfterExtra != nil; comma && was.AfterExtra == nil {
			was.AfterExtra = hujson.Extra{}
		} else if !comma {
			*next, was.AfterExtra = slices.Concat(was.AfterExtra, *next), nil
		}
	}
	inner := gone.value.AfterExtra
	if o, ok := at.Value.(*hujson.Object); ok {
		inner = slices.Concat(o.Members[i].Name.AfterExtra, gone.value.BeforeExtra, inner)
	}
	comments := bytes.TrimRight(slices.Concat(*gone.before, inner), " \t\r\n")
	switch {
	case len(comments) > 0:
		if line := comments[bytes.LastIndexByte(comments, '\n')+1:]; bytes.Contains(line, []byte("//")) && !startsLine(*next) {
			comments = append(comments, newline(*gone.before)...)
		}
		*next = slices.Concat(comments, *next)
	case i == 0 && !last && blank(*next):
		*next = *gone.before
	case i == 0 && last && blank(*next):
		*next = nil
	}
	switch c := at.Value.(type) {
	case *hujson.Object:
		c.Members = slices.Delete(c.Members, i, i+1)
	case *hujson.Array:
		c.Elements = slices.Delete(c.Elements, i, i+1)
	}
}

// startsLine reports whether blanks and comments begin with a line end.
func startsLine(extra hujson.Extra) bool {
	return bytes.HasPrefix(bytes.TrimLeft(extra, " \t\r"), []byte("\n"))
}

// value returns a value as it is written on a line with the indentation indent.
func (s style) value(v any, indent string, broken bool) hujson.ValueTrimmed {
	made, _ := hujson.Parse([]byte(s.render(v, indent, broken))) // it is JSON
	return made.Value
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
