package blue

import (
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
)

// successors are the notes that supersede a note, the newest first.
func (p *Project) successors(row index.Row) []index.Row {
	rows := slices.DeleteFunc(p.index.Keyed(anySuperseded+":"+row.ID), func(by index.Row) bool { return by.Name == row.Name })
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	return rows
}

// successorName names the file of the newest note that supersedes a note, "" when none does
// or the note is not marked so.
func (p *Project) successorName(row index.Row) string {
	if rows := p.successors(row); isSuperseded(row) && len(rows) > 0 {
		return rows[0].Name
	}
	return ""
}

// current follows a note to the one that stands in its place now: itself unless it is set
// aside. False when that one is set aside too.
func (p *Project) current(row index.Row) (index.Row, bool) {
	for seen := []string{row.Name}; row.Superseded; seen = append(seen, row.Name) {
		next, ok := p.index.Row(p.successorName(row))
		if !ok || slices.Contains(seen, next.Name) {
			return row, false
		}
		row = next
	}
	return row, true
}

func isSuperseded(row index.Row) bool {
	return row.Superseded && note.IsSuperseded(extraOf(row).Status)
}

// supersededBy are the notes that a note supersedes, as far as they are there.
func (p *Project) supersededBy(row index.Row) []index.Row {
	return p.namedRows(extraOf(row).Supersedes)
}

// namedRows are the notes of whole ids, as far as they are there.
func (p *Project) namedRows(ids []string) (rows []index.Row) {
	for _, id := range ids {
		for _, private := range []bool{false, true} {
			if row, ok := p.index.Row(note.FileOf(note.BareID(id), private)); ok {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// unmarked are those of the notes of some ids that do not have the status superseded.
func (p *Project) unmarked(ids []string) (found []string) {
	for _, row := range p.namedRows(ids) {
		if !isSuperseded(row) {
			found = append(found, row.ID)
		}
	}
	return found
}
