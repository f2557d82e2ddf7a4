package marker

import (
	"context"
	"slices"

	"blue/errors"
)

// Found is the project of a call, and why it is that one.
type Found struct {
	Root     string // physical path
	ID       string // of project.yaml, else Root
	Name     string // of project.yaml, else the base name of Root; short and visible: to show, never to compare
	Worktree string // top of the linked worktree that the start lies in, empty for none
	Source   Source
	Start    string // the physical directory that the walk began in
	Value    string // of the source, as heard
	Lost     string // the project that the roots of the session led to before, and do no more
	Near     string // the nearest existing directory, when what the source names does not exist yet

	OtherRoots []string // further projects that the same list led to
	Trace      []Tried
	Warnings   []string // what is wrong with project.yaml, with file and line
	NameFault  string   // why the name in project.yaml is shown otherwise than it stands there

	Device, Inode uint64 // of the marker: another pair at the same Root is another project
}

// same reports whether both are one project, by whatever path.
func (f Found) same(other Found) bool {
	return f.Root == other.Root || f.Inode != 0 && f.Device == other.Device && f.Inode == other.Inode
}

// win makes f the answer of the call.
func (c *chooser) win(h Candidate, f Found) {
	c.won, c.found, c.field = true, f, h.Field
	if c.lost != "" && c.lost != f.Root {
		c.found.Lost = c.lost
		c.found.Warnings = append(slices.Clone(f.Warnings), "the roots of this session led to "+errors.Short(c.lost, 200)+" before and do no more; this project was named by another source")
	}
	c.found.Source, c.found.Value = h.Source, h.Value
	c.known = []Found{f}
}

// beside reports whether h stands in the list that the winner came from.
func (c *chooser) beside(h Candidate) bool {
	return h.Source == c.found.Source && h.Source.listed() && h.Field == c.field
}

// below looks at what comes after the winner: it changes nothing but the trace
// and the list of other roots.
func (c *chooser) below(ctx context.Context, h Candidate) error {
	outcome := Outranked
	switch {
	case c.beside(h):
		outcome = OtherProject
	case !c.rules.Survey:
		return nil
	}
	c.reach(slices.Index(chain, h.Source))
	c.entries++
	if settled, _ := c.settled(h); settled != "" || c.beyond(h.Source) {
		return nil
	}
	a, err := c.examine(ctx, h)
	if err != nil {
		return err
	}
	if a.outcome == Unusable && a.final && outcome == OtherProject {
		c.add(h, Unusable, a.detail)
	}
	if a.outcome != Used || slices.ContainsFunc(c.known, a.found.same) {
		return nil
	}
	c.known = append(c.known, a.found)
	c.add(h, outcome, a.found.Root)
	if outcome == OtherProject {
		c.found.OtherRoots = append(c.found.OtherRoots, a.found.Root)
	}
	return nil
}
