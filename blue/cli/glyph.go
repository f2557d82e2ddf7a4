package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"blue/errors"
)

// look is a set of text attributes.
type look uint16

// Text attributes.
const (
	bold look = 1 << iota
	faint
	italic
	underlined
	heading // both hues are legible on dark and light backgrounds
	code
	added   // as in a diff
	removed // as in a diff
	whole   // not an attribute: keeps URLs on one line
)

// sgr maps attributes to their ECMA-48 codes (select graphic rendition).
var sgr = []struct {
	look look
	code string
}{{bold, "1"}, {faint, "2"}, {italic, "3"}, {underlined, "4"}, {heading, "38;5;32"}, {code, "38;5;133"}, {added, "32"}, {removed, "31"}}

// glyph is a character with its combining marks. "\n" ends a line.
type glyph struct {
	text string
	look look
	wide int // columns
}

// toGlyphs splits a text into glyphs and escapes control characters. All text of notes and people
// passes through it.
func toGlyphs(text string, l look) (line []glyph) {
	text = strings.ReplaceAll(strings.ReplaceAll(errors.Printable(text), "\r\n", "\n"), "\t", "    ")
	start := 0
	for i, r := range text {
		wide, end := columnsOfRune(r), i+utf8.RuneLen(r)
		if wide == 0 && r != '\n' && i > start && text[i-1] > ' ' { // combines with the previous glyph
			line[len(line)-1].text = text[start:end]
			continue
		}
		line, start = append(line, glyph{text[i:end], l, wide}), i
	}
	return line
}

// columnsOfRune returns the width of a rune: 0 for combining marks, 2 for wide characters and
// emoji.
func columnsOfRune(r rune) int {
	if ' ' <= r && r < 0x7f {
		return 1
	}
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc) || 0x1160 <= r && r <= 0x11ff { // Hangul vowels and finals too
		return 0
	}
	if kind := width.LookupRune(r).Kind(); kind == width.EastAsianWide || kind == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// columnsOfText returns the width of a text on a terminal.
func columnsOfText(text string) int { return columnsOf(toGlyphs(text, 0)) }

func columnsOf(line []glyph) (sum int) {
	for _, g := range line {
		sum += g.wide
	}
	return sum
}

// wrapLines breaks a text into lines: at spaces, which may exceed the width, else between wide
// characters, else anywhere except in text marked whole.
func wrapLines(text []glyph, room int) (lines [][]glyph) {
	start, border, used := 0, 0, 0 // of the current line
	for i := 0; i < len(text); i++ {
		g, ended := text[i], text[i].text == "\n"
		if g.text == " " || ended {
			border = i + 1
		} else if i > start && (g.wide == 2 || text[i-1].wide == 2) && !strings.ContainsAny(g.text, "、。，．！？：；）」』】,.!?:;)") { // these must not begin a line
			border = i
		}
		used += g.wide
		if !ended && (used <= max(room, 2) || g.text == " " || border <= start && g.look&whole != 0) {
			continue
		}
		if border <= start { // no break opportunity
			border = max(i, start+1)
		}
		lines = append(lines, text[start:border])
		start, used, i = border, 0, border-1
	}
	return append(lines, text[start:])
}

// padLine pads a line with spaces.
func padLine(line []glyph, room int) []glyph {
	if n := room - columnsOf(line); n > 0 {
		return append(line[:len(line):len(line)], glyph{strings.Repeat(" ", n), 0, n})
	}
	return line
}

// addMargin prefixes the first line and the other lines.
func addMargin(first, rest []glyph, lines [][]glyph) [][]glyph {
	for i, line := range lines {
		lines[i], first = append(first[:len(first):len(first)], line...), rest
	}
	return lines
}

// cutLine truncates a line to a width, with … if text was cut, and pads it with spaces.
func cutLine(line []glyph, room int) []glyph {
	if columnsOf(line) > room {
		used, end, l := 1, 0, look(0)
		for ; end < len(line) && used+line[end].wide <= room; end++ {
			used, l = used+line[end].wide, line[end].look
		}
		line = append(line[:end:end], glyph{"…", l, 1})
	}
	return padLine(line, room)
}
