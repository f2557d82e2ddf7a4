package page

import (
	"embed"
	"html/template"
	"path"
	"slices"
	"strings"

	"blue/blue"
	"blue/errors"
)

// files holds the static files and the templates of the views.
//
//go:embed page.css page.js graph.js icon.svg templates/*.html
var files embed.FS

// frame is the data of the template around every view. Main is the data of the view.
type frame struct {
	View, Title, Theme, Stamp string

	Base     string // prefix of every path
	Person   string // the logged-in user
	Project  *blue.Ref
	Others   []blue.Known // projects to switch to
	Warnings []string
	ReadOnly bool
	Main     any
}

// views is a set of parsed templates. One request uses it at a time.
type views struct {
	base   string // prefix of every path
	served bool   // pages of `blue server`
	byName map[string]*template.Template
}

// spare is a free list of views. Parsing one takes milliseconds and megabytes.
type spare chan *views

const mostSpare = 4

func newSpare() spare {
	s := make(spare, mostSpare)
	s <- parseViews()
	return s
}

func (s spare) take() *views {
	select {
	case v := <-s:
		return v
	default:
		return parseViews()
	}
}

func (s spare) giveBack(v *views) {
	select {
	case s <- v:
	default: // the list is full
	}
}

// parseViews parses the templates, each view inside the common frame. html/template escapes each
// value for its context.
func parseViews() *views {
	v := &views{byName: map[string]*template.Template{}}
	const frame, parts = "templates/frame.html", "templates/parts.html"
	around := template.Must(template.New("frame.html").Funcs(template.FuncMap{
		"at": func(view, id string) string { return v.base + pathOf(view, id) }, "here": func(path string) string { return v.base + path }, "served": func() bool { return v.served },
		"named": qualifiedID, "counted": counted, "day": day, "choose": choose, "minute": minute, "types": typeChoices,
		"document": documentPath, "beside": besidePath, "parent": parentPath, "marked": plainPieces, "detail": detailOf, "lines": textLines, "spaced": spaced,
	}).ParseFS(files, frame, parts))
	entries, _ := files.ReadDir("templates")
	for _, entry := range entries {
		name := path.Join("templates", entry.Name())
		if name != frame && name != parts {
			v.byName[strings.TrimSuffix(entry.Name(), ".html")] = template.Must(template.Must(around.Clone()).ParseFS(files, name))
		}
	}
	return v
}

// counted formats a count with its noun and thousands separators.
func counted(n int, what string) string { return blue.Shelf{Count: n}.Counted(what) }

// choose returns first if the condition holds, and second otherwise.
func choose(condition bool, first, second string) string {
	if condition {
		return first
	}
	return second
}

// day returns the date of an RFC 3339 time.
func day(rfc3339 string) string { return rfc3339[:min(len(rfc3339), 10)] }

// minute returns an RFC 3339 time to the minute.
func minute(rfc3339 string) string {
	return strings.Replace(rfc3339[:min(len(rfc3339), 16)], "T", " ", 1)
}

// typeChoices returns the types to choose from, including the current one.
func typeChoices(now string) []string {
	all := blue.NoteTypes()
	if now == "" || slices.Contains(all, now) {
		return all
	}
	return append(all, now)
}

// detailOf returns the details of an error below its message.
func detailOf(e *errors.Error) string {
	rest, _ := strings.CutPrefix(e.Text(), e.Message)
	return strings.TrimSpace(rest)
}

// textLines returns the non-blank lines of a text.
func textLines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// spaced returns a word of a trace with spaces for underscores.
func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

// piece is a marked or unmarked part of a text.
type piece struct {
	Text   string
	Marked bool
}

// cutAtMarks splits a text at its marks, which are in order.
func cutAtMarks(text string, marks [][2]int) (pieces []piece) {
	done := 0
	for _, m := range marks {
		if m[0] < done || m[1] > len(text) {
			break
		}
		pieces = append(pieces, piece{Text: text[done:m[0]]}, piece{text[m[0]:m[1]], true})
		done = m[1]
	}
	return append(pieces, piece{Text: text[done:]})
}
