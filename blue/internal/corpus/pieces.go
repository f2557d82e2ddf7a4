package corpus

import (
	"net/url"
	"path"
	"strings"
	"unicode"

	"blue/blue/internal/snippet"
)

// piece is a unit of search: a whole short document, or a section of a long one.
type piece struct {
	Title  string
	Anchor string // of the section; "" for the beginning of a document or a whole one
	Body   string // as rendered to a reader
}

// cutPieces splits a document into its pieces.
func cutPieces(name, text string) (all []piece) {
	sections, body := sectionsOf(name, text), skipFront(text)
	title := titleOf(name, text, sections)
	if len(body) <= shortDocument || len(sections) < 2 {
		return []piece{{Title: title, Body: visible(name, body)}}
	}
	start := text[len(text)-len(body) : sections[0].At]
	if sections[0].Title == title {
		start, sections = start+text[sections[0].At:sections[0].End], sections[1:]
	}
	all = append(all, piece{Title: title, Body: visible(name, start)})
	version, level := "", 0 // in a list of changes
	for _, s := range sections {
		heading := s.Title
		if version != "" && s.Level > level {
			heading = version + ", " + heading
		} else if isChangeLog(name) {
			version, level = versionIn(s.Title), s.Level
		}
		if below := visible(name, text[s.Below:s.End]); strings.TrimSpace(below) != "" {
			all = append(all, piece{Title: title + ": " + heading, Anchor: s.Anchor, Body: text[s.At:s.Below] + below})
		}
	}
	return all
}

// versionIn returns the version of the heading above the changes of one, without its date.
func versionIn(heading string) string {
	heading, _, _ = strings.Cut(heading, " - ")
	heading, _, _ = strings.Cut(heading, " (")
	return strings.Trim(heading, "[] ")
}

// visible returns a part of a document without Markdown comments, tables of contents and link
// definitions. Code is unchanged.
func visible(name, text string) string {
	if !isMarkdown(name) {
		return text
	}
	var b strings.Builder
	fence := ""
	for at := 0; at < len(text); {
		now := lineAt(text, at)
		fence = fenceBehind(name, now.text, fence)
		line := text[now.at:now.end]
		at = now.end
		if start, end := commentIn(text, now); fence == "" && end > 0 {
			line, at = text[now.at:start], end
		}
		if fence != "" || !snippet.IsDecoration(strings.TrimSpace(line)) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// commentIn returns the start and end of an HTML comment that begins on a line. A comment without
// an end does not count.
func commentIn(text string, now line) (start, end int) {
	at := strings.Index(now.text, "<!--")
	if at < 0 || strings.Contains(now.text[:at], "`") {
		return 0, 0
	}
	start = now.at + at
	size := strings.Index(text[start:], "-->")
	if size < 0 {
		return 0, 0
	}
	return start, start + size + len("-->")
}

// titleOf returns the title of a document: that of its front matter, else its first heading,
// else the name of its file.
func titleOf(name, text string, sections []section) string {
	front := text[:len(text)-len(skipFront(text))]
	for l := range strings.Lines(front) {
		if value, ok := strings.CutPrefix(l, "title:"); ok {
			if value = strings.Trim(strings.TrimSpace(value), `"'`); value != "" {
				return value
			}
		}
	}
	if len(sections) > 0 {
		return sections[0].Title
	}
	return path.Base(name)
}

// statusOf returns the first word of the status that a document states, in lower case: in its front
// matter, on a line of its own, or below a heading. Most documents state none.
func statusOf(text string) string {
	below, n := false, 0
	for line := range strings.Lines(text) {
		if n++; n > statusLines {
			return ""
		}
		line = strings.ToLower(strings.Trim(line, "#*_->|=~ \t\r\n"))
		if below && line != "" && !strings.HasPrefix(line, "<!") {
			return firstWord(line)
		}
		rest, ok := strings.CutPrefix(line, "status")
		switch rest = strings.TrimLeft(rest, "*_ \t"); {
		case !ok:
		case rest == "" || rest == ":":
			below = true
		case rest[0] == ':' || rest[0] == '|':
			return firstWord(strings.TrimLeft(rest, ":|*_\"' \t"))
		}
	}
	return ""
}

func firstWord(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		return text
	}
	return text[:end]
}

// linksOf returns the paths, relative to the root, of the documents that a Markdown document links
// to, without duplicates.
func linksOf(name, text string) (to []string) {
	seen := map[string]bool{name: true}
	for len(to) < linksMost {
		_, rest, ok := strings.Cut(text, "](")
		if !ok {
			break
		}
		text = rest
		end := strings.IndexAny(rest, ")# \t\n")
		if end <= 0 || strings.Contains(rest[:end], ":") {
			continue
		}
		target, err := url.PathUnescape(strings.Trim(rest[:end], "<>"))
		if err != nil {
			continue
		}
		if below, ok := strings.CutPrefix(target, "/"); ok {
			target = path.Clean(below)
		} else {
			target = path.Join(path.Dir(name), target)
		}
		if isDocument(target) && !strings.HasPrefix(target, "../") && !seen[target] {
			seen[target] = true
			to = append(to, target)
		}
	}
	return to
}
