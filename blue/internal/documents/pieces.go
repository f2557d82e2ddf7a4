package documents

import (
	"path"
	"strings"

	"blue/blue/internal/passage"
)

// Piece is what is searched as one: a whole short document, or a section of a long one.
type Piece struct {
	Title  string
	Anchor string // of the section; empty for the beginning of the document, or all of it
	Body   string // as a reader of the document sees it
}

// shortDocument is how many bytes a document has at most that is searched as one piece.
const shortDocument = 2000

// Pieces takes a document apart.
func Pieces(name, text string) (all []Piece) {
	sections, body := Sections(name, text), SkipFront(text)
	title := titleOf(name, text, sections)
	if len(body) <= shortDocument || len(sections) < 2 {
		return []Piece{{Title: title, Body: Visible(name, body)}}
	}
	start := text[len(text)-len(body) : sections[0].At]
	if sections[0].Title == title {
		start, sections = start+text[sections[0].At:sections[0].End], sections[1:]
	}
	all = append(all, Piece{Title: title, Body: Visible(name, start)})
	for _, s := range sections {
		if below := Visible(name, text[s.Below:s.End]); strings.TrimSpace(below) != "" {
			all = append(all, Piece{Title: title + ": " + s.Title, Anchor: s.Anchor, Body: text[s.At:s.Below] + below})
		}
	}
	return all
}

// Visible is a part of a document in Markdown without its comments, and without the lines
// of links that only lead to its own headings or to elsewhere. Code is left as it is.
func Visible(name, text string) string {
	if !IsMarkdown(name) {
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
		if fence != "" || !passage.IsDecoration(strings.TrimSpace(line)) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// commentIn is where a comment of HTML that begins on a line begins and ends. One that does
// not end is none.
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

// Title is what a document is called: by its front matter, its first heading, or the name
// of its file.
func Title(name, text string) string { return titleOf(name, text, Sections(name, text)) }

func titleOf(name, text string, sections []Section) string {
	front := text[:len(text)-len(SkipFront(text))]
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
