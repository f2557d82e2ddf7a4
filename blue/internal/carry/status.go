package carry

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/marker"
)

// Status asks the remote, and counts what a sync would carry.
func (c *Copy) Status(ctx context.Context) (s reply.SyncStatus, err error) {
	state := c.loadState()
	x, err := c.openExchange(ctx, state, Syncing{NoPush: true})
	if err != nil {
		return s, err
	}
	defer closeOthers(x)
	if _, err := c.Stamp(ctx); err != nil {
		return s, err
	}
	s = c.describe(state)
	s.Remote = x.Name
	if s.Ahead, s.Behind, s.Withheld, err = x.Status(ctx); err != nil {
		return s, err
	}
	if !state.Last.IsZero() {
		state.Behind = s.Behind
		c.keepState(state)
	}
	return s, nil
}

// describe is what is known without asking anybody: what was written since the last
// sync is ahead, what others had changed when they were asked last is behind.
func (c *Copy) describe(state exchange.State) reply.SyncStatus {
	s := reply.SyncStatus{Mode: "worktree", Remote: c.Found.Carry.Remote, Ref: c.Found.Carry.Ref, Behind: state.Behind, Conflicts: []reply.Clash{}, Withheld: state.Withheld}
	if c.Found.Carry.OnRef {
		s.Mode = "ref"
	}
	if at := c.server(); at.URL != "" {
		s.Remote, s.Ref = at.URL, at.Project
	}
	if !state.Last.IsZero() {
		s.Last = &state.Last
	}
	for name, stamp := range c.Notes.Stamps() {
		if !note.IsPrivate(name) && touched(stamp).After(state.Newest[0]) {
			s.Ahead++
		}
	}
	trashed, _ := c.Store.Trash() // what cannot be read, a check names
	for _, t := range trashed {
		if !note.IsPrivate(t.Name) && t.Time.After(state.Newest[1]) && !state.Last.IsZero() {
			s.Ahead++
		}
	}
	s.Conflicts = append(s.Conflicts, c.Notes.Conflicts("")...)
	return s.At(c.Now())
}

// Known is what is known without asking anybody: nil where nobody has synced and no
// project.yaml speaks of it.
func (c *Copy) Known() *reply.SyncStatus {
	state := c.loadState()
	if state.Last.IsZero() && !c.Found.Carry.OnRef {
		return nil
	}
	s := c.describe(state)
	return &s
}

// SetMode makes the notes travel on a ref of their own from now on, or with the code.
func (c *Copy) SetMode(ctx context.Context, onRef bool) (s reply.SyncStatus, err error) {
	held, err := c.Lock(ctx)
	if err != nil {
		return s, err
	}
	defer held.Unlock()
	if err := marker.SetCarry(c.Found.Root, "notes", map[bool]string{true: "ref", false: "worktree"}[onRef]); err != nil {
		return s, err
	}
	c.Found.Carry.OnRef = onRef
	if _, err := c.Stamp(ctx); err != nil {
		return s, err
	}
	s = c.describe(c.loadState())
	s.Next = c.nextSteps(ctx)
	return s, nil
}

// nextSteps are what a person has to do in git once the notes travel another way.
func (c *Copy) nextSteps(ctx context.Context) []string {
	steps := []string{"commit .blue/project.yaml and .blue/.gitignore, so that others do the same"}
	if !c.Found.Carry.OnRef {
		return append(steps, "git add .blue/notes, and commit, puts the notes into the code's commits again")
	}
	if n := c.countTracked(ctx); n > 0 {
		steps = append(steps, "git still tracks "+reply.Plural(n, "note")+": git rm -r --cached .blue/notes, and commit; the files stay here, and blue sync brings them back where a pull removes them")
	}
	return append(steps, "blue sync, in place of this command from now on")
}

// countTracked counts the notes that the code's commits hold.
func (c *Copy) countTracked(ctx context.Context) int {
	repo, err := ref.Open(ctx, c.Found.Root, c.Env)
	if err != nil {
		return 0
	}
	return repo.CountTracked(ctx, filepath.Join(marker.Name, "notes"))
}

// Loss says what goes with a linked worktree that has notes of its own when git
// removes it: git asks for files that it does not ignore alone. It is empty when nothing
// does.
func (c *Copy) Loss(ctx context.Context) string {
	below, err := filepath.Rel(c.Found.Worktree, c.Found.Root)
	if c.Found.Worktree == "" || err != nil || !filepath.IsLocal(below) {
		return ""
	}
	private := 0
	for name := range c.Notes.Stamps() {
		if note.IsPrivate(name) {
			private++
		}
	}
	size, _ := c.Store.HistorySize(ctx) // what cannot be read, a check names
	if private == 0 && size == 0 {
		return ""
	}
	var parts []string
	if private > 0 {
		parts = append(parts, reply.Plural(private, "private note"))
	}
	if size > 0 {
		parts = append(parts, fmt.Sprintf("%d KiB of earlier revisions", (size+1023)>>10))
	}
	return fmt.Sprintf("%s would be deleted by git worktree remove, because this linked worktree keeps its notes itself; `blue sync --on` keeps those of all worktrees in one place", strings.Join(parts, " and "))
}
