package catalog

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

// FindRelated finds older notes that a text with the title, directory and time of the row
// may replace: those that both its title with its beginning and the whole of it surely find,
// but for those that are set aside or that it supersedes. It finds more while the text is not
// in the index itself. What cannot be looked for is not named. The function read reads the
// texts of notes, see [index.Query].
func (n Notes) FindRelated(ctx context.Context, row index.Row, body string, read ReadBody) (r reply.Related) {
	begin, _ := reply.CutBytes(strings.TrimSpace(body), relatedBytes)
	query := func(text string) index.Query {
		return index.Query{Text: row.Title + "\n" + text, Limit: SureHits, Sure: true, Apart: true, Body: read}
	}
	found, err := n.Search(ctx, query(begin))
	if err != nil {
		return r
	}
	said := ExtraOf(row).Supersedes
	var sure []string
	for _, hit := range found.Hits {
		if hit.Sure >= 1 && mayReplace(row, hit.Row) && !slices.Contains(said, hit.ID) {
			sure = append(sure, hit.Name)
		}
	}
	if len(sure) > 0 && len(body) > relatedBytes {
		sure = n.FindSure(query(body), sure)
	}
	for _, name := range sure[:min(len(sure), relatedMost)] {
		r.Related = append(r.Related, note.IDOf(name))
	}
	return r
}

// mayReplace reports whether a note is an older one that another may supersede.
func mayReplace(row, older index.Row) bool {
	hidden := note.IsPrivate(older.Name) && !note.IsPrivate(row.Name)
	return older.Name != row.Name && !older.Superseded && !hidden && (row.Time.IsZero() || !older.Time.After(row.Time))
}
