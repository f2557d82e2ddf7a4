package cli

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"blue/blue"
)

const (
	measure = 100 // columns beyond which a line of prose is hard to read
	deepest = 12  // lists and quotes in each other that still get a margin
)

// sheet is one Markdown text, to be laid out on a terminal.
type sheet struct {
	source []byte
	color  bool // otherwise emphasis, code and headings keep their marks
	depth  int
}

// layout lays out the body of a note below its title, which is not said twice.
func layout(title, body string, room int, color bool) (lines [][]glyph) {
	if blue.Involved(body) {
		for line := range strings.Lines(body) {
			lines = append(lines, wrap(glyphs(strings.TrimRight(line, "\r\n"), 0), room)...)
		}
		return lines
	}
	md := goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList, extension.Table))
	s := &sheet{source: []byte(body), color: color}
	doc := md.Parser().Parse(text.NewReader(s.source))
	if first, ok := doc.FirstChild().(*ast.Heading); ok && strings.TrimSpace(string(first.Lines().Value(s.source))) == title {
		doc.RemoveChild(doc, first)
	}
	return s.blocks(doc, room)
}

// blocks are the lines of what stands in a block, a blank line between its parts
// unless they are the items of a tight list.
func (s *sheet) blocks(parent ast.Node, room int) (lines [][]glyph) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		block := s.block(n, max(room, 8))
		if len(lines) > 0 && len(block) > 0 && !tight(parent) && !defines(n.PreviousSibling(), n) {
			lines = append(lines, nil)
		}
		lines = append(lines, block...)
	}
	return lines
}

func tight(n ast.Node) bool {
	if _, ok := n.(*ast.ListItem); ok {
		n = n.Parent()
	}
	list, ok := n.(*ast.List)
	return ok && list.IsTight
}

// defines reports two definitions of link targets below each other.
func defines(a, b ast.Node) bool {
	return a.Kind() == ast.KindLinkReferenceDefinition && a.Kind() == b.Kind()
}

func (s *sheet) block(n ast.Node, room int) [][]glyph {
	switch n := n.(type) {
	case *ast.Heading:
		return s.heading(n, room)
	case *ast.ThematicBreak:
		return [][]glyph{rule(room)}
	case *ast.CodeBlock, *ast.FencedCodeBlock:
		return margin(glyphs("    ", 0), nil, s.raw(n, 0))
	case *ast.HTMLBlock, *ast.LinkReferenceDefinition:
		return s.raw(n, faint)
	case *ast.Blockquote:
		bar := s.within(glyphs("│ ", faint))
		defer s.out()
		return margin(bar, nil, s.blocks(n, room-columnsOf(bar)))
	case *ast.List:
		return s.list(n, room)
	case *east.Table:
		return s.table(n, room)
	case *ast.Paragraph, *ast.TextBlock:
		return wrap(s.inline(n, 0), room)
	}
	return s.blocks(n, room)
}

// within is the margin of a block in a block; the very deep ones have none.
func (s *sheet) within(margin []glyph) []glyph {
	if s.depth++; s.depth > deepest {
		return nil
	}
	return margin
}

func (s *sheet) out() { s.depth-- }

func (s *sheet) heading(n *ast.Heading, room int) [][]glyph {
	if !s.color {
		return wrap(append(glyphs(strings.Repeat("#", n.Level)+" ", 0), s.inline(n, 0)...), room)
	}
	l := bold
	if n.Level <= 2 {
		l |= heading
	}
	return wrap(s.inline(n, l), room)
}

// raw are lines that stay as they are, however long: a terminal that breaks them
// itself lets them be copied whole.
func (s *sheet) raw(n ast.Node, l look) (lines [][]glyph) {
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		lines = append(lines, glyphs(strings.TrimRight(string(line.Value(s.source)), "\r\n"), l))
	}
	if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
		lines = append(lines, glyphs(strings.TrimRight(string(html.ClosureLine.Value(s.source)), "\r\n"), l))
	}
	return lines
}

func (s *sheet) list(n *ast.List, room int) (lines [][]glyph) {
	number, wide := n.Start, 2
	if n.IsOrdered() {
		wide = len(strconv.Itoa(n.Start+n.ChildCount()-1)) + 2
	}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "• "
		if n.IsOrdered() {
			mark = strconv.Itoa(number) + string(n.Marker) + " "
			number++
		}
		first := s.within(append(glyphs(strings.Repeat(" ", max(wide-len([]rune(mark)), 0)), 0), glyphs(mark, faint)...))
		if len(lines) > 0 && !n.IsTight {
			lines = append(lines, nil)
		}
		block := s.blocks(item, room-columnsOf(first))
		if len(block) == 0 {
			block = [][]glyph{nil}
		}
		lines = append(lines, margin(first, fill(nil, columnsOf(first)), block)...)
		s.out()
	}
	return lines
}

// margin puts one margin before the first line and another, the same when it is
// nil, before the rest.
func margin(first, rest []glyph, lines [][]glyph) [][]glyph {
	if rest == nil {
		rest = first
	}
	for i, line := range lines {
		side := rest
		if i == 0 {
			side = first
		}
		lines[i] = append(side[:len(side):len(side)], line...)
	}
	return lines
}

func rule(room int) []glyph { return glyphs(strings.Repeat("─", room), faint) }

func textOf(line []glyph) string {
	var b strings.Builder
	for _, g := range line {
		b.WriteString(g.text)
	}
	return b.String()
}
