package cli

import (
	"bufio"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer/html"
)

// soft stands for the end of a line of the source until it is known what follows.
const soft = "\r"

// inline is the text of a paragraph, a heading or a cell.
func (s *sheet) inline(n ast.Node, l look) []glyph {
	line := s.spans(n, l)
	kept := line[:0]
	for i, g := range line {
		if g.text == soft {
			if i > 0 && i+1 < len(line) && spaceless(line[i-1].text) && spaceless(line[i+1].text) {
				continue
			}
			g.text, g.wide = " ", 1
		}
		kept = append(kept, g)
	}
	return kept
}

// spaceless reports characters of the scripts that put no space between words.
func spaceless(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return columns(r) == 2 && !unicode.Is(unicode.Hangul, r)
}

// spans is what stands in a node.
func (s *sheet) spans(n ast.Node, l look) (line []glyph) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		line = append(line, s.span(child, l)...)
	}
	return line
}

func (s *sheet) span(n ast.Node, l look) []glyph {
	switch n := n.(type) {
	case *ast.Text:
		return s.text(n, l)
	case *ast.String:
		return glyphs(string(n.Value), l)
	case *ast.CodeSpan:
		return s.marked("`", glyphs(s.codeText(n), l|code), l)
	case *ast.Emphasis:
		return s.marked("**"[:min(n.Level, 2)], s.spans(n, l|[]look{italic, bold}[min(n.Level, 2)-1]), l)
	case *east.Strikethrough:
		return s.marked("~~", s.spans(n, l|struck), l)
	case *ast.Link:
		return s.link(s.spans(n, l|underlined), n.Destination, l)
	case *ast.Image:
		return append(glyphs("picture: ", l|faint), s.link(s.spans(n, l), n.Destination, l)...)
	case *ast.AutoLink:
		return glyphs(string(n.Label(s.source)), l|underlined|whole)
	case *ast.RawHTML:
		return glyphs(s.segments(n), l|faint)
	case *east.TaskCheckBox:
		return glyphs(map[bool]string{true: "[x] ", false: "[ ] "}[n.IsChecked], l)
	}
	return s.spans(n, l)
}

func (s *sheet) text(n *ast.Text, l look) []glyph {
	value := string(n.Segment.Value(s.source))
	if !n.IsRaw() {
		value = resolved(value)
	}
	line := glyphs(value, l)
	switch {
	case n.HardLineBreak():
		line = append(line, glyph{text: "\n", look: l})
	case n.SoftLineBreak():
		line = append(line, glyph{soft, l, 1})
	}
	return line
}

// marked keeps the marks of the source where looks cannot stand for them.
func (s *sheet) marked(mark string, line []glyph, l look) []glyph {
	if s.color {
		return line
	}
	around := glyphs(mark, l)
	return append(append(around[:len(around):len(around)], line...), around...)
}

// link is a label and, unless it says the same, the address in brackets.
func (s *sheet) link(label []glyph, address []byte, l look) []glyph {
	to := resolved(string(address))
	if to == "" || textOf(label) == to || textOf(label) == strings.TrimPrefix(to, "mailto:") {
		return label
	}
	if len(label) > 0 {
		label = append(label, glyph{" ", l, 1})
	}
	return append(label, glyphs("("+to+")", l&^underlined|faint|whole)...)
}

// codeText is the text of a code span.
func (s *sheet) codeText(n *ast.CodeSpan) string {
	var b strings.Builder
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			b.WriteString(strings.ReplaceAll(string(t.Segment.Value(s.source)), "\n", " "))
		}
	}
	return b.String()
}

func (s *sheet) segments(n *ast.RawHTML) string {
	var b strings.Builder
	for i := range n.Segments.Len() {
		part := n.Segments.At(i)
		b.Write(part.Value(s.source))
	}
	return b.String()
}

var unescape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&")

// resolved is a text without the backslashes of Markdown, and with the characters
// that its references name.
func resolved(text string) string {
	if !strings.ContainsAny(text, `\&`) {
		return text
	}
	var b strings.Builder
	w := bufio.NewWriter(&b)
	html.DefaultWriter.Write(w, []byte(text))
	_ = w.Flush() // into memory
	return unescape.Replace(b.String())
}
