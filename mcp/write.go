package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
)

type writeInput struct {
	place
	blue.Draft
	Personal bool `json:"personal,omitempty" jsonschema:"about the user, for all projects"`
}

func (d *door) addWrite(s *mcp.Server) {
	addBare(d, s, tool{
		verb: "write", title: "Write a note", kind: kind{repeats: true},
		description: "Remember in a note: a decision, a cause, a how-to, or a checkpoint of unfinished work, which names its next step after \"Next:\".",
	}, func(ctx context.Context, c *call, in writeInput) (reply, error) {
		open := c.open
		if in.Personal {
			open = c.openPersonal
		}
		p, err := open(ctx, in.Cwd)
		if err != nil {
			return nil, err
		}
		return p.Write(ctx, in.Draft)
	})
}
