package merge

import (
	"bytes"
	"slices"
	"strings"

	"blue/blue/internal/note"
)

// markKeys are the keys that say how a note stands, not what it says.
var markKeys = []string{"tags", "aliases", "alias", "verified", note.UIDKey}

// OnlyMarks reports whether two texts of a note differ in marks alone: its tags, aliases and
// identity, that it was verified, or that another note supersedes it.
func OnlyMarks(base, changed []byte) bool {
	if bytes.Equal(base, changed) {
		return true
	}
	plain := func(text []byte) note.Text {
		return note.ParseText("x.md", bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	}
	b, okB := takeApart(plain(base))
	c, okC := takeApart(plain(changed))
	if !okB || !okC || b.note.Problem != "" || c.note.Problem != "" || b.note.Body != c.note.Body || b.comments() != c.comments() {
		return false
	}
	for _, key := range slices.Concat(b.keys, c.keys) {
		_, was := splitComments(b.lines[key])
		_, is := splitComments(c.lines[key])
		switch {
		case was == is, slices.Contains(markKeys, key):
		case key == "status" && (note.IsSuperseded(b.note.Status) || note.IsSuperseded(c.note.Status)):
		case key == "files" && sameFiles(b.note, c.note):
		default:
			return false
		}
	}
	return true
}

// comments are those of the whole front matter.
func (f front) comments() string {
	var all strings.Builder
	for _, key := range append(slices.Clone(f.keys), "") {
		above, _ := splitComments(f.lines[key])
		all.WriteString(above)
	}
	return all.String()
}

// sameFiles reports whether two texts of a note cite the same, apart from the evidence. One
// that was verified may cite it by other names.
func sameFiles(b, c note.Text) bool {
	same := func(x, y note.Cited) bool { return x.Ref() == y.Ref() }
	return slices.EqualFunc(b.Files, c.Files, same) || b.Verified != c.Verified && len(b.Files) == len(c.Files)
}
