package notebook

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Board returns the notes that wait for a decision, and the checkpoints of work that is
// unfinished, newest first.
func (nb *Notebook) Board(ctx context.Context) (b result.Board, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return b, err
	}
	b = result.Board{About: nb.About(), Branch: nb.Branch()}
	show := nb.shown()
	for _, row := range nb.index.All(false) {
		proposed := ExtraOf(row).StatusWord() == note.Proposed
		if row.Superseded || !proposed && row.Type != note.TypeCheckpoint {
			continue
		}
		card := result.Card{Row: show.Row(row), Branch: note.ShowTitle(ExtraOf(row).Branch), Next: show.Glance(row).Next}
		switch {
		case proposed:
			b.Proposed = append(b.Proposed, card)
		case card.Branch == "" || card.Branch == b.Branch:
			b.Unfinished = append(b.Unfinished, card)
		default:
			b.Elsewhere = append(b.Elsewhere, card)
		}
	}
	return b, nil
}
