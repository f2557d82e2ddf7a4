package blue

import (
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/write"
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

// findAlikeBeside looks, beside the caller, for older notes that are like a new one, and for
// those that it may replace; found waits for them.
func (p *Project) findAlikeBeside(n note.Text, private bool) (found write.Alike) {
	var similar []string
	var related reply.Related
	wait := index.Beside(func() {
		similar, related = p.findAlike(index.Row{Name: note.FileOf("", private), Title: n.Title}, n.Body)
	})
	return func() ([]string, reply.Related) {
		wait()
		related.Related = slices.DeleteFunc(related.Related, func(id string) bool { return slices.Contains(n.Supersedes, id) })
		return similar, related
	}
}

// findAlike is [catalog.Notes.FindAlike] with the texts of the store.
func (p *Project) findAlike(row index.Row, body string) (similar []string, related reply.Related) {
	begin := p.store.Texts
	if p.hosted != nil {
		begin = p.hosted.Notes.CommittedTexts
	}
	texts := begin()
	defer texts.Close()
	return p.index.FindAlike(row, body, catalog.BodyReader(texts.Read))
}
