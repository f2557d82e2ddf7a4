package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type searchInput struct {
	place
	blue.Query
}

func (d *door) addSearch(s *mcp.Server) {
	add(d, s, tool{
		verb: "search", title: "Search notes", kind: kind{reads: true, repeats: true},
		description: "Search the project's memory: notes, decisions, context, documents, commits. Takes words, a question or an error message.",
	}, func(ctx context.Context, p *blue.Project, in searchInput) (reply, error) {
		return p.Search(ctx, in.Query)
	})
}
