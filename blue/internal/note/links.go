package note

import (
	"net/url"
	"regexp"
	"strings"
)

// linkLimit is the maximum length of a link's target in bytes. An id has at most 252, which
// escaping can triple.
const linkLimit = 800

// Wikilink is a link in a body to a note.
type Wikilink struct {
	ID string
	At int // byte offset of the id in the body
}

var (
	// [[id]], [[id|shown]] and [[id#part]], on one line and without brackets inside; with !
	// before it, what it names is shown in its place
	wikiLink = regexp.MustCompile(`\[\[([^\[\]|#\n]+)(?:[|#][^\[\]\n]*)?\]\]`)

	// [shown](ID.md), also with ./ before the id, a #part after it, or in angle brackets; the
	// directories of notes may name each other
	markdownLink = regexp.MustCompile(`\]\(<?(?:\./|\.\./notes/|\.\./private/)?([^()<>\s/:]+)\.md(?:#[^()<>\s]*)?>?\)`)

	codeSpan = regexp.MustCompile("``[^\n]*?``|`[^`\n]*`")
)

// FindLinks returns the distinct ids that a body links to, wiki links first.
func FindLinks(body string) (found []Wikilink) {
	seen := map[string]bool{}
	for _, link := range AllLinks(body) {
		if !seen[link.ID] {
			seen[link.ID] = true
			found = append(found, link)
		}
	}
	return found
}

// AllLinks returns the links of a body, wiki links first. It ignores code, as `[[package]]` is TOML
// and `[[ -f x ]]` a shell test, and embedded pictures such as ![[queue.png]].
func AllLinks(body string) (found []Wikilink) {
	if !strings.Contains(body, "[[") && !strings.Contains(body, ".md") {
		return nil
	}
	body = BlankCode(body)
	for _, form := range []*regexp.Regexp{wikiLink, markdownLink} {
		for _, m := range form.FindAllStringSubmatchIndex(body, -1) {
			id := body[m[2]:m[3]]
			isPicture := m[0] > 0 && body[m[0]-1] == '!' && PictureKind(strings.TrimSpace(id)) != ""
			if form == wikiLink && (isPicture || isLinkText(body[m[1]:])) {
				continue
			}
			if plain, err := url.PathUnescape(id); err == nil && form == markdownLink {
				id = plain
			}
			if id = strings.TrimSpace(id); id != "" && m[3]-m[2] <= linkLimit {
				found = append(found, Wikilink{id, m[2]})
			}
		}
	}
	return found
}

// isLinkText reports whether brackets are the text of another link, judging by what follows them:
// [[1]](https://example.com).
func isLinkText(rest string) bool { return strings.HasPrefix(rest, "(") }

// BlankCode replaces code blocks and code spans by spaces. All other bytes keep their offset.
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
			b.WriteString(codeSpan.ReplaceAllStringFunc(line, blankText))
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

// codeFence returns the fence of a line that opens or closes a code block, or "".
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

// blankText replaces everything except the line ends by spaces.
func blankText(text string) string {
	end := strings.TrimRight(text, "\r\n")
	return strings.Repeat(" ", len(end)) + text[len(end):]
}

// PictureKind returns the media type of a picture's file name, or "" for other files.
func PictureKind(name string) string {
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return ""
	}
	return map[string]string{
		"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "svg": "image/svg+xml",
	}[strings.ToLower(name[dot+1:])]
}

// UnescapePath resolves the escapes of a path in a link. It returns a path with invalid escapes
// unchanged.
func UnescapePath(path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

// IDOfPath returns the id in a relative link from one note to the file of another.
func IDOfPath(link string) (id string, ok bool) {
	file := strings.TrimPrefix(strings.TrimPrefix(UnescapePath(link), "./"), "../notes/")
	id, ok = strings.CutSuffix(file, ".md")
	return id, ok && !strings.Contains(id, "/")
}
