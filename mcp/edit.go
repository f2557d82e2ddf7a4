package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type editInput struct {
	place
	blue.Change
}

func (d *door) addEdit(s *mcp.Server) {
	add(d, s, tool{
		verb: "edit", kind: kind{destroys: true, repeats: true},
		description: "Change a note; the former revision is kept. Send the revision you read: if the note has changed since, you get its current text and nothing is overwritten.",
	}, func(ctx context.Context, p *blue.Project, in editInput) (result, error) {
		return p.Edit(ctx, in.Change)
	})
}
