package mcp

import (
	"context"
	"net/url"
	"slices"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// openHosted opens the project that the call means, if its caller may see it.
func (c *call) openHosted(ctx context.Context, cwd *string) (*blue.Project, error) {
	names, err := c.projectNames()
	if err != nil {
		return nil, err
	}
	p, err := c.d.o.Host.Open(ctx, blue.Asked{Caller: c.caller, Names: names, Cwd: cwd, Client: shownClient(c.name)})
	if err == nil {
		c.project = p.Ref().Name
	}
	return p, err
}

// projectNames returns the names that this call has for its project, in order of precedence.
func (c *call) projectNames() (names []blue.NamedProject, err error) {
	if c.session != nil {
		c.session.mu.Lock()
		used := c.session.use
		c.session.mu.Unlock()
		if used != "" {
			names = append(names, blue.NamedProject{Source: marker.Use, Value: used})
		}
	}
	said, err := namesSaid(c.said)
	return append(names, said...), err
}

// namesSaid returns the projects that the URL and the headers of a request name.
func namesSaid(said transport.Said) (names []blue.NamedProject, err error) {
	query, err := url.ParseQuery(said.Query)
	if err != nil {
		return nil, errors.BadValue("project", "a query that cannot be decoded", "?project=NAME, with % written as %25")
	}
	for _, value := range slices.Concat(query["project"], said.Header) {
		if value != "" {
			names = append(names, blue.NamedProject{Source: marker.Query, Value: value})
		}
	}
	return names, nil
}

// shownClient returns the name of a client in one line, as the audit log shows it.
func shownClient(name string) string { return errors.Short(name, 100) }
