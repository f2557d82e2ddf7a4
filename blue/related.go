package blue

import (
	"context"
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

const (
	relatedMost  = 3   // notes that a write or an edit names
	relatedBytes = 300 // of the beginning of a text that are looked for, beside its title
)

// findRelated finds older notes that the text of a note may replace: those that a search
// with its beginning surely finds, but for those that are said already, set aside, or that
// it supersedes. What it cannot look for is not named.
func (p *Project) findRelated(ctx context.Context, name string, said []string) (r reply.Related) {
	row, ok := p.index.Row(name)
	if !ok || row.Superseded {
		return r
	}
	texts := p.store.Texts()
	defer texts.Close()
	read := bodyReader(texts)
	body, _ := read(row)
	start, _ := reply.CutBytes(body, relatedBytes)
	found, err := p.index.Search(ctx, index.Query{Text: row.Title + "\n" + start, Limit: sureHits, Sure: true, Body: read})
	if err != nil {
		return r
	}
	said = append(extraOf(row).Supersedes, said...)
	for _, hit := range found.Hits {
		hidden := note.IsPrivate(hit.Name) && !note.IsPrivate(name)
		if hit.Sure < 1 || hit.Name == name || hit.Superseded || hidden || hit.Time.After(row.Time) || slices.Contains(said, hit.ID) {
			continue
		}
		if r.Related = append(r.Related, note.ShowTitle(hit.ID)); len(r.Related) == relatedMost {
			break
		}
	}
	return r
}
