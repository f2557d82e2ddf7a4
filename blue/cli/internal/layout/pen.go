// Package layout draws on a terminal: how wide characters are, where lines break, tables,
// the Markdown of notes, and the looks of each. What a note or a person wrote does nothing
// to the terminal. It knows texts alone, no commands and no results.
package layout

import "strings"

const (
	// Measure is the columns beyond which a line of prose is hard to read.
	Measure = 100

	// Unbounded is wider than any line of prose: the columns of what is read elsewhere.
	Unbounded = 1000
)

// Pen writes lines, in colour or plain.
type Pen struct {
	strings.Builder
	color   bool
	columns int // of the terminal
	room    int // those of them that are written on
}

// New writes for a terminal of so many columns.
func New(columns int, color bool) *Pen {
	return &Pen{color: color, columns: columns, room: columns}
}

// Narrow keeps what is written from now on within [Measure]; the tail has all columns.
func (p *Pen) Narrow() { p.room = min(p.room, Measure) }

// Line writes one line that is not broken, however long.
func (p *Pen) Line(text string, l Look) { p.line(toGlyphs(text, l)) }

// Paragraph writes a text in as many lines as it needs.
func (p *Pen) Paragraph(text string, l Look) { p.beside(nil, 0, toGlyphs(text, l)) }

// Markdown writes the body of a note below its title, which is not said twice.
func (p *Pen) Markdown(title, body string) { p.lines(layOutNote(title, body, p.room, p.color)) }

// Rule writes a line from one side to the other.
func (p *Pen) Rule() { p.Line(strings.Repeat("─", p.room), Faint) }

// Tail writes what is said after a result, if anything, behind an empty line.
func (p *Pen) Tail(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.line(nil)
	}
	p.lines(wrapLines(toGlyphs(strings.TrimRight(text, "\n"), Faint), p.columns))
}

// line writes one line, without spaces at its end.
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

// beside writes a text behind a margin of so many columns, in whose first line something
// may stand.
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
