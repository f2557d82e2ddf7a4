package blue

import (
	"context"

	"blue/blue/internal/catalog"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// Board is the open work of a project.
type Board = reply.Board

// Card is a note on the board.
type Card = reply.Card

// Board returns the notes that wait for a decision, and the checkpoints of work that is
// unfinished, newest first.
func (p *Project) Board(ctx context.Context) (b Board, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return b, err
	}
	b = Board{About: p.About(), Branch: p.Branch()}
	show := p.shown()
	for _, row := range p.index.All(false) {
		proposed := catalog.ExtraOf(row).StatusWord() == note.Proposed
		if row.Superseded || !proposed && row.Type != note.TypeCheckpoint {
			continue
		}
		glance := show.Glance(row)
		card := Card{Row: show.Row(row), Branch: glance.Branch, Next: glance.Next}
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
