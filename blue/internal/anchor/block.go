package anchor

import (
	"slices"
	"strings"
)

// goesOn lists words that begin a line at the margin of a block without ending the block.
var goesOn = strings.Fields("where then do begin else elif elsif rescue ensure except finally catch")

// blockEnd returns the index of the last line of the block that begins on a line. Indentation ends
// the block. While one of its braces is open, it ends only at a line that begins with a closing
// brace, because multi-line texts, labels and directives also begin at the margin.
func (t Lines) blockEnd(at int) int {
	margin, open, end := indentation(t.lines[at]), braces(t.lines[at]), at
	indented, quoted := false, quotes(t.lines[at])
	for i := at + 1; i < len(t.lines); i++ {
		line := strings.TrimSpace(t.lines[i])
		if line == "" {
			continue
		}
		if quoted || indentation(t.lines[i]) > margin {
			open, end, indented, quoted = open+braces(line), i, true, quoted != quotes(line)
			continue
		}
		outer := indentation(t.lines[i]) < margin
		switch after := open + braces(line); {
		case outer && (open <= 0 || line[0] == '}'):
			return end
		case open > 0 && line[0] == '}':
			if end = i; !opens(line) && (after <= 0 || indented) {
				return end
			}
			open = after
		case open > 0, line[0] == '{', slices.Contains(goesOn, namesIn(line[:min(len(line), 20)] + " x")[0]):
			open, end = after, i
		case line[0] == ')' || line[0] == ']':
			if end = i; !opens(line) {
				return end
			}
			open = after
		case slices.Contains([]string{"end", "done", "fi", "esac"}, strings.Split(strings.TrimRight(line, ";,)."), " ")[0]):
			return i
		default:
			return end
		}
	}
	return end
}

// opens reports whether a line suggests that more of the block follows.
func opens(line string) bool { return strings.ContainsRune("{(:[", rune(line[len(line)-1])) }

// indentation returns the width of the space before a line, with tab stops at every eighth
// column.
func indentation(line string) (width int) {
	for i := range len(line) {
		switch line[i] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		default:
			return width
		}
	}
	return width
}

// quotes reports whether a line opens or closes a multi-line string literal.
func quotes(line string) bool {
	return (strings.Count(line, `"""`)+strings.Count(line, "'''"))%2 == 1
}

// braces returns the number of opening braces of a line minus that of closing ones, outside of
// quotes and comments.
func braces(line string) (open int) {
	count(line, func(c byte) bool {
		switch c {
		case '{':
			open++
		case '}':
			open--
		}
		return true
	})
	return open
}

// count calls each with the bytes of a line that are code, until it returns false.
func count(line string, each func(c byte) bool) {
	unpaired := ""
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case c == '/' && strings.HasPrefix(line[i:], "//"), c == '#' && (i == 0 || line[i-1] == ' ') && strings.HasPrefix(line[i:], "# "):
			return
		case (c == '"' || c == '\'' || c == '`') && !strings.ContainsRune(unpaired, rune(c)):
			if end := closing(line[i+1:], c); end >= 0 {
				i += 1 + end
			} else {
				unpaired += string(c) // an apostrophe, for example
			}
		case !each(c):
			return
		}
	}
}

// closing returns the index at which a quote closes, or -1.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case quote:
			return i
		}
	}
	return -1
}
