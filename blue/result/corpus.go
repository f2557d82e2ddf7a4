package result

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Kinds of items that a search finds in addition to notes.
const (
	KindDocument = "document"
	KindCommit   = "commit"
	KindCode     = "code"
)

// filesShown is the maximum number of files of a commit that a line names.
const filesShown = 3

// ShelfHit is a result of a search other than a note: a document, a commit or a place in code.
type ShelfHit struct {
	Ref     string   `json:"ref"`  // name by which it is read
	Kind    string   `json:"kind"` // document, commit or code
	Title   string   `json:"title"`
	Date    string   `json:"date,omitempty"` // of the commit, or of the last one that changed the document; may be unknown
	Age     string   `json:"age,omitempty"`
	Author  string   `json:"author,omitempty"`
	Files   []string `json:"files,omitempty"`      // files that a commit touched
	More    int      `json:"more_files,omitempty"` // number of files beyond those
	Snippet string   `json:"snippet,omitempty"`
	Score   float64  `json:"score"`
	By      string   `json:"superseded_by,omitempty"` // id of the note that replaces the document
	ByTitle string   `json:"by_title,omitempty"`

	Symbol    string   `json:"symbol,omitempty"` // kind of the definition that Title names: func, method, type or const
	Generated bool     `json:"generated,omitempty"`
	Notes     []Reason `json:"notes,omitempty"` // that cite the place in code
	Used      []int    `json:"lines,omitempty"` // that use the name, counted from 1

	Path     string   `json:"-"` // path of a document or a file of code, unescaped; Anchor is the section
	Anchor   string   `json:"-"`
	First    int      `json:"-"` // line of code, counted from 1; Last is the last one
	Last     int      `json:"-"`
	Sure     bool     `json:"-"` // it passes the gate
	Level    int      `json:"-"` // how well it answers: 2 if it holds all words of the query, 1 if it passes the gate
	Revision string   `json:"-"` // of the shown text
	Marks    [][2]int `json:"-"` // the words of the query, in bytes of the snippet
}

// Words describe a hit beyond its title: its kind or author, date, successor, and the files of
// a commit.
func (b ShelfHit) Words() []string {
	words := []string{b.Kind, b.Date}
	switch {
	case b.Kind == KindCommit:
		words = []string{b.Date, b.Author}
	case b.Symbol != "":
		words = []string{b.Symbol}
	}
	if b.Generated {
		words = append(words, "generated")
	}
	if b.By != "" {
		words = append(words, "superseded by "+b.By)
	}
	if files := len(b.Files) + b.More; files > 0 {
		named := b.Files[:min(len(b.Files), filesShown)]
		text := strings.Join(named, " ")
		if files > len(named) {
			text += fmt.Sprintf(" and %d more", files-len(named))
		}
		words = append(words, text)
	}
	return slices.DeleteFunc(words, func(word string) bool { return word == "" })
}

// Lines returns the lines of a hit in a list.
func (b ShelfHit) Lines() string {
	line := fmt.Sprintf("%s  %s  (%s)\n", b.Ref, b.Title, strings.Join(b.Words(), ", "))
	if b.Snippet != "" {
		line += "  " + b.Snippet + "\n"
	}
	for _, reason := range b.Notes {
		line += "  " + reason.Line() + "\n"
	}
	return line
}

// Reason is a note that cites a place in code.
type Reason struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Changed bool   `json:"changed,omitempty"` // what it cites has changed since
}

// Line returns a reason on one line.
func (r Reason) Line() string {
	line := fmt.Sprintf("%s: %s (%s", r.Type, r.Title, r.ID)
	if r.Changed {
		line += ", changed since"
	}
	return line + ")"
}

// shelfText returns the lines of a reply about documents and commits.
func shelfText(found []ShelfHit) string {
	var b strings.Builder
	for _, hit := range found {
		b.WriteString(hit.Lines())
	}
	return b.String()
}

// Documents is a directory of documents, with as many levels below it as fit.
type Documents struct {
	About
	Directory
	Before, Behind int    // unlisted entries of the directory before and after the others
	LeftOut        string // files of the whole project that look like documents but are not
	Missing        string // why there are none
}

// Directory is a directory that contains documents, directly or further down.
type Directory struct {
	Path, Name  string // path from the top of the project, and name that is safe to show; empty for the top
	Count       int    // documents in it and below it
	Listed      bool   // its content is listed here
	Open        bool   // and is short
	Directories []*Directory
	Documents   []DocumentRow
}

// DocumentRow is a document in its directory.
type DocumentRow struct {
	Path   string // name of the file as it is safe to show
	Name   string // of the file, as it is safe to show
	Title  string
	Status string // as Status of [Document]
}

// Document is a document as it is read. Everything except its path is safe to show.
type Document struct {
	About
	Path, Name string // path from the top of the project, and the name as it is safe to show
	Title      string
	Status     string // such as accepted; empty if the document has no known status
	By         string // id of the note that replaces it
	Date       string // date of the last commit that changed it; empty if unknown
	Markdown   bool
	Front      string // its front matter
	Parts      []Part // the text after the front matter
	Hidden     int    // characters that are shown as \u{…}
}

// Part is the text of a document from one heading to the next.
type Part struct {
	Heading, Anchor string // empty for the text before the first heading
	Text            string
}

// Body returns the text of the document after its front matter.
func (d Document) Body() string {
	var b strings.Builder
	for _, part := range d.Parts {
		b.WriteString(part.Text)
	}
	return b.String()
}

// Shelf summarizes the documents or the commits of a project.
type Shelf struct {
	Count   int            `json:"count"`
	LeftOut map[string]int `json:"left_out,omitempty"` // by reason
	Reason  string         `json:"reason,omitempty"`   // why there are none, or not yet all
	Reading string         `json:"-"`                  // how far it has been read, if that is the reason
}

// CodeShelf summarizes what has been read of the code of a project.
type CodeShelf struct {
	Files   int    `json:"files"`
	Symbols int    `json:"symbols"`           // names that they define, each once in a file
	State   string `json:"state"`             // where the index is, and its size
	Age     string `json:"age,omitempty"`     // since the index was last brought in line
	Reading string `json:"reading,omitempty"` // how far it is being read
}

// Describe returns the summary on one line.
func (s CodeShelf) Describe() string {
	text := fmt.Sprintf("%s, %s, %s", Shelf{Count: s.Files}.Counted("file"), Shelf{Count: s.Symbols}.Counted("symbol"), s.State)
	switch {
	case s.Reading != "":
		text += ", " + s.Reading
	case s.Age != "":
		text += ", read " + s.Age
	}
	return text
}

// Describe returns the summary on one line.
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

// Counted returns the count with the word for what is counted, and with commas between
// thousands.
func (s Shelf) Counted(what string) string {
	return strings.Replace(Plural(s.Count, what), strconv.Itoa(s.Count), FormatCount(int64(s.Count)), 1)
}

// DescribeLeft says how many are left out for each reason.
func DescribeLeft(byReason map[string]int) string {
	var left []string
	for _, reason := range slices.Sorted(maps.Keys(byReason)) {
		left = append(left, fmt.Sprintf("%d %s", byReason[reason], reason))
	}
	return strings.Join(left, ", ")
}

// DescribeReading says how far files have been read. The total is 0 while it is unknown.
func DescribeReading(what string, done, total int64) string {
	if total == 0 {
		return "reading " + what + ", ask again"
	}
	return fmt.Sprintf("reading %s: %s of %s, ask again", what, FormatCount(done), FormatCount(total))
}

// FormatCount formats a number with commas between thousands.
func FormatCount(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", FormatCount(n/1000), n%1000)
}
