package blue

import (
	"context"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// relatedTo finds older notes that a note of the index may replace.
func (p *Project) relatedTo(ctx context.Context, row index.Row) reply.Related {
	data, _, err := p.store.Read(row.Name)
	if err != nil || row.Superseded {
		return reply.Related{}
	}
	return p.findRelated(ctx, row, note.ParseBody(data))
}

// findRelated is [catalog.Notes.FindRelated] with the texts of the store.
func (p *Project) findRelated(ctx context.Context, row index.Row, body string) reply.Related {
	texts := p.store.Texts()
	defer texts.Close()
	return p.index.FindRelated(ctx, row, body, bodyReader(texts))
}
