package blue

import (
	"context"
	"fmt"
	"time"

	"blue/blue/internal/inspect"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
)

// noteLimit is how many notes a project is tested with.
const noteLimit = 100_000

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
		if err != nil && !p.leaveOut(file.Name, err) {
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
			inspect.Note{Name: file.Name, Data: data, Leads: p.matchIDs, Cited: files.Check, Unmarked: p.index.Unmarked}.Text(&c)
		}
	}
	inspect.Names(&c, names)
	p.checkProjectName(&c)
	if err := p.checkBounds(ctx, &c); err != nil {
		return c, err
	}
	if loss := p.carried().Loss(ctx); loss != "" {
		c.Add(Issue{Kind: reply.IssueBound, What: loss, Remedy: "write what is to stay as notes that are not private, or: blue sync --on"})
	}
	c.Sort()
	return c, nil
}

// checkProjectName finds a name that replies cannot show as it stands.
func (p *Project) checkProjectName(c *Checked) {
	if fault := p.found.NameFault; fault != "" {
		c.Add(Issue{Kind: reply.IssueBound, File: reply.FileBelow("project.yaml"), What: fmt.Sprintf("the name of the project is shown as %q: %s", p.found.Name, fault),
			Remedy: "give it a short name on one line, after the key name"})
	}
}

// checkBounds looks at what the next write would clear away, and at the number of notes.
func (p *Project) checkBounds(ctx context.Context, c *Checked) error {
	if c.Notes > noteLimit {
		c.Add(Issue{Kind: reply.IssueBound, What: fmt.Sprintf("%d notes are more than the %d that Blue is tested with", c.Notes, noteLimit),
			Remedy: "remove what is superseded, or give parts of the repository a project of their own with blue init"})
	}
	size, err := p.store.HistorySize(ctx)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		c.AddUnreadable("history", err)
	}
	if size > store.HistoryLimit {
		c.Add(Issue{Kind: reply.IssueBound, File: reply.FileBelow("history"), What: fmt.Sprintf("former revisions take %d MiB, the bound is %d MiB", size>>20, store.HistoryLimit>>20),
			Remedy: "a later write removes the oldest; the first and the last one of each note stay whatever their size"})
	}
	trashed, err := p.store.Trash()
	if err != nil {
		c.AddUnreadable("trash", err)
	}
	old := 0
	for _, t := range trashed {
		if p.b.o.Now().Sub(t.Time) > store.TrashAge {
			old++
		}
	}
	if old > 0 {
		c.Add(Issue{Kind: reply.IssueBound, File: reply.FileBelow("trash"), What: fmt.Sprintf("%s removed more than %d days ago", Plural(old, "note"), store.TrashAge/(24*time.Hour)),
			Remedy: "a later write clears them away; blue remove --restore ID brings one back before that"})
	}
	return nil
}
