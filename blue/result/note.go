package result

import (
	"fmt"
	"strings"
	"time"

	"blue/blue/internal/note"
)

// Note is one note in the form in which it is read.
type Note struct {
	ID         string       `json:"id"`
	Path       string       `json:"path"`
	Title      string       `json:"title"`
	Type       string       `json:"type"`
	Tags       []string     `json:"tags"`
	Created    string       `json:"created,omitempty"`
	Author     string       `json:"author,omitempty"`
	Status     string       `json:"status"`
	Supersedes []string     `json:"supersedes,omitempty"`
	By         string       `json:"superseded_by,omitempty"` // id of the note that replaces it
	Conflicts  []Clash      `json:"conflicts,omitempty"`     // with what another machine has made of it, or it of another note
	Verified   string       `json:"verified,omitempty"`      // day on which the note was last confirmed, and by whom
	Files      []note.Cited `json:"files"`
	Age        string       `json:"age,omitempty"`      // like Evidence, of notes that cite files
	Evidence   string       `json:"evidence,omitempty"` // what has become of the files
	Body       string       `json:"body"`
	Offset     int          `json:"offset,omitempty"` // byte of the body at which this part begins
	Revision   string       `json:"revision"`
	Revisions  []string     `json:"revisions"` // earlier revisions that are kept, newest first
	Links      []Link       `json:"links"`
	Backlinks  []Link       `json:"backlinks"`
	Private    bool         `json:"private,omitempty"`
	OfBranch   bool         `json:"of_branch,omitempty"`         // of the checked-out commit; the notebook does not know it
	Problem    string       `json:"problem,omitempty"`           // why the front matter cannot be used
	LeftOut    int          `json:"left_out,omitempty"`          // entries of the lists that do not fit into a reply
	Conflicted bool         `json:"conflicted,omitempty"`        // holds the conflict markers of a merge
	Hidden     int          `json:"hidden_characters,omitempty"` // shown in the body as \u{…}
	Code       []Quoted     `json:"code,omitempty"`              // lines that the note cites, if they were asked for
}

// Quoted is a part of a file that a note cites, as it is now.
type Quoted struct {
	Ref     string `json:"ref"`
	Lines   string `json:"lines,omitempty"` // such as 10-42; empty if it is gone
	Changed bool   `json:"changed,omitempty"`
	Text    string `json:"text,omitempty"`
	More    int    `json:"more,omitempty"` // bytes that are left out
}

// Heading describes the part.
func (q Quoted) Heading() string {
	if q.Lines == "" {
		return q.Ref + ", gone"
	}
	line := q.Ref + ", lines " + q.Lines
	if q.Changed {
		line += ", changed since"
	}
	return line
}

// Link is a note that links to another one or is linked to.
type Link struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	Missing bool   `json:"missing,omitempty"`

	Several []string `json:"several,omitempty"` // ids of the notes that an ambiguous link fits
}

// ReadOnly reports whether this is a document or a commit, which Blue reads but never changes.
func (n Note) ReadOnly() bool { return !strings.HasPrefix(n.Path, ".blue/") }

func (n Note) render() string {
	var b writer
	first, _, _ := strings.Cut(n.Body, "\n")
	hasTitle := strings.HasPrefix(strings.TrimSpace(first), "#") && note.FindTitle(first, "") == n.Title
	b.lineIf(!hasTitle, "# %s", n.Title)
	kind := ""
	if n.Type != note.TypeNote {
		kind = " · type: " + n.Type
	}
	b.line("id: %s%s · revision: %s", n.ID, kind, n.Revision)
	for _, fact := range n.Facts() {
		b.line("%s: %s", fact[0], fact[1])
	}
	b.line("\n%s", strings.TrimRight(n.Body, "\n"))
	for _, q := range n.Code {
		b.line("\n%s:\n", q.Heading())
		b.lineIf(q.Text != "", "```\n%s\n```", q.Text)
		b.lineIf(q.More > 0, "(%d bytes left out)", q.More)
	}
	return b.String()
}

// revisionsShown is the maximum number of earlier revisions named in the text of a note.
const revisionsShown = 5

// Facts returns the names and values of what is known about a note besides title, id, type,
// revision and origin.
func (n Note) Facts() (facts [][2]string) {
	fact := func(name, value string) {
		if value != "" {
			facts = append(facts, [2]string{name, value})
		}
	}
	fact("tags", strings.Join(n.Tags, ", "))
	fact("created", strings.TrimSuffix(n.Created[:min(len(n.Created), len(time.DateOnly))]+" by "+n.Author, " by "))
	fact("verified", n.Verified)
	fact("files", strings.Join(namePaths(n.Files), ", "))
	fact("evidence", joinEvidence(n.Age, n.Evidence))
	fact("links", strings.Join(nameLinks(n.Links), ", "))
	fact("backlinks", strings.Join(nameLinks(n.Backlinks), ", "))
	fact("supersedes", strings.Join(n.Supersedes, ", "))
	if n.Status != note.Active {
		fact("status", strings.TrimSuffix(n.Status+" by "+n.By, " by "))
	}
	for _, c := range n.Conflicts {
		fact("conflict", c.Line())
	}
	if n.Private {
		fact("private", "kept out of git")
	}
	if n.OfBranch {
		fact("of this branch", "read-only; blue sync --adopt takes it in")
	}
	kept := strings.Join(n.Revisions[:min(len(n.Revisions), revisionsShown)], ", ")
	if more := len(n.Revisions) - revisionsShown; more > 0 {
		kept += fmt.Sprintf(", and %d more that `blue history` lists", more)
	}
	fact("earlier revisions", kept)
	if n.Offset > 0 {
		fact("continued", fmt.Sprintf("from byte %d of the text", n.Offset))
	}
	fact("problem", n.Problem)
	if n.Conflicted {
		fact("conflicted", "holds the conflict markers of a merge")
	}
	if n.LeftOut > 0 {
		fact("left out of these lists", Plural(n.LeftOut, "item"))
	}
	if n.Hidden > 0 {
		fact("hidden characters", fmt.Sprintf("%d, shown as \\u{…}", n.Hidden))
	}
	return facts
}

func namePaths(files []note.Cited) (words []string) {
	for _, f := range files {
		var remarks []string
		if f.Gone {
			remarks = append(remarks, "gone")
		} else if f.Changed {
			remarks = append(remarks, "changed since")
		}
		if f.Now != "" {
			remarks = append(remarks, "now "+f.Now)
		}
		if len(remarks) > 0 {
			f.Path += " (" + strings.Join(remarks, ", ") + ")"
		}
		words = append(words, f.Path)
	}
	return words
}

func nameLinks(links []Link) (words []string) {
	for _, l := range links {
		switch {
		case len(l.Several) > 0:
			l.ID += " (fits several notes: " + strings.Join(l.Several, ", ") + ")"
		case l.Missing:
			l.ID += " (missing)"
		}
		words = append(words, l.ID)
	}
	return words
}

const (
	leastBody = 256 // bytes of a text that a reply shows if it has that much room, whatever the other facts
	leastList = 500 // bytes of each list
)

// boundLists cuts the lists of a note to a part of the room, and returns the size of all facts
// in bytes.
func (n *Note) boundLists(room int) (size int) {
	room = max(min(room, ReadTokens*bytesPerToken)/8, leastList)
	n.Tags = keepFitting(n.Tags, room/2, wordSize, &n.LeftOut)
	n.Supersedes = keepFitting(n.Supersedes, room/2, wordSize, &n.LeftOut)
	n.Conflicts = keepFitting(n.Conflicts, room/2, func(c Clash) int { return len(c.Line()) }, &n.LeftOut)
	n.Files = keepFitting(n.Files, room, func(f note.Cited) int { return len(f.Path) + len(f.Hash) + len(f.Now) }, &n.LeftOut)
	linked := func(l Link) int { return len(l.ID) + len(l.Title) + len(strings.Join(l.Several, ", ")) }
	n.Links = keepFitting(n.Links, room, linked, &n.LeftOut)
	n.Backlinks = keepFitting(n.Backlinks, room, linked, &n.LeftOut)
	size = len("# \nid:  · type:  · revision: \n\n\n") + len(n.Title) + len(n.ID) + len(n.Type) + len(n.Revision)
	for _, fact := range n.Facts() {
		size += len(fact[0]) + len(fact[1]) + len(": \n")
	}
	return size
}

// Page is the answer to a reading.
type Page struct {
	About
	Notes   []Note   `json:"notes"`
	Missing []string `json:"missing,omitempty"` // those of several ids that are not notes
	More    int      `json:"more,omitempty"`    // bytes of text that did not fit
	Cursor  string   `json:"cursor,omitempty"`  // where the rest begins

	cutLast bool // the last note is not whole
}

// Text shows the notes for a person to read.
func (p Page) Text() string { return p.NoteText() + p.Tail() }

// NoteText returns the part of Text about the notes themselves.
func (p Page) NoteText() string {
	var b strings.Builder
	for i, n := range p.Notes {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(n.render())
	}
	return b.String()
}

// Tail returns what Text says after the notes.
func (p Page) Tail() string {
	var b writer
	b.list("No such notes", p.Missing)
	b.lineIf(p.More > 0, "%d bytes more: cursor %s", p.More, p.Cursor)
	return b.String() + p.Lines()
}

// Fill puts as many notes on the page as fit, beginning at the place of the cursor, and counts
// the rest.
func (p *Page) Fill(notes []Note, at []int, room int) {
	for i, n := range notes[min(at[0], len(notes)):] {
		if i == 0 && at[1] > 0 && at[1] <= len(n.Body) {
			n.Body, n.Offset, n.Code = n.Body[at[1]:], at[1], nil
		}
		for _, q := range n.Code {
			room -= len(q.Text)
		}
		if room <= 0 {
			p.More += len(n.Body)
			continue
		}
		var more int
		least := min(room, leastBody)
		room -= n.boundLists(room)
		n.Body, more = CutBytes(n.Body, max(room, least))
		room -= len(n.Body)
		p.More += more
		p.Notes = append(p.Notes, n)
		if more > 0 {
			room, p.cutLast = 0, true
		}
	}
}

// NextPlace returns where the page after this one begins.
func (p *Page) NextPlace(at []int) []int {
	last := p.Notes[len(p.Notes)-1]
	if p.cutLast {
		return []int{at[0] + len(p.Notes) - 1, last.Offset + len(last.Body)}
	}
	return []int{at[0] + len(p.Notes), 0}
}

// Located is the answer to a question for the files of notes.
type Located struct {
	About
	Files []NoteFile `json:"files"`
}

// NoteFile is the file of a note.
type NoteFile struct {
	ID   string `json:"id"`
	Path string `json:"path"` // absolute
	Name string `json:"-"`    // below .blue, with slashes
}

// Text lists one path per line and nothing else, for use in other commands.
func (l Located) Text() string {
	var b writer
	for _, f := range l.Files {
		b.line("%s", f.Path)
	}
	return b.String()
}
