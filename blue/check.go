package blue

import (
	"context"

	"blue/blue/internal/inspect"
	"blue/blue/internal/reply"
	"blue/errors"
)

// Issue is one thing that a check found.
type Issue = reply.Issue

// Checked is the answer to a check.
type Checked = reply.Checked

// Check looks for what is wrong with the notes of a project, and changes nothing.
// What it finds is no error.
func (p *Project) Check(ctx context.Context) (c Checked, err error) {
	defer p.NameProject(&err)
	c = Checked{About: p.About(), Findings: []Issue{}}
	if err := p.refresh(ctx); err != nil { // links are looked up in the index
		return c, err
	}
	var names []string
	files := p.followedFiles()
	for file, err := range p.store.Files(ctx) {
		if err != nil && !p.left.LeaveOut(file.Name, err) {
			return c, err
		}
		if err != nil {
			c.AddUnreadable(file.Name, err)
			continue
		}
		names = append(names, file.Name)
		if file.Problem != "" {
			inspect.Unserved(&c, file)
			continue
		}
		data, _, err := p.store.Read(file.Name)
		switch {
		case errors.Is(err, errors.NotFound):
		case err != nil:
			c.AddUnreadable(file.Name, err)
		default:
			c.Notes++
			inspect.Note{Name: file.Name, Data: data, Leads: p.linkedIDs, Cited: files.Check, Gone: files.IsMissing, Unmarked: p.index.Unmarked}.Text(&c)
		}
	}
	inspect.Names(&c, names)
	inspect.ProjectName(&c, p.found.Name, p.found.NameFault)
	if err := p.checkBounds(ctx, &c); err != nil {
		return c, err
	}
	if loss := p.carried().Loss(ctx); loss != "" {
		c.Add(Issue{Kind: reply.IssueBound, What: loss, Remedy: "write what should stay as notes that are not private, or run: blue sync --on"})
	}
	c.Sort()
	return c, nil
}

// checkBounds looks at what the next write would clear away, and at the number of notes.
func (p *Project) checkBounds(ctx context.Context, c *Checked) error {
	size, err := p.store.HistorySize(ctx)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		c.AddUnreadable("history", err)
	}
	trashed, err := p.store.Trash()
	if err != nil {
		c.AddUnreadable("trash", err)
	}
	inspect.Bounds(c, size, trashed, p.b.o.Now())
	return nil
}
