package cli

import "strings"

// look is how a text looks on a terminal, a set of the following.
type look uint16

const (
	bold look = 1 << iota
	faint
	italic
	underlined
	heading // the two hues can be read on dark and on light ground
	code
	added   // as in a diff
	removed // as in a diff
	whole   // no look: an address that is not broken between lines
)

// sgr are the codes of the looks (ECMA-48, select graphic rendition).
var sgr = []struct {
	look look
	code string
}{{bold, "1"}, {faint, "2"}, {italic, "3"}, {underlined, "4"}, {heading, "38;5;32"}, {code, "38;5;133"}, {added, "32"}, {removed, "31"}}

// measure is the columns beyond which a line of prose is hard to read.
const measure = 100

// dot stands between words about a note, and begins no line.
const dot = "\u00a0· "

// pen writes lines, in colour or plain.
type pen struct {
	strings.Builder
	color bool
	room  int // columns of the terminal
}

// line writes one line, without spaces at its end.
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

// tail writes what is said after a result, if anything, behind an empty line.
func (p *pen) tail(text string) {
	if text == "" {
		return
	}
	if p.Len() > 0 {
		p.line(nil)
	}
	p.lines(wrapLines(toGlyphs(strings.TrimRight(text, "\n"), faint), p.room))
}

func (p *pen) change(to look) {
	p.WriteString("\x1b[0")
	for _, s := range sgr {
		if to&s.look != 0 {
			p.WriteString(";" + s.code)
		}
	}
	p.WriteByte('m')
}
