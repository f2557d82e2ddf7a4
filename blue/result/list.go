package result

import (
	"fmt"
	"strings"

	"blue/blue/internal/note"
)

// Rows is the answer to a list.
type Rows struct {
	About
	Notes  []Row  `json:"notes"`
	Total  int    `json:"total"`
	More   int    `json:"more,omitempty"`
	Cursor string `json:"cursor,omitempty"`

	OfBranch []string `json:"of_branch,omitempty"` // notes of the checked-out commit that the notebook does not know
}

// Text lists the notes, one per line.
func (r Rows) Text() string {
	var b writer
	for _, row := range r.Notes {
		b.line("%s", row.Line())
	}
	return r.Head() + r.tellReading() + b.String() + r.Tail()
}

// Tail returns what Text says after the notes.
func (r Rows) Tail() string {
	var b writer
	b.lineIf(len(r.Notes) == 0, "No notes%s", r.yet())
	return b.String() + leftoverLine(r.OfBranch) + r.moreLine(r.More, r.Total, r.Cursor) + r.Lines()
}

// Row is a note in a list.
type Row struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Type       string   `json:"type"`
	Tags       []string `json:"tags,omitempty"`
	MoreTags   int      `json:"more_tags,omitempty"` // number of tags that do not fit into a list
	Age        string   `json:"age"`
	Stale      bool     `json:"stale,omitempty"`    // a cited file has changed
	Evidence   string   `json:"evidence,omitempty"` // what has become of the cited files
	Status     string   `json:"status,omitempty"`   // if it is not active
	Superseded bool     `json:"superseded,omitempty"`
	By         string   `json:"superseded_by,omitempty"` // id of the note that replaces it
	Conflict   bool     `json:"conflict,omitempty"`      // two machines have changed the same lines: it is one of the two notes
	Private    bool     `json:"private,omitempty"`
	Author     string   `json:"-"`
	Revision   string   `json:"-"`
	Begins     string   `json:"-"` // the beginning of the text, if it was asked for
}

// Line returns the row on one line. It leaves out the type of a plain note.
func (r Row) Line() string {
	words := []string{r.Type, r.AgeAndEvidence()}
	if r.Type == note.TypeNote {
		words = words[1:]
	}
	if len(r.Tags) > 0 {
		words = append(words, "#"+strings.Join(r.Tags, " #"))
	}
	if r.MoreTags > 0 {
		words = append(words, Plural(r.MoreTags, "more tag"))
	}
	return fmt.Sprintf("%s  %s  (%s)", r.ID, r.Title, strings.Join(append(words, r.Remarks()...), ", "))
}

// AgeAndEvidence returns the age of a note and what has become of the files that it cites.
func (r Row) AgeAndEvidence() string { return joinEvidence(r.Age, r.Evidence) }

func joinEvidence(age, evidence string) string {
	return strings.TrimPrefix(strings.TrimSuffix(age+" · "+evidence, " · "), " · ")
}

// DescribeEvidence says what has become of the files that a note cites, or nothing if none has changed.
// gone labels missing files.
func DescribeEvidence(files []note.Cited, gone string) string {
	first, changed := "", 0
	for _, f := range files {
		if f.Changed {
			if changed++; changed == 1 {
				first = DescribeChange(f, gone)
			}
		}
	}
	if changed > 1 {
		return fmt.Sprintf("%s, and %d more", first, changed-1)
	}
	return first
}

// DescribeChange says what has become of a file or part that has changed. gone labels a missing one.
func DescribeChange(f note.Cited, gone string) string {
	switch {
	case f.Gone:
		return f.Path + " " + gone
	case f.Of > 0:
		return fmt.Sprintf("%s: %d of %s since", f.Path, f.Differ, Plural(f.Of, "line"))
	}
	return f.Path + " changed since"
}

// Remarks returns what distinguishes a note from most others.
func (r Row) Remarks() (words []string) {
	remark := func(on bool, word string) {
		if on {
			words = append(words, word)
		}
	}
	switch word := note.StatusWord(r.Status); {
	case r.By != "":
		remark(true, "superseded by "+r.By)
	case word == note.Proposed || note.IsSetAside(word):
		remark(true, word)
	}
	remark(r.Conflict, "conflict")
	remark(r.Private, "private")
	return words
}

// TagList is the answer to a question for the tags.
type TagList struct {
	About
	Tags []Facet `json:"tags"` // most frequent first
}

// Text lists the tags, one per line.
func (t TagList) Text() string {
	var b writer
	for _, c := range t.Tags {
		b.line("%5d  %s", c.Count, c.Shown)
	}
	b.lineIf(len(t.Tags) == 0, "No tags")
	return b.String() + t.Lines()
}

// Facets counts the notes of a project by the words with which a list can be filtered.
type Facets struct {
	Types, Tags, Authors, Statuses []Facet // most frequent first
}

// Facet is one word and how many notes have it.
type Facet struct {
	Word  string `json:"-"`    // as it is used in a query
	Shown string `json:"word"` // as it is safe to show
	Count int    `json:"notes"`
}

// Graph is a graph of the notes and the links between them.
type Graph struct {
	About
	Notes []Node   `json:"notes"`
	Links [][2]int `json:"links"` // from and to, as indexes of Notes

	Supersedes [][2]int `json:"-"` // from the note in force to the former one
	SameFile   [][2]int `json:"-"` // each note that cites a file, and the next one
}

// Node is a note of a graph.
type Node struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	Type       string `json:"type"`
	Private    bool   `json:"private,omitempty"`
	Superseded bool   `json:"superseded,omitempty"`
}
