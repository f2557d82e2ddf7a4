package catalog

import (
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// FindAlike compares a text, with the title, directory and time of the row, with the notes:
// which may be the same matter, by id, and which older ones it may replace, but for those that
// are set aside or that it supersedes.
func (n Notes) FindAlike(row index.Row, body string, read ReadBody) (similar []string, r reply.Related) {
	said := ExtraOf(row).Supersedes
	mayAmend := func(older index.Row) bool { return mayReplace(row, older) && !slices.Contains(said, older.ID) }
	alike := n.Index.FindAlike(index.Draft{Title: row.Title, Body: body, MayAmend: mayAmend, Read: read})
	for _, name := range alike.Related {
		r.Related = append(r.Related, note.IDOf(name))
	}
	return alike.Similar, r
}

// mayReplace reports whether a note is an older one that another may supersede.
func mayReplace(row, older index.Row) bool {
	hidden := note.IsPrivate(older.Name) && !note.IsPrivate(row.Name)
	return older.Name != row.Name && !older.Superseded && !hidden && (row.Time.IsZero() || !older.Time.After(row.Time))
}
