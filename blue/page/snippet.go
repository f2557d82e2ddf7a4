package page

import (
	"regexp"
	"strings"
)

// markup matches the Markdown syntax of a passage. The text of its groups is kept, bullets become
// dots, everything else is dropped. Code spans come first because nothing in them is markup.
var markup = regexp.MustCompile("(?m)" +
	"``+[ ]?([^\n]*?)[ ]?``+|`([^`\n]+)`" + // code
	`|^[ \t]*#[ \t]+|(?:^|[ \t])#{2,6}[ \t]+` + // headings, which may stand on the line of a passage before
	`|^[ \t]*(?:>[ \t]?|` + "```.*|~~~.*" + `|\|?[ \t]*:?-{3,}[-:| \t]*$)` + // quotes, fences, rules and the second line of a table
	`|(?:^[ \t]*|([.:;…])[ \t]+)(?:[-*+]|(\d+[.)]))[ \t]+(?:\[[ xX]\][ \t]+)?` + // items of lists
	`|!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|#\n]+)(?:#[^\[\]\n]*)?\]\]` + // links to notes
	`|!?\[([^\[\]\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)` + // other links, and pictures
	`|\[\^[^\]\s]+\]:?` + // footnotes
	`|\*\*|~~|\*([^\s*](?:[^*\n]*[^\s*])?)\*` + // bold, strikethrough, italic
	`|\\([!-/:-@\[-` + "`" + `{-~])` + // escaped characters
	`|^\||\|$|\|`) // cells of a table

// plainPieces strips the Markdown syntax from a passage and keeps its marks, which are in order.
func plainPieces(text string, marks [][2]int) (pieces []piece) {
	keep := func(from, to int) {
		var within [][2]int
		for _, m := range marks {
			if m = [2]int{max(m[0], from) - from, min(m[1], to) - from}; m[0] < m[1] {
				within = append(within, m)
			}
		}
		for _, p := range cutAtMarks(text[from:to], within) {
			if p.Text != "" {
				pieces = append(pieces, p)
			}
		}
	}
	done := 0
	for _, m := range markup.FindAllStringSubmatchIndex(text, -1) {
		keep(done, m[0])
		done = m[1]
		for group := 2; group < len(m); group += 2 {
			if m[group] >= 0 {
				keep(m[group], m[group+1])
			}
		}
		pieces = append(pieces, stands(text[m[0]:m[1]])...)
	}
	keep(done, len(text))
	return pieces
}

// An item of a list: one that has no number, and one on the line of a passage before.
var bullet = regexp.MustCompile(`^([.:;…]?)[ \t]*(?:[-*+]|\d+[.)])[ \t]`)

// stands returns the replacement of a match of markup.
func stands(sign string) []piece {
	m := bullet.FindStringSubmatch(sign)
	numbered := strings.ContainsAny(sign, "0123456789")
	switch {
	case m != nil && numbered:
		return []piece{{Text: " "}}
	case m != nil && m[1] == "":
		return []piece{{Text: "• "}}
	case m != nil:
		return []piece{{Text: " • "}}
	case sign == "|", strings.HasPrefix(sign, " #"):
		return []piece{{Text: " "}}
	}
	return nil
}
