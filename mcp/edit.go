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
		verb: "edit", title: "Edit a note", hint: "update memory", kind: kind{repeats: true},
		description: "Change a note; the former revision is kept. Send the revision you read: a note that has changed since is not overwritten.",
	}, func(ctx context.Context, p *blue.Project, in editInput) (reply, error) {
		return p.Edit(ctx, in.Change)
	})
}
