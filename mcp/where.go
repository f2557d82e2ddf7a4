package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue/result"
	"blue/errors"
	"blue/mcp/internal/transport"
)

type whereInput struct{ place }

// client describes the caller in the result of blue_where.
type client struct {
	Name         string `json:"name"`
	Version      string `json:"version"`
	Protocol     string `json:"protocol"`
	Capabilities any    `json:"capabilities"`
	Initialize   any    `json:"initialize,omitempty"` // fields outside the schema, as captured
}

func (d *door) addWhere(s *mcp.Server) {
	addBare(d, s, tool{
		verb: "where", title: "Which project", hint: "memory context", kind: kind{reads: true, repeats: true},
		description: "Say which project this is and what notes it has.",
	}, func(ctx context.Context, c *call, in whereInput) (reply, error) {
		if d.o.Host != nil {
			return c.whereHosted(ctx, in)
		}
		w, err := d.o.Blue.Where(ctx, c.about(in.Cwd))
		w.Client = c.client()
		return whereReply{w}, err
	})
}

// whereReply shows a failure like any other if there is no project, with the next steps and the
// reason. Otherwise the project line names the source.
type whereReply struct{ result.Where }

func (w whereReply) Text() string {
	if w.Failure != nil {
		return failureText(w.Failure) + "\n"
	}
	return w.Summary()
}

func (c *call) client() client {
	out := client{Protocol: c.req.ProtocolVersion(), Capabilities: map[string]any{}}
	if info := c.req.ClientInfo(); info != nil {
		out.Name, out.Version = errors.Printable(info.Name), errors.Printable(info.Version)
	}
	said := c.req.Params.Meta[mcp.MetaKeyClientCapabilities]
	if params := c.req.Session.InitializeParams(); !c.modern && params != nil {
		out.Initialize, said = params.Meta[transport.CaptureKey], params.Meta[transport.DeclaredKey]
	}
	if said != nil {
		out.Capabilities = said
	}
	return out
}

// whereHosted reports which project a call means and what it holds.
func (c *call) whereHosted(ctx context.Context, in whereInput) (reply, error) {
	p, err := c.openHosted(ctx, in.Cwd)
	if err != nil {
		return nil, err
	}
	w, err := p.Where(ctx)
	w.Client = c.client()
	return whereReply{w}, err
}
