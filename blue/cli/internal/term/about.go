package term

import "strings"

// dot separates facts about a note. It never begins a line.
const dot = "\u00a0· "

// margin is the indentation of the lines below a note's title.
const margin = 2

// Byline writes the id of a note and facts about it.
func (p *Pen) Byline(id string, words ...string) { p.beside(nil, 0, joinWords(id, words)) }

// About writes an indented line with the id of a note and facts about it, wrapped below the id if
// needed.
func (p *Pen) About(id string, words ...string) {
	line := joinWords(id, words)
	if Columns(id+dot+words[0]) > p.room-margin {
		line = append(toGlyphs(id+"\n", whole), toGlyphs(strings.Join(words, dot), Faint)...)
	}
	p.beside(nil, margin, line)
}

func joinWords(id string, words []string) []glyph {
	return append(toGlyphs(id, whole), toGlyphs(dot+strings.Join(words, dot), Faint)...)
}

// Remark writes an indented text in faint style.
func (p *Pen) Remark(text string) { p.beside(nil, margin, toGlyphs(text, Faint)) }

// Snippet writes an indented excerpt of a note. Text between marks is highlighted.
func (p *Pen) Snippet(text string, marks [][2]int) {
	var line []glyph
	at := 0
	for _, m := range marks {
		line = append(line, toGlyphs(text[at:m[0]], 0)...)
		line = append(line, toGlyphs(text[m[0]:m[1]], Bold|underlined)...)
		at = m[1]
	}
	p.beside(nil, margin, append(line, toGlyphs(text[at:], 0)...))
}

// Facts writes one line per name with its value.
func (p *Pen) Facts(facts [][2]string) {
	wide := 0
	for _, fact := range facts {
		wide = max(wide, len(fact[0])+2)
	}
	for _, fact := range facts {
		p.beside(toGlyphs(fact[0], Faint), wide, toGlyphs(fact[1], 0))
	}
}
