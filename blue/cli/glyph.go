package cli

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"

	"blue/blue"
)

// What goes to a terminal is laid out in glyphs: a character with the marks that
// stand on it, how it looks, and how many columns it takes.

// glyph is one character on a terminal; "\n" ends a line.
type glyph struct {
	text string
	look look
	wide int // columns
}

// glyphs are the glyphs of a text. Every text that a person or a note gives passes
// through here, where [blue.Visible] spells out what a terminal would obey.
func glyphs(text string, l look) []glyph {
	text = strings.ReplaceAll(blue.Visible(text), "\r\n", "\n")
	line := make([]glyph, 0, len(text))
	start := 0
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		wide := columns(r)
		switch {
		case r == '\t':
			line = append(line, glyph{"    ", l, 4})
		case wide == 0 && r != '\n' && i > start && text[i-1] > ' ': // stands on the one before
			line[len(line)-1].text = text[start:end]
			continue
		default:
			line = append(line, glyph{text[i:end], l, wide})
		}
		start = i
	}
	return line
}

// columns is how much room a character takes: none for marks on the one before,
// two for wide East Asian characters and emoji.
func columns(r rune) int {
	switch {
	case r >= ' ' && r < 0x7f:
		return 1
	case r == '\n' || unicode.In(r, unicode.Mn, unicode.Me), 0x200b <= r && r <= 0x200f, r == 0x061c,
		0x1160 <= r && r <= 0x11ff: // vowels and finals of Hangul syllables
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

func columnsOf(line []glyph) (sum int) {
	for _, g := range line {
		sum += g.wide
	}
	return sum
}

// wrap breaks a text into lines of at most that many columns: at spaces, else
// between wide characters, else anywhere but in what stays whole.
func wrap(text []glyph, room int) (lines [][]glyph) {
	for first := true; first || len(text) > 0; first = false {
		end, next := lineEnd(text, max(room, 2))
		line := text[:end]
		for len(line) > 0 && line[len(line)-1].text == " " { // it may be one column too much
			line = line[:len(line)-1]
		}
		lines = append(lines, line)
		text = text[next:]
	}
	return lines
}

// lineEnd is where the first line of a text ends, and where the next one begins.
func lineEnd(text []glyph, room int) (end, next int) {
	used, border := 0, 0
	for i, g := range text {
		switch {
		case g.text == "\n":
			return i, i + 1
		case g.text == " ":
			border = i + 1
		case i > 0 && (g.wide == 2 || text[i-1].wide == 2) && !clings(g.text):
			border = i
		}
		used += g.wide
		switch {
		case used <= room || g.text == " ":
		case border > 0:
			return border, border
		case g.look&whole == 0:
			return max(i, 1), max(i, 1)
		}
	}
	return len(text), len(text)
}

// clings reports punctuation that begins no line.
func clings(mark string) bool {
	return strings.ContainsAny(mark, "、。，．！？：；）」』】〉》〕］｝’”…ー,.!?:;)]}")
}

// cut is the start of a line that fits, with … when something was left out, and
// filled up with spaces.
func cut(line []glyph, room int) []glyph {
	if columnsOf(line) > room {
		used, end := 1, 0
		for ; end < len(line) && used+line[end].wide <= room; end++ {
			used += line[end].wide
		}
		ink := look(0)
		if end > 0 {
			ink = line[end-1].look
		}
		line = append(line[:end:end], glyph{"…", ink, 1})
	}
	return fill(line, room)
}

// fill adds spaces up to that many columns.
func fill(line []glyph, room int) []glyph {
	if n := room - columnsOf(line); n > 0 {
		return append(line[:len(line):len(line)], glyph{strings.Repeat(" ", n), 0, n})
	}
	return line
}
