package notebook

import (
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
)

// A note that has moved to another id keeps the former one as an alias, and the end of its id
// is made of that one: an alias may also be a word that a person has given to the note.

// MovedTo returns the note that had the file of that name before it moved.
func (n Catalog) MovedTo(project, name string) (row index.Row, ok bool) {
	from := note.IDOf(name)
	for _, row := range n.Aliased(from) {
		if note.IsPrivate(row.Name) == note.IsPrivate(name) && row.Name != name && isMovedFrom(project, row.ID, from) {
			return row, true
		}
	}
	return row, false
}

// PlaceOfMoved is the file that a note has under another title: its own, when its id begins
// with the words of that already.
func (n Catalog) PlaceOfMoved(project string, row index.Row, title string) string {
	slug := note.MakeSlug(title) + "-"
	if rest, ok := strings.CutPrefix(row.ID, slug); ok && len(rest) == 4 {
		return row.Name
	}
	for suffix := range movedSuffixes(project, row.ID) {
		name := note.FileOf(slug+suffix, note.IsPrivate(row.Name))
		if other, taken := n.Row(name); !taken || other.Revision == row.Revision { // of a move that was stopped
			return name
		}
	}
	return row.Name
}

// isMovedFrom reports whether a move has made an id of another one.
func isMovedFrom(project, id, from string) bool {
	for suffix := range movedSuffixes(project, from) {
		if strings.HasSuffix(id, "-"+suffix) {
			return true
		}
	}
	return false
}

// movedSuffixes are the ends that the id of a note may have which had another one before.
func movedSuffixes(project, from string) func(yield func(string) bool) {
	return note.IDSuffixes(project, "moved\x00"+from)
}
