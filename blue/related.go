package blue

import (
	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// relatedTo finds older notes that a note of the index may replace.
func (p *Project) relatedTo(row index.Row) reply.Related {
	data, _, err := p.store.Read(row.Name)
	if err != nil || row.Superseded {
		return reply.Related{}
	}
	_, related := p.findAlike(row, note.ParseBody(data))
	return related
}

// findAlike is [catalog.Notes.FindAlike] with the texts of the store.
func (p *Project) findAlike(row index.Row, body string) (similar []string, related reply.Related) {
	texts := p.store.Texts()
	defer texts.Close()
	return p.index.FindAlike(row, body, catalog.BodyReader(texts.Read))
}
