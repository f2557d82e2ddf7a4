package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type readInput struct {
	place
	blue.Reading
}

func (d *door) addRead(s *mcp.Server) {
	add(d, s, tool{
		verb: "read", title: "Read notes", hint: "memory notes", kind: kind{reads: true, repeats: true},
		description: "Read notes, documents or commits, with links, revisions and changed files.",
	}, func(ctx context.Context, p *blue.Project, in readInput) (reply, error) {
		return p.Read(ctx, in.Reading)
	})
}
