package blue

import (
	"context"

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
	g.About = p.About()
	g.Notes, g.Links = p.index.Graph()
	return g, nil
}
