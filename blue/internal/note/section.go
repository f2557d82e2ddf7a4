package note

import (
	"strings"
	"unicode"
)

// FindSection returns the section of a body below a heading, up to the next heading of the same or
// a higher level, and all headings it has seen. It ignores headings in code.
func FindSection(body, section string) (text string, headings []string, ok bool) {
	want := strings.ToLower(strings.TrimSpace(strings.TrimLeft(section, "#")))
	plain := BlankCode(body)
	start, end, level, at := 0, len(body), 0, 0
	for line := range strings.Lines(body) {
		depth, _ := parseHeading(strings.TrimSpace(plain[at : at+len(line)]))
		if depth > 0 && level > 0 && depth <= level {
			end = at
			break
		}
		if depth > 0 {
			_, heading := parseHeading(strings.TrimSpace(line))
			headings = append(headings, heading)
			if level == 0 && strings.ToLower(heading) == want {
				start, level = at, depth
			}
		}
		at += len(line)
	}
	return body[start:end], headings, level > 0
}

// parseHeading returns the level and text of a Markdown heading, or 0 for other lines.
func parseHeading(line string) (level int, text string) {
	rest := strings.TrimLeft(line, "#")
	level = len(line) - len(rest)
	if level == 0 || level > 6 || (rest != "" && rest[0] != ' ' && rest[0] != '\t') {
		return 0, ""
	}
	return level, strings.TrimSpace(strings.TrimRight(rest, "# \t"))
}

// HeadingAnchor returns the anchor by which links name a heading, as code hosting sites derive
// it from the title: letters and digits in lower case, with hyphens for spaces.
func HeadingAnchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || r == '-':
			return '-'
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}
