package notebook

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Graph returns every note, by title, and which links to which. A link counts as
// it does among the backlinks of a note.
func (nb *Notebook) Graph(ctx context.Context) (g result.Graph, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return g, err
	}
	g = result.Graph{About: nb.About(), Notes: []result.Node{}, Links: [][2]int{}}
	rows := nb.index.All(true)
	place := make(map[string]int, len(rows))
	for i, row := range rows {
		place[row.Name] = i
		g.Notes = append(g.Notes, result.Node{
			ID: row.ID, Title: note.ShowTitle(row.Title), Type: note.ShowWord(row.Type),
			Private: note.IsPrivate(row.Name), Superseded: row.Superseded,
		})
	}
	for to, row := range rows {
		for _, other := range nb.index.LinkingTo(row) {
			if from, ok := place[other.Name]; ok {
				g.Links = append(g.Links, [2]int{from, to})
			}
		}
	}
	return g, nil
}
