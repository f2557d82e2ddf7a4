package blue

import (
	"regexp"
	"strconv"
	"strings"
)

// spelled is a hidden character as it is shown.
var spelled = regexp.MustCompile(`\\u\{[0-9A-F]+\}`)

// unshown is the body that a person meant who edited it as it was shown, with its
// hidden characters spelled out. A line that they left as it was, wherever it stands
// now, is the line that it was, to its line end. Where one was changed, a hidden
// character still spelled out in it is one again: it is refused as every line that
// is written with one, and never becomes text without a word.
func (n *Text) unshown(edited string) string {
	was, hidden := map[string][]string{}, map[string]bool{}
	for line := range strings.Lines(n.Body) {
		text := strings.TrimRight(ShowHidden(line), "\r\n")
		was[text] = append(was[text], line)
	}
	var lines []string
	for line := range strings.Lines(edited) {
		lines = append(lines, strings.TrimRight(line, "\r\n"))
	}
	kept := make([]string, len(lines))
	for i, line := range lines {
		if left := was[line]; len(left) > 0 {
			kept[i], was[line] = left[0], left[1:]
		}
	}
	for text, left := range was { // lines that were changed or are gone
		for _, line := range left {
			if ShowHidden(line) != line {
				for _, spelling := range spelled.FindAllString(text, -1) {
					hidden[spelling] = true
				}
			}
		}
	}
	var b strings.Builder
	for i, line := range lines {
		if kept[i] == "" {
			kept[i] = spelled.ReplaceAllStringFunc(line, func(s string) string { return unspelled(s, hidden) }) + n.eol
		}
		if i < len(lines)-1 && !strings.HasSuffix(kept[i], "\n") {
			kept[i] += n.eol // it was the last line
		}
		b.WriteString(kept[i])
	}
	return b.String()
}

// unspelled is the character that stood there, if one did.
func unspelled(spelling string, hidden map[string]bool) string {
	code, err := strconv.ParseInt(strings.Trim(spelling, `\u{}`), 16, 32)
	if err != nil || !hidden[spelling] {
		return spelling
	}
	return string(rune(code))
}
