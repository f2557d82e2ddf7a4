package site

import (
	"html"
	"html/template"
	"io"
	"regexp"
	"strings"
)

// mostText is how many characters of a note are searched.
const mostText = 20_000

// findable is a note as the page that searches has it.
type findable struct {
	ID    string   `json:"id"`
	Path  string   `json:"path"`
	Title string   `json:"title"`
	Type  string   `json:"type"`
	Day   string   `json:"day"`
	Tags  []string `json:"tags"`
	Text  string   `json:"text"`
	cut   bool     // the text is longer
}

// element is an element of a page, which is well-formed; of a footnote, also its number and
// its way back.
var element = regexp.MustCompile(`<sup id="fnref[^>]*>.*?</sup>|<a [^>]*footnote-backref[^>]*>.*?</a>|<[^>]*>`)

// makeFindable is a note with the words of its page.
func makeFindable(n Note, body template.HTML) findable {
	text := strings.Join(strings.Fields(html.UnescapeString(element.ReplaceAllString(string(body), ""))), " ")
	f := findable{ID: n.ID, Path: notePath(n.ID), Title: n.Title, Type: n.Type, Day: n.Day, Tags: append([]string{}, n.Tags...), Text: text}
	if letters := []rune(text); len(letters) > mostText {
		f.Text, f.cut = string(letters[:mostText]), true
	}
	return f
}

// Search renders the page that searches the notes whose pages were rendered.
func (s *Site) Search(w io.Writer) error {
	cut := 0
	for _, f := range s.found {
		if f.cut {
			cut++
		}
	}
	return s.render(w, "search", "Search", struct {
		Notes     []findable
		Cut, Most int
	}{s.found, cut, mostText})
}
