package blue

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	wikiLink     = regexp.MustCompile(`\[\[([^\[\]|#\n]{1,200})(?:[|#][^\[\]\n]*)?\]\]`)
	markdownLink = regexp.MustCompile(`\]\(<?(?:\./|\.\./notes/|\.\./private/)?([^()<>\s/:]{1,200})\.md(?:#[^()<>\s]*)?>?\)`)
	codeSpan     = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
)

// linked is a link of a body to a note.
type linked struct {
	id string
	at int // byte of the body
}

// links are the ids that a body links to, the wiki links first, each once. What
// stands in code is no link: `[[package]]` is TOML, `[[ -f x ]]` a test.
func links(body string) []linked {
	if !strings.Contains(body, "[[") && !strings.Contains(body, ".md") {
		return nil
	}
	body = withoutCode(body)
	var found []linked
	seen := map[string]bool{}
	for _, pattern := range []*regexp.Regexp{wikiLink, markdownLink} {
		for _, m := range pattern.FindAllStringSubmatchIndex(body, -1) {
			id := strings.TrimSpace(body[m[2]:m[3]])
			if plain, err := url.PathUnescape(id); err == nil && pattern == markdownLink {
				id = plain
			}
			if id != "" && !seen[id] {
				seen[id] = true
				found = append(found, linked{id, m[2]})
			}
		}
	}
	return found
}

// withoutCode puts spaces in the place of code blocks and code spans; all other
// bytes stay where they are.
func withoutCode(body string) string {
	if !strings.Contains(body, "`") && !strings.Contains(body, "~~~") {
		return body
	}
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(body) {
		mark := fenceOf(line)
		switch {
		case fence == "" && mark == "":
			b.WriteString(codeSpan.ReplaceAllStringFunc(line, blank))
			continue
		case fence == "":
			fence = mark
		case strings.HasPrefix(mark, fence):
			fence = ""
		}
		b.WriteString(blank(line))
	}
	return b.String()
}

// fenceOf is the mark that opens or closes a block of code, empty for any other
// line.
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return text[:n]
		}
	}
	return ""
}

// blank keeps the line ends of a text and its length.
func blank(text string) string {
	end := strings.TrimRight(text, "\r\n")
	return strings.Repeat(" ", len(end)) + text[len(end):]
}
