package mcp

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

type useInput struct {
	place
	Project *string `json:"project,omitempty" jsonschema:"its name, or path"`
}

type used struct{ result.About }

func (u used) Text() string {
	if u.Project.Root == "" {
		return fmt.Sprintf("Switched to project '%s'.\n", result.CutName(u.Project.Name)) + u.Lines()
	}
	return fmt.Sprintf("Switched to project '%s' at %s.\n", result.CutName(u.Project.Name), u.Project.Root) + u.Lines()
}

// unchosen is the result of blue_use without arguments.
type unchosen struct {
	result.About
	former string // what was chosen before
}

func (u unchosen) Text() string {
	text := "No project was chosen"
	if u.former != "" {
		text = "The choice of " + errors.Quote(u.former) + " has ended"
	}
	if u.Project == nil {
		return text + ", and no other source leads to a project: pass cwd in each call.\n"
	}
	return text + ".\n" + u.Lines()
}

func (d *door) addUse(s *mcp.Server) {
	addBare(d, s, tool{
		verb: "use", title: "Switch project", hint: "memory project", kind: kind{repeats: true},
		description: "Make a project the default of this session; without arguments, end that. cwd in a call wins.",
	}, d.use)
}

// use binds the session to a directory or a named project; it fails if that leads to no
// project. Without arguments it ends an earlier choice.
func (d *door) use(ctx context.Context, c *call, in useInput) (reply, error) {
	if c.session == nil {
		return nil, errors.SessionMissing()
	}
	if d.o.Host != nil && (in.Project != nil || in.Cwd != nil) {
		return c.useHosted(ctx, in)
	}
	dir, err := c.chosenDirectory(ctx, in)
	if err != nil {
		return nil, err
	}
	if dir == nil {
		return c.endUse(ctx)
	}
	p, err := d.o.Blue.Open(ctx, blue.Call{
		Cwd: d.o.Dir, Allowed: d.allowed, Client: c.name, Log: c.log, Door: marker.Door{Choosing: true},
		From: slices.Values([]marker.Candidate{{Source: marker.Use, Value: *dir}}),
	})
	if err != nil {
		if e := errors.Of(err); e.Kind == errors.BadPath || e.Kind == errors.NotDetected {
			e.Hints = []errors.Hint{{Text: "give blue_use the absolute path of the project's directory"}}
		}
		return nil, c.offerProjects(ctx, err)
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.use = *dir
	c.session.memory.Accept(p.Found)
	return used{p.About()}, nil
}

// chosenDirectory returns the directory that blue_use names, nil if it names none.
func (c *call) chosenDirectory(ctx context.Context, in useInput) (*string, error) {
	switch name := in.Project; {
	case name == nil:
		return in.Cwd, nil
	case in.Cwd != nil:
		return nil, errors.Exclusive("cwd", "project")
	case marker.NamesPath(*name):
		return name, nil
	}
	root, err := c.d.o.Blue.FindProject(ctx, blue.Call{Allowed: c.d.allowed}, *in.Project, c.openRoots(ctx))
	return &root, err
}

// endUse ends the choice of blue_use and returns the project that applies without it.
func (c *call) endUse(ctx context.Context) (reply, error) {
	c.session.mu.Lock()
	former := c.session.use
	c.session.use = ""
	c.session.mu.Unlock()
	p, err := c.open(ctx, nil)
	if err != nil { // finding no project is no failure of this call
		return unchosen{former: former}, nil
	}
	return unchosen{p.About(), former}, nil
}

const maxOffered = 600 // bytes of paths in the text of an offer

// offerProjects adds the client's open projects to a failure about a value that is not a path:
// a model may know a project by its name only.
func (c *call) offerProjects(ctx context.Context, err error) error {
	e := errors.Of(err)
	failed, ok := e.Detail.(marker.Failure)
	if !ok || e.Kind != errors.BadPath {
		return err
	}
	open := c.openRoots(ctx)
	if len(open) == 0 {
		return err
	}
	failed.Candidates = open
	return e.With(failed).Hint("", "", "pass one of the client's projects as cwd: "+errors.Paths(open, maxOffered))
}

// openRoots returns the roots of the projects that the client's roots lead to. It asks the
// client for its roots if they are unknown.
func (c *call) openRoots(ctx context.Context) []string {
	said := slices.Concat(c.roots(), c.candidates(marker.Initialize, nil))
	if len(said) == 0 {
		return nil
	}
	p, err := c.d.o.Blue.Open(ctx, blue.Call{
		Cwd: c.d.o.Dir, Allowed: c.d.allowed, Client: c.name, Log: c.log, From: slices.Values(said),
	})
	if err != nil {
		return nil
	}
	return append([]string{p.Root()}, p.About().OtherRoots...)
}

// useHosted binds the session to a named project of the server.
func (c *call) useHosted(ctx context.Context, in useInput) (reply, error) {
	a := blue.Asked{Caller: c.caller, Cwd: in.Cwd, Client: shownClient(c.name)}
	if in.Project != nil {
		a.Names = []blue.NamedProject{{Source: marker.Use, Value: *in.Project}}
	}
	p, err := c.d.o.Host.Open(ctx, a)
	if err != nil {
		return nil, err
	}
	c.project = p.Ref().Name
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	c.session.use = c.project
	return used{p.About()}, nil
}
