package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type removeInput struct {
	place
	blue.Removal
}

func (d *door) addRemove(s *mcp.Server) {
	add(d, s, tool{
		verb: "remove", title: "Remove a note", hint: "forget memory", kind: kind{destroys: true, repeats: true},
		description: "Move a note to the trash, or bring it back.",
	}, func(ctx context.Context, p *blue.Project, in removeInput) (reply, error) {
		return p.Remove(ctx, in.Removal)
	})
}
