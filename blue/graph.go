package blue

import (
	"context"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// Graph is the notes and the links between them.
type Graph = reply.Graph

// Node is a note of a graph.
type Node = reply.Node

// Graph returns every note, by title, and which links to which. A link counts as
// it does among the backlinks of a note.
func (p *Project) Graph(ctx context.Context) (g Graph, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return g, err
	}
	g = Graph{About: p.About(), Notes: []Node{}, Links: [][2]int{}}
	rows := p.allRows(true)
	place := make(map[string]int, len(rows))
	for i, row := range rows {
		place[row.Name] = i
		g.Notes = append(g.Notes, Node{
			ID: row.ID, Title: note.ShowTitle(row.Title), Type: note.ShowWord(row.Type),
			Private: note.IsPrivate(row.Name), Superseded: row.Superseded,
		})
	}
	for to, row := range rows {
		for _, other := range p.index.Keyed("link:" + row.ID) {
			if from, ok := place[other.Name]; ok && from != to {
				g.Links = append(g.Links, [2]int{from, to})
			}
		}
	}
	return g, nil
}
