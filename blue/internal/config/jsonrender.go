package config

import (
	"bytes"
	"encoding/json"
	"strings"
)

// render writes a value; indent is the margin of the line it begins on. An element of
// a list takes one line.
func (g page) render(v any, indent string, broken bool) string {
	var parts []string
	edges, inner := "[]", indent+g.unit
	switch v := v.(type) {
	case Object:
		edges = "{}"
		for _, m := range v {
			parts = append(parts, quote(m.Key)+": "+g.render(m.Value, inner, broken))
		}
	case []any:
		for _, element := range v {
			parts = append(parts, g.render(element, inner, false))
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
	return edges[:1] + g.nl + inner + strings.Join(parts, ","+g.nl+inner) + g.nl + indent + edges[1:]
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

// Document is a new file of JSON that holds the object.
func Document(o Object) []byte { return page{nl: "\n", unit: "  "}.begin(o) }

// OneLine is the object as JSON on one line.
func OneLine(o Object) string { return page{}.render(o, "", false) }
