package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type writeInput struct {
	place
	blue.Draft
}

func (d *door) addWrite(s *mcp.Server) {
	add(d, s, tool{
		verb: "write", title: "Write a note", kind: kind{repeats: true},
		description: "Remember in a note: a decision, a cause, a how-to, or a checkpoint of unfinished work.",
	}, func(ctx context.Context, p *blue.Project, in writeInput) (result, error) {
		return p.Write(ctx, in.Draft)
	})
}
