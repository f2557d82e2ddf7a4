package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type listInput struct {
	place
	blue.Filter
}

func (d *door) addList(s *mcp.Server) {
	add(d, s, tool{
		verb: "list", title: "List notes", hint: "memory notes", kind: kind{reads: true, repeats: true},
		description: "List notes, newest first.",
	}, func(ctx context.Context, p *blue.Project, in listInput) (reply, error) {
		if in.Review {
			return p.Review(ctx, in.Filter)
		}
		return p.List(ctx, in.Filter)
	})
}
