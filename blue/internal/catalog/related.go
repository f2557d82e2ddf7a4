package catalog

import (
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// FindAlike compares a text, with the title, directory and time of the row, with the notes:
// which may be the same matter, by id, and which older ones it may replace, but for those that
// it supersedes; aside asks also for those that are set aside.
func (n Notes) FindAlike(row index.Row, body string, aside bool, read ReadBody) (a reply.Alike, setAside []index.Row) {
	said := ExtraOf(row).Supersedes
	mayName := func(older index.Row) bool { return mayReplace(row, older) && !slices.Contains(said, older.ID) }
	alike := n.Index.FindAlike(index.Draft{Title: row.Title, Body: body, MayAmend: mayName, SetAside: aside, Read: read})
	a.Similar = alike.Similar
	for _, name := range alike.Related {
		a.Related.Related = append(a.Related.Related, note.IDOf(name))
	}
	return a, alike.SetAside
}

// mayReplace reports whether a note is an older one that another may know of.
func mayReplace(row, older index.Row) bool {
	hidden := note.IsPrivate(NameOf(older)) && !note.IsPrivate(row.Name)
	return older.Name != row.Name && !hidden && (row.Time.IsZero() || !older.Time.After(row.Time))
}

// NameOf is the name of the file of a note: for one that is known by its file in the trash,
// the name that it had.
func NameOf(row index.Row) string {
	file, removed := strings.CutPrefix(row.Name, "trash/")
	if !removed {
		return row.Name
	}
	return note.FileOf(row.ID, strings.HasPrefix(file, note.ScopeDir(true)))
}
