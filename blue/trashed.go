package blue

import (
	"context"

	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
)

// TrashList is the answer to "what is in the trash".
type TrashList = reply.TrashList

// Trashed is a note in the trash.
type Trashed = reply.Trashed

// Trash lists the notes in the trash.
func (p *Project) Trash(ctx context.Context) (t TrashList, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return t, err
	}
	t.About = p.About()
	t.Notes, err = storage.ListTrashed(ctx, p.store, p.steps(nil).IsMoved)
	for i := range t.Notes {
		p.showPath(&t.Notes[i].Path)
	}
	return t, err
}
