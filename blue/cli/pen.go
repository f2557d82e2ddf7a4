package cli

import (
	"strings"
	"unicode/utf8"
)

// measure is the maximum width of prose.
const measure = 100

// pen writes formatted lines to a terminal. It escapes control characters in the text of notes and
// people.
type pen struct {
	strings.Builder
	color   bool
	columns int // of the terminal
	room    int // columns in use
}

// newPen returns a pen for a terminal with the given width.
func newPen(columns int, color bool) *pen {
	return &pen{color: color, columns: columns, room: columns}
}

// Narrow limits the following output to [measure] columns, except for [pen.Tail].
func (p *pen) Narrow() { p.room = min(p.room, measure) }

// Line writes a line without wrapping.
func (p *pen) Line(text string, l look) { p.line(toGlyphs(text, l)) }

// Paragraph writes wrapped text.
func (p *pen) Paragraph(text string, l look) { p.beside(nil, 0, toGlyphs(text, l)) }

// Rule writes a horizontal line.
func (p *pen) Rule() { p.Line(strings.Repeat("─", p.room), faint) }

// Tail writes a blank line and the text after a result, if any.
func (p *pen) Tail(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.line(nil)
	}
	p.lines(wrapLines(toGlyphs(strings.TrimRight(text, "\n"), faint), p.columns))
}

// line writes a line without trailing spaces.
func (p *pen) line(text []glyph) {
	for len(text) > 0 && strings.TrimSpace(text[len(text)-1].text) == "" {
		text = text[:len(text)-1]
	}
	last := look(0)
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
func (p *pen) lines(all [][]glyph) {
	for _, text := range all {
		p.line(text)
	}
}

// beside writes an indented text with a label in the margin of its first line.
func (p *pen) beside(first []glyph, margin int, text []glyph) {
	p.lines(addMargin(padLine(first, margin), padLine(nil, margin), wrapLines(text, p.room-margin)))
}

// wrapPlain writes lines of plain text, each wrapped between words below its first column. It breaks no
// word, and leaves lines alone that keep reports.
func (p *pen) wrapPlain(text string, keep func(line string) bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		glyphs := toGlyphs(line, whole)
		if keep(line) || columnsOf(glyphs) <= p.room {
			p.line(glyphs)
			continue
		}
		indent := min(hanging(line, p.room/2), len(glyphs))
		p.beside(glyphs[:indent], columnsOf(glyphs[:indent]), glyphs[indent:])
	}
}

// hanging returns the number of characters before the second column of a line, if that begins
// within room characters, or else those of its indentation and two more.
func hanging(line string, room int) int {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	label, _, ok := strings.Cut(line[indent:], "  ")
	rest := line[indent+len(label):]
	column := indent + utf8.RuneCountInString(label) + len(rest) - len(strings.TrimLeft(rest, " "))
	if ok && column <= min(room, labelled) {
		return column
	}
	return indent + 2
}

// labelled is the maximum width of a first column that a wrapped line keeps clear.
const labelled = 20

func (p *pen) change(to look) {
	p.WriteString("\x1b[0")
	for _, s := range sgr {
		if to&s.look != 0 {
			p.WriteString(";" + s.code)
		}
	}
	p.WriteByte('m')
}

// dot separates facts about a note. It never begins a line.
const dot = "\u00a0· "

// margin is the indentation of the lines below a note's title.
const margin = 2

// Byline writes the id of a note and facts about it.
func (p *pen) Byline(id string, words ...string) { p.beside(nil, 0, joinWords(id, words)) }

// About writes an indented line with the id of a note and facts about it, wrapped below the id if
// needed.
func (p *pen) About(id string, words ...string) {
	line := joinWords(id, words)
	if columnsOfText(id+dot+words[0]) > p.room-margin {
		line = append(toGlyphs(id+"\n", whole), toGlyphs(strings.Join(words, dot), faint)...)
	}
	p.beside(nil, margin, line)
}

func joinWords(id string, words []string) []glyph {
	return append(toGlyphs(id, whole), toGlyphs(dot+strings.Join(words, dot), faint)...)
}

// Remark writes an indented text in faint style.
func (p *pen) Remark(text string) { p.beside(nil, margin, toGlyphs(text, faint)) }

// Snippet writes an indented excerpt of a note. Text between marks is highlighted.
func (p *pen) Snippet(text string, marks [][2]int) {
	var line []glyph
	at := 0
	for _, m := range marks {
		line = append(line, toGlyphs(text[at:m[0]], 0)...)
		line = append(line, toGlyphs(text[m[0]:m[1]], bold|underlined)...)
		at = m[1]
	}
	p.beside(nil, margin, append(line, toGlyphs(text[at:], 0)...))
}

// Facts writes one line per name with its value.
func (p *pen) Facts(facts [][2]string) {
	wide := 0
	for _, fact := range facts {
		wide = max(wide, len(fact[0])+2)
	}
	for _, fact := range facts {
		p.beside(toGlyphs(fact[0], faint), wide, toGlyphs(fact[1], 0))
	}
}
