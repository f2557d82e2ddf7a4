package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

type useInput struct{ place }

// used is the answer of blue_use.
type used struct{ blue.About }

func (u used) Text() string {
	return fmt.Sprintf("Switched to project '%s' at %s.\n", u.Project.Name, u.Project.Root) + u.Lines()
}

func (d *door) addUse(s *mcp.Server) {
	addBare(d, s, tool{
		verb: "use", kind: kind{repeats: true}, needsCwd: true,
		description: "Make a project the default of this session; cwd in a call still wins for that call.",
	}, d.use)
}

// use binds the session to a directory; it binds nothing when that leads to no
// project (detection.md section 10).
func (d *door) use(ctx context.Context, c *call, in useInput) (result, error) {
	if c.session == nil {
		return nil, errors.SessionMissing()
	}
	p, err := d.o.Blue.Open(ctx, blue.Call{
		Cwd: d.o.Dir, Allowed: d.allowed, Client: c.name, Log: c.log,
		From: func(yield func(marker.Candidate) bool) {
			yield(marker.Candidate{Source: marker.Use, Value: *in.Cwd})
		},
	})
	if err != nil {
		return nil, err
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.use = *in.Cwd
	return used{p.About()}, nil
}
