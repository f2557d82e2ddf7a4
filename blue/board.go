package blue

import (
	"context"

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
	p.shown().FillBoard(&b)
	return b, nil
}
