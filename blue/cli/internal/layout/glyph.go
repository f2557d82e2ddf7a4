package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"blue/errors"
)

// glyph is a character with the marks that stand on it; "\n" ends a line.
type glyph struct {
	text string
	look Look
	wide int // columns
}

// toGlyphs takes a text apart. Every text that a person or a note gives passes
// through here, where what a terminal would obey is spelled out.
func toGlyphs(text string, l Look) (line []glyph) {
	text, _ = errors.Escape(text, errors.HiddenOnTerminal)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\t", "    ")
	start := 0
	for i, r := range text {
		wide, end := columnsOfRune(r), i+utf8.RuneLen(r)
		if wide == 0 && r != '\n' && i > start && text[i-1] > ' ' { // stands on the one before
			line[len(line)-1].text = text[start:end]
			continue
		}
		line, start = append(line, glyph{text[i:end], l, wide}), i
	}
	return line
}

// columnsOfRune is 0 for a mark on the character before, 2 for wide ones and emoji.
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

// Columns is how many columns of a terminal a text takes.
func Columns(text string) int { return columnsOf(toGlyphs(text, 0)) }

func columnsOf(line []glyph) (sum int) {
	for _, g := range line {
		sum += g.wide
	}
	return sum
}

// wrapLines breaks a text into lines: at spaces, which may hang over the end, else
// between wide characters, else anywhere but in what stays whole.
func wrapLines(text []glyph, room int) (lines [][]glyph) {
	start, border, used := 0, 0, 0 // of the line under way
	for i := 0; i < len(text); i++ {
		g, ended := text[i], text[i].text == "\n"
		if g.text == " " || ended {
			border = i + 1
		} else if i > start && (g.wide == 2 || text[i-1].wide == 2) && !strings.ContainsAny(g.text, "、。，．！？：；）」』】,.!?:;)") { // these begin no line
			border = i
		}
		used += g.wide
		if !ended && (used <= max(room, 2) || g.text == " " || border <= start && g.look&whole != 0) {
			continue
		}
		if border <= start { // no place to break
			border = max(i, start+1)
		}
		lines = append(lines, text[start:border])
		start, used, i = border, 0, border-1
	}
	return append(lines, text[start:])
}

// padLine adds spaces up to that many columns.
func padLine(line []glyph, room int) []glyph {
	if n := room - columnsOf(line); n > 0 {
		return append(line[:len(line):len(line)], glyph{strings.Repeat(" ", n), 0, n})
	}
	return line
}

// addMargin puts one margin before the first line and another before the rest.
func addMargin(first, rest []glyph, lines [][]glyph) [][]glyph {
	for i, line := range lines {
		lines[i], first = append(first[:len(first):len(first)], line...), rest
	}
	return lines
}

// cutLine is the start of a line that fits, with … when something was left out, and
// filled up with spaces.
func cutLine(line []glyph, room int) []glyph {
	if columnsOf(line) > room {
		used, end, l := 1, 0, Look(0)
		for ; end < len(line) && used+line[end].wide <= room; end++ {
			used, l = used+line[end].wide, line[end].look
		}
		line = append(line[:end:end], glyph{"…", l, 1})
	}
	return padLine(line, room)
}
