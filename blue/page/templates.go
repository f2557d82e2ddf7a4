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

// files are what a browser loads, and the templates of the views.
//
//go:embed page.css page.js graph.js icon.svg templates/*.html
var files embed.FS

// frame is what the template around every view shows; Main is what the view shows.
type frame struct {
	View, Title, Theme, Stamp string

	Base     string // before each path of ours
	Person   string // who has logged in there
	Project  *blue.Ref
	Others   []blue.Known // projects to change to
	Warnings []string
	ReadOnly bool
	Main     any
}

// views are the templates of the views, which one request has at a time.
type views struct {
	base   string // before each path of ours
	served bool   // by a server, to many
	byName map[string]*template.Template
}

// spare are the views that no request has. To read them takes milliseconds, and megabytes.
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
	default: // enough are there
	}
}

// parseViews reads the templates: each view by its name, in the frame that all have.
// html/template knows for each place of a page how a value is escaped there.
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

// counted says how many of what there are, with commas between thousands.
func counted(n int, what string) string { return blue.Shelf{Count: n}.Counted(what) }

// choose is the first word when the condition holds, else the second.
func choose(condition bool, first, second string) string {
	if condition {
		return first
	}
	return second
}

// day is the date of a time in RFC 3339.
func day(rfc3339 string) string { return rfc3339[:min(len(rfc3339), 10)] }

// minute is a time in RFC 3339 to the minute.
func minute(rfc3339 string) string {
	return strings.Replace(rfc3339[:min(len(rfc3339), 16)], "T", " ", 1)
}

// typeChoices are the words to choose a type from, with the present one.
func typeChoices(now string) []string {
	all := blue.NoteTypes()
	if now == "" || slices.Contains(all, now) {
		return all
	}
	return append(all, now)
}

// detailOf is what an error says below its message.
func detailOf(e *errors.Error) string {
	rest, _ := strings.CutPrefix(e.Text(), e.Message)
	return strings.TrimSpace(rest)
}

// textLines are the lines of a text that hold something.
func textLines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
}

// spaced is a word of a trace as a person reads it.
func spaced(word string) string { return strings.ReplaceAll(word, "_", " ") }

// piece is a part of a text that is marked or not.
type piece struct {
	Text   string
	Marked bool
}

// cutAtMarks cuts a text at its marks, which are in order.
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
