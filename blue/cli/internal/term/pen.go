// Package term formats text for terminals: character widths, line breaking, tables, Markdown and
// text attributes. It escapes control characters in the text of notes and people.
package term

import "strings"

const (
	// Measure is the maximum width of prose.
	Measure = 100

	// Unbounded is a width for output that is not wrapped.
	Unbounded = 1000
)

// Pen writes formatted lines to a terminal.
type Pen struct {
	strings.Builder
	color   bool
	columns int // of the terminal
	room    int // columns in use
}

// New returns a Pen for a terminal with the given width.
func New(columns int, color bool) *Pen {
	return &Pen{color: color, columns: columns, room: columns}
}

// Narrow limits the following output to [Measure] columns, except for [Pen.Tail].
func (p *Pen) Narrow() { p.room = min(p.room, Measure) }

// Line writes a line without wrapping.
func (p *Pen) Line(text string, l Look) { p.line(toGlyphs(text, l)) }

// Paragraph writes wrapped text.
func (p *Pen) Paragraph(text string, l Look) { p.beside(nil, 0, toGlyphs(text, l)) }

// Markdown writes the body of a note and drops a heading that repeats the title.
func (p *Pen) Markdown(title, body string) { p.lines(layOutNote(title, body, p.room, p.color)) }

// Rule writes a horizontal line.
func (p *Pen) Rule() { p.Line(strings.Repeat("─", p.room), Faint) }

// Tail writes a blank line and the text after a result, if any.
func (p *Pen) Tail(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.line(nil)
	}
	p.lines(wrapLines(toGlyphs(strings.TrimRight(text, "\n"), Faint), p.columns))
}

// line writes a line without trailing spaces.
func (p *Pen) line(text []glyph) {
	for len(text) > 0 && strings.TrimSpace(text[len(text)-1].text) == "" {
		text = text[:len(text)-1]
	}
	last := Look(0)
	for _, g := range text {
		if now := g.look &^ whole; now != last && p.color {
			p.change(now)
			last = now
		}
		p.WriteString(g.text)
	}
	if last != 0 {
		p.change(0)
	}
	p.WriteByte('\n')
}

// lines writes several lines.
func (p *Pen) lines(all [][]glyph) {
	for _, text := range all {
		p.line(text)
	}
}

// beside writes an indented text with a label in the margin of its first line.
func (p *Pen) beside(first []glyph, margin int, text []glyph) {
	p.lines(addMargin(padLine(first, margin), padLine(nil, margin), wrapLines(text, p.room-margin)))
}

func (p *Pen) change(to Look) {
	p.WriteString("\x1b[0")
	for _, s := range sgr {
		if to&s.look != 0 {
			p.WriteString(";" + s.code)
		}
	}
	p.WriteByte('m')
}
