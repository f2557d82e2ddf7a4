package notebook

import (
	"context"
	"runtime"
	"sync"

	"blue/blue/internal/anchor"
	"blue/blue/internal/git"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/errors"
)

// Check looks for what is wrong with the notes of a project, and changes nothing.
// What it finds is no error.
func (nb *Notebook) Check(ctx context.Context) (c result.Checked, err error) {
	defer nb.NameProject(&err)
	c = result.Checked{About: nb.About(), Findings: []result.Issue{}}
	if err := nb.refresh(ctx); err != nil { // links are looked up in the index
		return c, err
	}
	var names []string
	var cited []note.Cited
	all := checker{nb: nb, cited: nb.followedFiles(), uids: map[string]string{}}
	for _, row := range nb.index.All(false) {
		cited = append(cited, ExtraOf(row).Files...)
	}
	all.cited.Seek(cited)
	screened := screening{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	for file, err := range nb.store.Files(ctx) {
		if err != nil && !nb.left.LeaveOut(file.Name, err) {
			return c, err
		}
		if err != nil {
			c.AddUnreadable(file.Name, err)
			continue
		}
		names = append(names, file.Name)
		if file.Problem != "" {
			addUnserved(&c, file)
			continue
		}
		data, _, err := nb.store.Read(file.Name)
		switch {
		case errors.Is(err, errors.NotFound):
		case err != nil:
			c.AddUnreadable(file.Name, err)
		default:
			c.Notes++
			screened.look(file.Name, data)
			lint{&all, file.Name, data}.text(&c)
		}
	}
	screened.addTo(&c)
	all.check(ctx, &c)
	checkNames(&c, names)
	if err := nb.checkBounds(ctx, &c); err != nil {
		return c, err
	}
	if unknown, differ, known := nb.replica().Leftovers(ctx); len(unknown)+known > 0 {
		c.Add(result.Issue{Kind: result.IssueOther, File: ".blue/notes", What: result.DescribeLeftovers(len(unknown), len(differ), known), Remedy: "blue sync --adopt takes in what the notebook does not have; git checkout brought them, and removes them"})
	}
	if loss := nb.replica().WorktreeLoss(ctx); loss != "" {
		c.Add(result.Issue{Kind: result.IssueBound, What: loss, Remedy: "write what should stay as notes that are not private, or run: blue sync --on"})
	}
	for i := range c.Findings {
		nb.showPath(&c.Findings[i].File)
	}
	c.Sort()
	return c, nil
}

// screening looks through files side by side.
type screening struct {
	slots chan struct{} // of those that are looked through at once
	group sync.WaitGroup
	mu    sync.Mutex
	found []result.Issue
}

func (s *screening) look(name string, data []byte) {
	s.slots <- struct{}{}
	s.group.Go(func() {
		defer func() { <-s.slots }()
		found := screenNote(name, data)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.found = append(s.found, found...)
	})
}

func (s *screening) addTo(c *result.Checked) {
	s.group.Wait()
	for _, found := range s.found {
		c.Add(found)
	}
}

// checker is what one check knows of all notes: the files that they cite, and the commits and
// documents that they name, with what to do about those that are missing.
type checker struct {
	nb             *Notebook
	cited          *anchor.Files
	uids           map[string]string // the files of the notes before, by their directory and identity
	commits, files []string
	noCommit       []func()
	noFile         []func()
}

// add takes a link that may mean one of both.
func (l *checker) add(to string, missing func()) (taken bool) {
	if hash, isCommit := git.ParseRef(to); isCommit {
		l.commits, l.noCommit = append(l.commits, hash), append(l.noCommit, missing)
		return true
	}
	return l.addFile(to, missing)
}

// addFile takes what may be the path of a document.
func (l *checker) addFile(path string, missing func()) (taken bool) {
	if taken = l.nb.mayBeDocument(path); taken {
		l.files, l.noFile = append(l.files, path), append(l.noFile, missing)
	}
	return taken
}

// check looks them up. Where nobody can tell, nothing is wrong.
func (l *checker) check(ctx context.Context, c *result.Checked) {
	titles, unknown := l.nb.beside().FindCommits(ctx, l.commits)
	if unknown != "" {
		c.Warnings = append(c.Warnings, "links to commits are not checked: "+unknown)
	}
	for i, hash := range l.commits {
		if _, there := titles[hash]; !there && unknown == "" {
			l.noCommit[i]()
		}
	}
	found, unknown := l.nb.beside().FindDocuments(ctx, l.files)
	if unknown != "" {
		c.Warnings = append(c.Warnings, "links to documents are not checked: "+unknown)
	}
	for i, path := range l.files {
		if _, there := found[path]; !there && unknown == "" {
			l.noFile[i]()
		}
	}
}
