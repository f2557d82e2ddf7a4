package documents

import (
	"path"
	"strings"
)

// Piece is what is searched as one: a whole short document, or a section of a long one.
type Piece struct {
	Title  string
	Anchor string // of the section; empty for the beginning of the document, or all of it
	Body   string
}

// shortDocument is how many bytes a document has at most that is searched as one piece.
const shortDocument = 2000

// Pieces takes a document apart.
func Pieces(name, text string) (all []Piece) {
	sections, body := Sections(name, text), SkipFront(text)
	title := titleOf(name, text, sections)
	if len(body) <= shortDocument || len(sections) < 2 {
		return []Piece{{Title: title, Body: body}}
	}
	start := text[len(text)-len(body) : sections[0].At]
	if sections[0].Title == title {
		start, sections = start+text[sections[0].At:sections[0].End], sections[1:]
	}
	all = append(all, Piece{Title: title, Body: start})
	for _, s := range sections {
		if strings.TrimSpace(text[s.Below:s.End]) != "" {
			all = append(all, Piece{Title: title + ": " + s.Title, Anchor: s.Anchor, Body: text[s.At:s.End]})
		}
	}
	return all
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
