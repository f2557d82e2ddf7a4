package cli

import (
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"blue/blue/markdown"
)

// layout formats Markdown for a terminal.
type layout struct {
	source []byte
	color  bool // without it, emphasis and code keep their markers

	lastRule []glyph
}

// layOutNote formats the body of a note and drops a heading that repeats the title.
func layOutNote(title, body string, room int, color bool) [][]glyph {
	doc := markdown.Parse(title, body)
	if doc == nil {
		return wrapLines(toGlyphs(strings.TrimRight(body, "\r\n"), 0), room)
	}
	m := &layout{source: []byte(body), color: color}
	return m.blocks(doc, room, false)
}

// blocks formats the children of a block, separated by blank lines unless it is tight.
func (m *layout) blocks(parent ast.Node, room int, tight bool) (lines [][]glyph) {
	room = max(room, 8)
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		var block [][]glyph
		switch n := n.(type) {
		case *ast.Heading:
			block = wrapLines(append(toGlyphs(strings.Repeat("#", n.Level)+" ", bold|heading), m.inline(n, bold|heading)...), room)
		case *ast.ThematicBreak:
			block = [][]glyph{m.rule(room)}
		case *ast.CodeBlock, *ast.FencedCodeBlock, *ast.HTMLBlock, *ast.LinkReferenceDefinition:
			block = m.verbatim(n)
		case *ast.Blockquote:
			bar := toGlyphs("│ ", faint)
			block = addMargin(bar, bar, m.blocks(n, room-len(bar), false))
		case *ast.List:
			block = m.list(n, room)
		case *east.Table:
			block = m.table(n, room)
		default:
			block = wrapLines(m.inline(n, 0), room)
		}
		if len(lines) > 0 && len(block) > 0 && !tight {
			lines = append(lines, nil)
		}
		lines = append(lines, block...)
	}
	return lines
}

// rule returns a horizontal line.
func (m *layout) rule(room int) []glyph {
	if len(m.lastRule) != room {
		m.lastRule = toGlyphs(strings.Repeat("─", room), faint)
	}
	return m.lastRule
}

// verbatim returns lines unwrapped, so that they can be copied.
func (m *layout) verbatim(n ast.Node) (lines [][]glyph) {
	if html, ok := n.(*ast.HTMLBlock); ok && html.HasClosure() {
		n.Lines().Append(html.ClosureLine)
	}
	for line := range strings.Lines(string(n.Lines().Value(m.source))) {
		lines = append(lines, toGlyphs("    "+strings.TrimRight(line, "\r\n"), 0))
	}
	return lines
}

func (m *layout) list(n *ast.List, room int) (lines [][]glyph) {
	for i, item := n.Start, n.FirstChild(); item != nil; i, item = i+1, item.NextSibling() {
		mark := toGlyphs("• ", faint)
		if n.IsOrdered() {
			mark = toGlyphs(strconv.Itoa(i)+string(n.Marker)+" ", faint)
		}
		if len(lines) > 0 && !n.IsTight {
			lines = append(lines, nil)
		}
		lines = append(lines, addMargin(mark, padLine(nil, len(mark)), m.blocks(item, room-len(mark), n.IsTight))...)
	}
	return lines
}

// table formats a table in columns if it fits, else row by row.
func (m *layout) table(n *east.Table, room int) (lines [][]glyph) {
	var rows [][][]glyph
	wide, all := make([]int, len(n.Alignments)), 3*(len(n.Alignments)-1) // columns of each cell, and of them with " │ "
	for row, l := n.FirstChild(), bold; row != nil; row, l = row.NextSibling(), 0 {
		cells := make([][]glyph, len(wide))
		for i, cell := 0, row.FirstChild(); cell != nil && i < len(wide); i, cell = i+1, cell.NextSibling() {
			cells[i] = m.inline(cell, l)
			more := max(columnsOf(cells[i])-wide[i], 0)
			wide[i], all = wide[i]+more, all+more
		}
		rows = append(rows, cells)
	}
	if all > room {
		clear(wide)
	}
	for at, cells := range rows {
		if at == 1 || at > 1 && all > room {
			lines = append(lines, toGlyphs(strings.Repeat("─", min(all, room)), faint))
		}
		line := padLine(cells[0], wide[0])
		for i, cell := range cells[1:] {
			line = slices.Concat(line, toGlyphs(" │ ", faint), padLine(cell, wide[i+1]))
		}
		lines = append(lines, wrapLines(line, room)...)
	}
	return lines
}

// inline returns the text of a node's inline children.
func (m *layout) inline(parent ast.Node, l look) (line []glyph) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		mark, before, inner, after := "", "", l, "" // the mark is for terminals without looks
		switch n := n.(type) {
		case *ast.Text:
			before = strings.ReplaceAll(string(n.Segment.Value(m.source)), "\n", " ") // code spans may contain newlines
			if !n.IsRaw() {
				before = plainText([]byte(before))
			}
			before += map[bool]string{true: " "}[n.SoftLineBreak()] + map[bool]string{true: "\n"}[n.HardLineBreak()]
		case *ast.CodeSpan:
			mark, inner = "`", l|code
		case *ast.Emphasis:
			mark, inner = "**"[:n.Level], l|[]look{italic, bold}[n.Level-1]
		case *ast.Link:
			inner, after = l|underlined, " ("+plainText(n.Destination)+")"
		case *ast.Image:
			before, after = "picture: ", " ("+plainText(n.Destination)+")"
		case *ast.AutoLink:
			before, inner = string(n.Label(m.source)), l|underlined|whole
		case *ast.RawHTML:
			before, inner = string(n.Segments.Value(m.source)), l|faint
		}
		if m.color {
			mark = ""
		}
		for _, part := range [][]glyph{toGlyphs(mark+before, inner), m.inline(n, inner), toGlyphs(mark, inner), toGlyphs(after, l|faint|whole)} {
			line = append(line, part...)
		}
	}
	return line
}

// plainText resolves backslash escapes and character references.
func plainText(source []byte) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(source))))
}
