package result

import (
	"fmt"
	"slices"
	"strings"
)

// Kinds of what lies on the shelves.
const (
	KindDocument = "document"
	KindCommit   = "commit"
)

// besideFiles is how many files of a commit a line names.
const besideFiles = 3

// Beside is a document or a commit that a search found.
type Beside struct {
	Ref     string   `json:"ref"`  // by which it is read
	Kind    string   `json:"kind"` // document or commit
	Title   string   `json:"title"`
	Date    string   `json:"date,omitempty"` // of the commit, or the last one that changed the document; as Age absent when unknown
	Age     string   `json:"age,omitempty"`
	Author  string   `json:"author,omitempty"`
	Files   []string `json:"files,omitempty"`      // that a commit touched
	More    int      `json:"more_files,omitempty"` // beyond those
	Snippet string   `json:"snippet,omitempty"`
	Score   float64  `json:"score"`
	By      string   `json:"superseded_by,omitempty"` // id of the note that replaces the document
	ByTitle string   `json:"by_title,omitempty"`

	Path     string   `json:"-"` // of a document, as it is, and Anchor the section
	Anchor   string   `json:"-"`
	Sure     bool     `json:"-"` // it passes the gate
	Revision string   `json:"-"` // of what is shown
	Marks    [][2]int `json:"-"` // the words asked for, in bytes of the snippet
}

// Words tell of a hit besides its title: its kind or author, date, successor, and the files of a
// commit.
func (b Beside) Words() []string {
	words := []string{b.Kind, b.Date}
	if b.Kind == KindCommit {
		words = []string{b.Date, b.Author}
	}
	if b.By != "" {
		words = append(words, "superseded by "+b.By)
	}
	if files := len(b.Files) + b.More; files > 0 {
		named := b.Files[:min(len(b.Files), besideFiles)]
		text := strings.Join(named, " ")
		if files > len(named) {
			text += fmt.Sprintf(" and %d more", files-len(named))
		}
		words = append(words, text)
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// Lines are those of a hit in a list.
func (b Beside) Lines() string {
	line := fmt.Sprintf("%s  %s  (%s)\n", b.Ref, b.Title, strings.Join(b.Words(), ", "))
	if b.Snippet != "" {
		line += "  " + b.Snippet + "\n"
	}
	return line
}

// besideText is what a reply says of documents and commits.
func besideText(found []Beside) string {
	var b strings.Builder
	for _, hit := range found {
		b.WriteString(hit.Lines())
	}
	return b.String()
}
