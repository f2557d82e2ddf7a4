package notebook

import (
	"path"
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
)

// Successors are the notes that supersede a note, the newest first.
func (n Catalog) Successors(row index.Row) []index.Row {
	rows := slices.DeleteFunc(n.Keyed(supersedesKey+":"+row.ID), func(by index.Row) bool { return by.Name == row.Name })
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	return rows
}

// SupersededDocuments are the documents that notes supersede, by their paths from the root of
// the project, each with the newest of these notes.
func (n Catalog) SupersededDocuments() map[string]index.Row {
	by := map[string]index.Row{}
	for word := range n.CountKeys(supersedesKey + ":") {
		if path.Ext(word) == "" {
			continue // the id of a note
		}
		for _, row := range n.Keyed(supersedesKey + ":" + word) {
			for _, name := range ExtraOf(row).Supersedes {
				name = path.Clean(name)
				if last, ok := by[name]; supersededWord(name) == word && (!ok || row.Time.After(last.Time)) {
					by[name] = row
				}
			}
		}
	}
	return by
}

// SuccessorName names the file of the newest note that supersedes a note, "" when none does
// or the note is not marked so.
func (n Catalog) SuccessorName(row index.Row) string {
	if !IsSuperseded(row) {
		return ""
	}
	if rows := n.Successors(row); len(rows) > 0 {
		return rows[0].Name
	}
	return ""
}

// Current follows a note to the one that stands in its place now: itself unless it is set
// aside. False when that one is set aside too.
func (n Catalog) Current(row index.Row) (index.Row, bool) {
	for seen := []string{row.Name}; row.Superseded; seen = append(seen, row.Name) {
		next, ok := n.Row(n.SuccessorName(row))
		if !ok || slices.Contains(seen, next.Name) {
			return row, false
		}
		row = next
	}
	return row, true
}

// IsSuperseded reports whether another note replaces one.
func IsSuperseded(row index.Row) bool {
	return row.Superseded && note.IsSuperseded(ExtraOf(row).Status)
}

// NamedRows are the notes of whole ids, as far as they are there.
func (n Catalog) NamedRows(ids []string) (rows []index.Row) {
	for _, id := range ids {
		for _, private := range []bool{false, true} {
			if row, ok := n.Row(note.FileOf(note.BareID(id), private)); ok {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// Unmarked are those of the notes of some ids that do not have the status superseded.
func (n Catalog) Unmarked(ids []string) (found []string) {
	for _, row := range n.NamedRows(ids) {
		if !IsSuperseded(row) {
			found = append(found, row.ID)
		}
	}
	return found
}

// Supersedes reports whether a note supersedes the one of an id, at once or by others.
func (n Catalog) Supersedes(row index.Row, id string) bool {
	return n.supersedes(row, id, map[string]bool{})
}

func (n Catalog) supersedes(row index.Row, id string, seen map[string]bool) bool {
	if seen[row.Name] {
		return false
	}
	seen[row.Name] = true
	return slices.ContainsFunc(n.NamedRows(ExtraOf(row).Supersedes), func(older index.Row) bool {
		return older.ID == id || n.supersedes(older, id, seen)
	})
}
