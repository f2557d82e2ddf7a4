package page

import (
	"cmp"
	"embed"
	"hash/fnv"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

// files holds the static files and the templates of the views.
//
//go:embed page.css page.js graph.js note.js icon.svg templates/*.html
var files embed.FS

// frame is the data of the template around every view. Main is the data of the view.
type frame struct {
	View, Title, Theme, Stamp string

	Base     string // prefix of every path
	Person   string // the logged-in user
	Project  *result.Ref
	Others   []result.Known // projects to switch to
	Warnings []string
	ReadOnly bool
	Undo     *undo // of the last change
	Main     any
}

// views is a set of parsed templates. One request uses it at a time.
type views struct {
	base   string // prefix of every path
	served bool   // pages of `blue server`
	root   string // of the project
	titled func(id string) string
	byName map[string]*template.Template
}

// newViews returns a pool of views. Parsing one takes milliseconds and megabytes.
func newViews() *sync.Pool { return &sync.Pool{New: func() any { return parseViews() }} }

// parseViews parses the templates, each view inside the common frame. html/template escapes each
// value for its context.
func parseViews() *views {
	v := &views{byName: map[string]*template.Template{}}
	const frame, parts = "templates/frame.html", "templates/parts.html"
	around := template.Must(template.New("frame.html").Funcs(template.FuncMap{
		"at": func(view, id string) string { return v.base + pathOf(view, id) }, "here": func(path string) string { return v.base + path }, "served": func() bool { return v.served },
		"root": func() string { return v.root }, "titled": v.titleOf,
		"named": qualifiedID, "counted": counted, "hue": hueOf, "times": times, "day": day, "choose": choose, "minute": minute, "types": typeChoices,
		"document": documentPath, "shelfPath": shelfPath, "parent": parentPath, "marked": plainPieces, "detail": detailOf, "lines": textLines, "spaced": spaced,
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

// titleOf returns the title of a note, or its id where no project is shown.
func (v *views) titleOf(id string) string {
	if v.titled == nil {
		return id
	}
	return v.titled(id)
}

// titledIn returns a function that returns the title of a note of a project, shortened, or the id if it
// has none.
func titledIn(p *blue.Project) func(id string) string {
	return func(id string) string { return errors.Clip(cmp.Or(p.LinkTo(id).Title, id), 60) }
}

// counted formats a count with its noun and thousands separators.
func counted(n int, what string) string { return result.Shelf{Count: n}.Counted(what) }

// hueOf returns the number of the colour of a type that has none of its own.
func hueOf(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // cannot fail
	return h.Sum32() % 8
}

// times returns "once" or how many times something has happened.
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return strconv.Itoa(n) + " times"
}

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

// diffLine is a line of a diff with its changed part marked.
type diffLine struct {
	How    string // as in [blue.DiffLine]
	Pieces []piece
}

// diffLines pairs each run of removed lines with the added lines that follow it. If both runs have
// the same length it marks the difference within each pair.
func diffLines(lines []blue.DiffLine) (out []diffLine) {
	for at := 0; at < len(lines); {
		gone := leadingRun(lines[at:], "gone")
		fresh := leadingRun(lines[at+len(gone):], "new")
		if len(gone)+len(fresh) == 0 {
			out = append(out, diffLine{lines[at].How, []piece{{Text: lines[at].Text}}})
			at++
			continue
		}
		out = append(append(out, markAgainst(gone, fresh)...), markAgainst(fresh, gone)...)
		at += len(gone) + len(fresh)
	}
	return out
}

// leadingRun returns the leading lines that are of one kind.
func leadingRun(lines []blue.DiffLine, how string) []blue.DiffLine {
	for i, l := range lines {
		if l.How != how {
			return lines[:i]
		}
	}
	return lines
}

// markAgainst marks the part of each line that its counterpart lacks.
func markAgainst(lines, others []blue.DiffLine) []diffLine {
	out := make([]diffLine, len(lines))
	for i, l := range lines {
		out[i] = diffLine{l.How, []piece{{Text: l.Text}}}
		if len(lines) == len(others) {
			out[i].Pieces = markDifference(l.Text, others[i].Text)
		}
	}
	return out
}

// markDifference marks the text between a common prefix and a common suffix. Texts with little in
// common are marked whole.
func markDifference(text, other string) []piece {
	from, end := 0, 0
	for from < min(len(text), len(other)) && text[from] == other[from] {
		from++
	}
	for end < min(len(text), len(other))-from && text[len(text)-1-end] == other[len(other)-1-end] {
		end++
	}
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	for end > 0 && !utf8.RuneStart(text[len(text)-end]) {
		end--
	}
	if from+end < len(text)/3 || strings.TrimSpace(text[from:len(text)-end]) == "" {
		return []piece{{Text: text}}
	}
	return cutAtMarks(text, [][2]int{{from, len(text) - end}})
}

// markup matches the Markdown syntax of a passage. The text of its groups is kept, bullets become
// dots, everything else is dropped. Code spans come first because nothing in them is markup.
var markup = regexp.MustCompile("(?m)" +
	"``+[ ]?([^\n]*?)[ ]?``+|`([^`\n]+)`" + // code
	`|^[ \t]*#[ \t]+|(?:^|[ \t])#{2,6}[ \t]+` + // headings, which may follow other text on a line
	`|^[ \t]*(?:>[ \t]?|` + "```.*|~~~.*" + `|\|?[ \t]*:?-{3,}[-:| \t]*$)` + // quotes, fences, rules and the second line of a table
	`|(?:^[ \t]*|([.:;…])[ \t]+)(?:[-*+]|(\d+[.)]))[ \t]+(?:\[[ xX]\][ \t]+)?` + // items of lists
	`|!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]|#\n]+)(?:#[^\[\]\n]*)?\]\]` + // links to notes
	`|!?\[([^\[\]\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)` + // other links, and pictures
	`|\[\^[^\]\s]+\]:?` + // footnotes
	`|\*\*|~~|\*([^\s*](?:[^*\n]*[^\s*])?)\*` + // bold, strikethrough, italic
	`|\\([!-/:-@\[-` + "`" + `{-~])` + // escaped characters
	`|^\||\|$|\|`) // cells of a table

// plainPieces strips the Markdown syntax from a passage and keeps its marks, which are in order.
func plainPieces(text string, marks [][2]int) (pieces []piece) {
	keep := func(from, to int) {
		var within [][2]int
		for _, m := range marks {
			if m = [2]int{max(m[0], from) - from, min(m[1], to) - from}; m[0] < m[1] {
				within = append(within, m)
			}
		}
		for _, p := range cutAtMarks(text[from:to], within) {
			if p.Text != "" {
				pieces = append(pieces, p)
			}
		}
	}
	done := 0
	for _, m := range markup.FindAllStringSubmatchIndex(text, -1) {
		keep(done, m[0])
		done = m[1]
		for group := 2; group < len(m); group += 2 {
			if m[group] >= 0 {
				keep(m[group], m[group+1])
			}
		}
		pieces = append(pieces, stands(text[m[0]:m[1]])...)
	}
	keep(done, len(text))
	return pieces
}

// bullet matches the beginning of a list item, also after the end of a sentence on the same
// line.
var bullet = regexp.MustCompile(`^([.:;…]?)[ \t]*(?:[-*+]|\d+[.)])[ \t]`)

// stands returns the replacement of a match of markup.
func stands(sign string) []piece {
	m := bullet.FindStringSubmatch(sign)
	numbered := strings.ContainsAny(sign, "0123456789")
	switch {
	case m != nil && numbered:
		return []piece{{Text: " "}}
	case m != nil && m[1] == "":
		return []piece{{Text: "• "}}
	case m != nil:
		return []piece{{Text: " • "}}
	case sign == "|", strings.HasPrefix(sign, " #"):
		return []piece{{Text: " "}}
	}
	return nil
}

// noteNamed returns the id of the note that a path names, with the prefix private/ if two notes
// would otherwise share the id.
func noteNamed(r *http.Request) string { return strings.TrimSuffix(r.PathValue("file"), ".html") }

// pathOf returns the path of a view of a note.
func pathOf(view, id string) string {
	path := "/" + view + "/" + url.PathEscape(id)
	if view == "notes" {
		path += ".html"
	}
	return path
}

// documentPath returns the path of a section of a document or of a directory of documents, whose
// name is empty or ends with a slash.
func documentPath(name, anchor string) string {
	u := url.URL{Path: "/documents/" + name, Fragment: anchor}
	return u.String()
}

// shelfPath returns the path of a document or commit in search results.
func shelfPath(b result.ShelfHit) string {
	if b.Path != "" {
		return documentPath(b.Path, b.Anchor)
	}
	return pathOf("notes", b.Ref)
}

// parentPath returns the parent directory of a path, or "" for the top.
func parentPath(name string) string {
	return strings.TrimPrefix(path.Dir(strings.TrimSuffix(name, "/"))+"/", "./")
}

// qualifiedID returns the id of a note as used in URLs.
func qualifiedID(id string, private bool) string {
	if private {
		return "private/" + id
	}
	return id
}

// pathWritten returns the path of the note in the named file.
func pathWritten(id, file string) string {
	return pathOf("notes", qualifiedID(id, strings.Contains("/"+file, "/private/")))
}
