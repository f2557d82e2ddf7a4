package carry

import (
	"context"
	"fmt"
	"path/filepath"

	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
)

// Status asks the remote, and counts what a sync would carry.
func (c *Copy) Status(ctx context.Context) (s reply.SyncStatus, err error) {
	if !c.Found.Notebook {
		return s, errors.WithCode(c.Found.Carry.Mode == marker.OldRef)
	}
	state := c.loadState()
	x, done, err := c.openExchange(ctx, state, Syncing{NoPush: true})
	if err != nil {
		return s, err
	}
	defer done()
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

// describe reports the status from what this machine has: ahead counts what Blue has written
// since the last sync, behind is the remote's last known count.
func (c *Copy) describe(state exchange.State) reply.SyncStatus {
	s := reply.SyncStatus{Mode: "notebook", Remote: c.Found.Carry.Remote, Ref: c.Found.Carry.Ref, Behind: state.Behind, Conflicts: []reply.Clash{}, Withheld: state.Withheld, Unfetched: !c.Found.Fetched}
	if at := c.server(); at.URL != "" {
		s.Remote, s.Ref = at.URL, at.Project
	}
	if !state.Last.IsZero() {
		s.Last = &state.Last
	}
	_ = c.Store.Spares(func(name string, _ []byte, removed bool) error {
		if !note.IsPrivate(name) {
			s.Ahead++
		}
		return nil
	})
	s.Conflicts = append(s.Conflicts, c.Notes.Conflicts("")...)
	return s.At(c.Now())
}

// Known is what is known without asking anybody: nil where the notes travel with the code.
func (c *Copy) Known() *reply.SyncStatus {
	if !c.Found.Notebook {
		return nil
	}
	s := c.describe(c.loadState())
	return &s
}

// Loss says what goes with a linked worktree that has notes of its own when git
// removes it: git asks for files that it does not ignore alone. It is empty when nothing
// does.
func (c *Copy) Loss(ctx context.Context) string {
	below, err := filepath.Rel(c.Found.Worktree, c.Found.Root)
	if c.Found.Worktree == "" || err != nil || !filepath.IsLocal(below) || c.Found.Notebook {
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
	text := ""
	if private > 0 {
		text = reply.Plural(private, "private note")
	}
	if size > 0 {
		if text != "" {
			text += " and "
		}
		text += fmt.Sprintf("%d KiB of earlier revisions", (size+1023)>>10)
	}
	return text + " would be deleted by git worktree remove, because this linked worktree keeps its notes itself; `blue sync --on` keeps those of all worktrees in one place"
}
