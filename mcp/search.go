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
		verb: "search", kind: kind{reads: true, repeats: true},
		description: "Find notes by words, a question, an identifier, a file name or an error message; best first.",
	}, func(ctx context.Context, p *blue.Project, in searchInput) (result, error) {
		return p.Search(ctx, in.Query)
	})
}
