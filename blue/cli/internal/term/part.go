package term

import "strings"

// outer is the indentation below a heading of help.
const outer = 3

// Part writes a heading and rows of two columns. On narrow terminals the second column goes below
// the first.
func (p *Pen) Part(title string, rows ...[2]string) {
	p.line(nil)
	p.Line(title+":", Bold)
	const gap, least = 2, 30
	width := 0
	for _, row := range rows {
		if row[1] != "" {
			width = max(width, len(row[0]))
		}
	}
	indent := outer + width + gap
	below := p.room-indent < least
	if below {
		indent = 2 * outer
	}
	for _, row := range rows {
		first := append(padLine(nil, outer), toGlyphs(row[0], 0)...)
		switch {
		case row[1] == "":
			p.beside(nil, outer, toGlyphs(row[0], 0))
			continue
		case below:
			p.line(first)
			first = nil
		}
		p.beside(first, indent, toGlyphs(row[1], 0))
	}
}

// Indented writes indented paragraphs. Lines laid out in columns are not filled.
func (p *Pen) Indented(text string) {
	for i, part := range strings.Split(text, "\n\n") {
		if i > 0 {
			p.line(nil)
		}
		lines := strings.Split(part, "\n")
		if p.room < Unbounded && !strings.Contains(part, "  ") {
			lines = []string{strings.Join(lines, " ")}
		}
		for _, line := range lines {
			p.beside(nil, outer, toGlyphs(line, 0))
		}
	}
}
