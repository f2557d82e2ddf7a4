package mcp

import (
	"context"
	"slices"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

// What a session remembers of the roots that led to projects: when they do so no more, a
// change must not go to another project.

// open opens the project of this call, and remembers which root of the client led to it.
func (c *call) open(ctx context.Context, cwd *string) (*blue.Project, error) {
	if spoiled, _ := c.req.Params.GetMeta()[spoiledKey].(bool); spoiled && cwd == nil {
		return nil, errors.UseFailed()
	}
	p, err := c.d.o.Blue.Open(ctx, c.about(cwd))
	if err == nil {
		c.remember(p.Heard())
	}
	return p, err
}

// maxLed is how many values of roots a session remembers.
const maxLed = 100

// remember keeps which root of the client led to which project.
func (c *call) remember(source marker.Source, value, root string) {
	if c.session == nil || source != marker.Roots && source != marker.Initialize {
		return
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if c.session.led == nil || len(c.session.led) >= maxLed {
		c.session.led = map[string]string{}
	}
	c.session.led[value] = root
	if source == marker.Roots {
		c.session.ledRoots = root
	}
}

// root is what the client says of its roots, for the advice to leave out a bad cwd. A
// client of a session is asked when that is not known yet.
func (c *call) root(ctx context.Context) (all []marker.Candidate) {
	for _, candidate := range slices.Concat(c.roots(), c.candidates(marker.Initialize, nil)) {
		switch {
		case candidate.Ask == nil:
			all = append(all, candidate)
		case c.session != nil:
			if roots, err := candidate.Ask(ctx); err == nil {
				all = append(all, roots...)
			}
		}
	}
	return all
}

// markLed marks the candidates that led to a project before in this session.
func (c *call) markLed(candidates []marker.Candidate) []marker.Candidate {
	if c.session == nil {
		return candidates
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	marked := slices.Clone(candidates)
	for i, candidate := range marked {
		marked[i].Led = c.session.led[candidate.Value]
		if candidate.Outcome == marker.NoAnswer || candidate.Outcome == marker.Empty {
			marked[i].Led = c.session.ledRoots
		}
	}
	return marked
}
