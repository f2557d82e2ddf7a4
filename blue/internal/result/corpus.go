package result

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
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

// Documents is a directory of documents, with as many levels below it as there is room for.
type Documents struct {
	About
	Directory
	Before, Behind int    // entries of the directory that are not listed
	LeftOut        string // what is no document though its name looks so, of the whole project
	Missing        string // why there are none
}

// Directory is a directory that holds documents, itself or further down.
type Directory struct {
	Path, Name  string // from the top of the project, and as it is safe to show; empty for the top
	Count       int    // documents in it and below
	Listed      bool   // what it holds stands here
	Open        bool   // and is little
	Directories []*Directory
	Documents   []DocumentRow
}

// DocumentRow is a document in its directory.
type DocumentRow struct {
	Path   string // from the top of the project
	Name   string // of the file, as it is safe to show
	Title  string
	Status string // as that of [Document]
}

// Document is a document as it is read. All but its path is safe to show.
type Document struct {
	About
	Path, Name string // from the top of the project, and as it is safe to show
	Title      string
	Status     string // such as accepted; empty when it says none that is known
	By         string // id of the note that replaces it
	Date       string // of the last commit that changed it, empty when unknown
	Markdown   bool
	Front      string // its front matter
	Parts      []Part // the text behind that
	Hidden     int    // characters that are shown as \u{…}
}

// Part is the text of a document from one heading to the next.
type Part struct {
	Heading, Anchor string // empty for what stands before the first heading
	Text            string
}

// Body is the text of the document behind its front matter.
func (d Document) Body() string {
	var b strings.Builder
	for _, part := range d.Parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

// Shelf is what lies beside the notes of one kind, documents or commits.
type Shelf struct {
	Count   int            `json:"count"`
	LeftOut map[string]int `json:"left_out,omitempty"` // by reason
	Reason  string         `json:"reason,omitempty"`   // why there is nothing, or not yet everything
	Reading string         `json:"-"`                  // how far it has been read, when that is the reason
}

// Describe says it on one line.
func (s Shelf) Describe() string {
	text := FormatCount(int64(s.Count))
	if s.Count == 0 && s.Reason != "" {
		text = "none"
	}
	if s.Reason != "" {
		text += ", " + s.Reason
	}
	if left := DescribeLeft(s.LeftOut); left != "" {
		text += " (left out: " + left + ")"
	}
	return text
}

// Counted says how many of what there are, with commas between thousands.
func (s Shelf) Counted(what string) string {
	return strings.Replace(Plural(s.Count, what), strconv.Itoa(s.Count), FormatCount(int64(s.Count)), 1)
}

// DescribeLeft says how much is left out for which reason.
func DescribeLeft(byReason map[string]int) string {
	var left []string
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		left = append(left, fmt.Sprintf("%d %s", byReason[reason], reason))
	}
	return strings.Join(left, ", ")
}

// DescribeReading says how far files are read; the total is 0 as long as it is not known.
func DescribeReading(what string, done, total int64) string {
	if total == 0 {
		return "reading " + what + ", ask again"
	}
	return fmt.Sprintf("reading %s: %s of %s, ask again", what, FormatCount(done), FormatCount(total))
}

// FormatCount writes a number with commas between thousands.
func FormatCount(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", FormatCount(n/1000), n%1000)
}
