package blue

import (
	"context"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

const (
	relatedMost  = 3   // notes that a write or an edit names
	relatedBytes = 160 // of the beginning of a text
)

// relatedTo finds older notes that a note of the index may replace.
func (p *Project) relatedTo(ctx context.Context, row index.Row) reply.Related {
	data, _, err := p.store.Read(row.Name)
	if err != nil || row.Superseded {
		return reply.Related{}
	}
	return p.findRelated(ctx, row, note.ParseBody(data))
}

// findRelated finds older notes that a text with the title, directory and time of the row
// may replace: those that both its title with its beginning and the whole of it surely find,
// but for those that are set aside or that it supersedes. It finds more while the text is not
// in the index itself. What cannot be looked for is not named.
func (p *Project) findRelated(ctx context.Context, row index.Row, body string) (r reply.Related) {
	texts := p.store.Texts()
	defer texts.Close()
	read := bodyReader(texts)
	begin, _ := reply.CutBytes(strings.TrimSpace(body), relatedBytes)
	said := extraOf(row).Supersedes
	var sure []string
	for i, text := range []string{begin, body} {
		found, err := p.index.Search(ctx, index.Query{Text: row.Title + "\n" + text, Limit: sureHits, Sure: true, Body: read})
		if err != nil {
			return r
		}
		var names []string
		for _, hit := range found.Hits {
			if hit.Sure < 1 || i > 0 && !slices.Contains(sure, hit.Name) || !p.mayReplace(row, hit.Row) || slices.Contains(said, hit.ID) {
				continue
			}
			names = append(names, hit.Name)
		}
		sure = names
	}
	for _, name := range sure[:min(len(sure), relatedMost)] {
		r.Related = append(r.Related, note.IDOf(name))
	}
	return r
}

// mayReplace reports whether a note is an older one that another may supersede.
func (p *Project) mayReplace(row, older index.Row) bool {
	hidden := note.IsPrivate(older.Name) && !note.IsPrivate(row.Name)
	return older.Name != row.Name && !older.Superseded && !hidden && (row.Time.IsZero() || !older.Time.After(row.Time))
}
