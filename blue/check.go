package blue

import (
	"context"
	"runtime"
	"sync"

	"blue/blue/internal/catalog"
	"blue/blue/internal/git"
	"blue/blue/internal/inspect"
	"blue/blue/internal/note"
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
	var cited []note.Cited
	linked := linkedBeside{p: p}
	files := p.followedFiles()
	for _, row := range p.index.All(false) {
		cited = append(cited, catalog.ExtraOf(row).Files...)
	}
	files.Seek(cited)
	uids := map[string]string{}
	screened := screening{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
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
			screened.look(file.Name, data)
			inspect.Note{Name: file.Name, Data: data, Leads: p.linkedIDs, Later: linked.add, File: linked.addFile, Cited: files.Check, Gone: files.IsMissing, UIDs: uids, Unmarked: p.index.Unmarked}.Text(&c)
		}
	}
	screened.addTo(&c)
	linked.check(ctx, &c)
	inspect.Names(&c, names)
	inspect.ProjectName(&c, p.found.Name, p.found.NameFault)
	if err := p.checkBounds(ctx, &c); err != nil {
		return c, err
	}
	if unknown, differ, known := p.replica().Leftovers(ctx); len(unknown)+known > 0 {
		c.Add(Issue{Kind: reply.IssueOther, File: ".blue/notes", What: reply.DescribeLeftovers(len(unknown), len(differ), known), Remedy: "blue sync --adopt takes in what the notebook does not have; git checkout brought them, and removes them"})
	}
	if loss := p.replica().WorktreeLoss(ctx); loss != "" {
		c.Add(Issue{Kind: reply.IssueBound, What: loss, Remedy: "write what should stay as notes that are not private, or run: blue sync --on"})
	}
	for i := range c.Findings {
		p.showPath(&c.Findings[i].File)
	}
	c.Sort()
	return c, nil
}

// screening looks through files side by side.
type screening struct {
	slots chan struct{} // of those that are looked through at once
	group sync.WaitGroup
	mu    sync.Mutex
	found []Issue
}

func (s *screening) look(name string, data []byte) {
	s.slots <- struct{}{}
	s.group.Go(func() {
		defer func() { <-s.slots }()
		found := inspect.Screen(name, data)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = append(s.found, found...)
	})
}

func (s *screening) addTo(c *Checked) {
	s.group.Wait()
	for _, found := range s.found {
		c.Add(found)
	}
}

// linkedBeside are the commits and documents that notes name, and what to do about those that
// are missing.
type linkedBeside struct {
	p              *Project
	commits, files []string
	noCommit       []func()
	noFile         []func()
}

// add takes a link that may mean one of both.
func (l *linkedBeside) add(to string, missing func()) (taken bool) {
	if hash, isCommit := git.ParseRef(to); isCommit {
		l.commits, l.noCommit = append(l.commits, hash), append(l.noCommit, missing)
		return true
	}
	return l.addFile(to, missing)
}

// addFile takes what may be the path of a document.
func (l *linkedBeside) addFile(path string, missing func()) (taken bool) {
	if taken = l.p.mayBeDocument(path); taken {
		l.files, l.noFile = append(l.files, path), append(l.noFile, missing)
	}
	return taken
}

// check looks them up. Where nobody can tell, nothing is wrong.
func (l *linkedBeside) check(ctx context.Context, c *Checked) {
	titles, unknown := l.p.beside().FindCommits(ctx, l.commits)
	if unknown != "" {
		c.Warnings = append(c.Warnings, "links to commits are not checked: "+unknown)
	}
	for i, hash := range l.commits {
		if _, there := titles[hash]; !there && unknown == "" {
			l.noCommit[i]()
		}
	}
	found, unknown := l.p.beside().FindDocuments(ctx, l.files)
	if unknown != "" {
		c.Warnings = append(c.Warnings, "links to documents are not checked: "+unknown)
	}
	for i, path := range l.files {
		if _, there := found[path]; !there && unknown == "" {
			l.noFile[i]()
		}
	}
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
