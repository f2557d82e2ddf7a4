package shown

import (
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

const (
	typesShown  = 20 // types that an overview counts apart
	newestShown = 10 // titles that it volunteers
)

// FillWhere counts all notes, the newest first, for an overview, and names the newest of this user.
func (n Notes) FillWhere(w *reply.Where, rows []index.Row) {
	w.Notes = len(rows)
	for _, row := range rows {
		kind := note.ShowWord(row.Type)
		switch {
		case !n.IsLocal(row):
			w.Unread++
			if !slices.Contains(note.Types(), kind) {
				kind = "other" // the word is the note's, and nobody here has read it
			}
		case len(w.Newest) < newestShown:
			w.Newest = append(w.Newest, n.Row(row))
		}
		if _, counted := w.Types[kind]; !counted && len(w.Types) >= typesShown {
			kind = "other"
		}
		w.Types[kind]++
	}
}

// FillBoard puts the notes that wait for a decision on a board, and the checkpoints of work
// that is unfinished, newest first.
func (n Notes) FillBoard(b *reply.Board) {
	for _, row := range n.All(false) {
		proposed := catalog.ExtraOf(row).StatusWord() == note.Proposed
		if row.Superseded || !proposed && row.Type != note.TypeCheckpoint {
			continue
		}
		glance := n.Glance(row)
		card := reply.Card{Row: n.Row(row), Branch: glance.Branch, Next: glance.Next}
		switch {
		case proposed:
			b.Proposed = append(b.Proposed, card)
		case card.Branch == "" || card.Branch == b.Branch:
			b.Unfinished = append(b.Unfinished, card)
		default:
			b.Elsewhere = append(b.Elsewhere, card)
		}
	}
}
