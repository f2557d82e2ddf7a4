package note

import (
	"net/url"
	"slices"
	"strings"
)

// linkLimit is the most bytes of a link's target. An id has 252 at most, three times
// as many when it is escaped.
const linkLimit = 800

// Link is a link of a body to a note.
type Link struct {
	ID string
	At int // byte of the body
}

// FindLinks returns the ids that a body links to, the wiki links first, each once. What
// stands in code is no link: `[[package]]` is TOML, `[[ -f x ]]` a test.
func FindLinks(body string) []Link {
	if !strings.Contains(body, "[[") && !strings.Contains(body, ".md") {
		return nil
	}
	body = BlankCode(body)
	var found []Link
	seen := map[string]bool{}
	for _, l := range slices.Concat(findWikiLinks(body), findMarkdownLinks(body)) {
		if l.ID != "" && !seen[l.ID] {
			seen[l.ID] = true
			found = append(found, l)
		}
	}
	return found
}

// findWikiLinks returns [[id]], [[id|shown]] and [[id#part]], on one line and without
// brackets inside.
func findWikiLinks(body string) (found []Link) {
	for at := 0; ; {
		next := strings.Index(body[at:], "[[")
		if next < 0 {
			return found
		}
		start := at + next + len("[[")
		end := start + bytesUntil(body[start:], "[]\n")
		if !strings.HasPrefix(body[end:], "]]") {
			at = max(end-1, start-1) // the second of three brackets may open one
			continue
		}
		id := body[start : start+bytesUntil(body[start:end], "|#")]
		if len(id) <= linkLimit {
			found = append(found, Link{strings.TrimSpace(id), start})
		}
		at = end + len("]]")
	}
}

// findMarkdownLinks returns [shown](id.md), also with ./ before the id, a #part behind it,
// or in angle brackets. The directories of notes may name each other.
func findMarkdownLinks(body string) (found []Link) {
	for at := 0; ; {
		next := strings.Index(body[at:], "](")
		if next < 0 {
			return found
		}
		at += next + len("](")
		start := at
		if strings.HasPrefix(body[at:], "<") {
			start++
		}
		for _, dir := range []string{"./", "../notes/", "../private/"} {
			if strings.HasPrefix(body[start:], dir) {
				start += len(dir)
				break
			}
		}
		end := start + bytesUntil(body[start:], "()<> \t\n\f\r")
		if closing := strings.TrimPrefix(body[end:], ">"); !strings.HasPrefix(closing, ")") {
			continue
		}
		if id := targetID(body[start:end]); id != "" {
			if plain, err := url.PathUnescape(id); err == nil {
				id = plain
			}
			found = append(found, Link{strings.TrimSpace(id), start})
		}
	}
}

// targetID returns the id in the target of a link, empty when that is no note beside this one.
func targetID(target string) string {
	for end := len(target); ; {
		end = strings.LastIndex(target[:end], ".md")
		if end < 0 {
			return ""
		}
		if id, rest := target[:end], target[end+len(".md"):]; rest == "" || rest[0] == '#' {
			if len(id) <= linkLimit && !strings.ContainsAny(id, "/:") {
				return id
			}
		}
	}
}

// bytesUntil is the number of bytes before the first of the stops.
func bytesUntil(text, stops string) int {
	if n := strings.IndexAny(text, stops); n >= 0 {
		return n
	}
	return len(text)
}

// BlankCode puts spaces in the place of code blocks and code spans; all other
// bytes stay where they are.
func BlankCode(body string) string {
	if !strings.Contains(body, "`") && !strings.Contains(body, "~~~") {
		return body
	}
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(body) {
		mark := codeFence(line)
		switch {
		case fence == "" && mark == "":
			b.WriteString(blankSpans(line))
			continue
		case fence == "":
			fence = mark
		case strings.HasPrefix(mark, fence):
			fence = ""
		}
		b.WriteString(blankText(line))
	}
	return b.String()
}

// blankSpans blanks what stands between two backticks, or two pairs of them.
func blankSpans(line string) string {
	var b strings.Builder
	for {
		start := strings.IndexByte(line, '`')
		if start < 0 {
			return b.String() + line
		}
		mark, size := "``", -1
		if strings.HasPrefix(line[start:], mark) {
			size = strings.Index(line[start+len(mark):], mark)
		}
		if size < 0 {
			mark = "`"
			size = strings.Index(line[start+len(mark):], mark)
		}
		if size < 0 {
			return b.String() + line
		}
		end := start + size + 2*len(mark)
		b.WriteString(line[:start])
		b.WriteString(blankText(line[start:end]))
		line = line[end:]
	}
}

// codeFence returns the mark that opens or closes a block of code, empty for any other
// line.
func codeFence(line string) string {
	text := strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, c)
		if n := len(text) - len(rest); n >= 3 && !strings.Contains(rest, "`") {
			return text[:n]
		}
	}
	return ""
}

// blankText keeps the line ends of a text and its length.
func blankText(text string) string {
	end := strings.TrimRight(text, "\r\n")
	return strings.Repeat(" ", len(end)) + text[len(end):]
}
