// Package carry brings the notes of a working copy in line with those of others: where they
// travel, what this machine keeps of the last sync, and what is known without asking anybody.
package carry

import (
	"context"
	"log/slog"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/exchange"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Copy is the working copy of a project, whose notes travel.
type Copy struct {
	Found   marker.Found
	Store   *store.Store
	Notes   catalog.Notes
	StateOf func(root string) string // the file of what this machine keeps of the last sync of a root
	User    string                   // who removes notes here
	Env     func(string) string
	Now     func() time.Time
	Log     *slog.Logger
	Lock    func(context.Context) (*store.Held, error)
	IsLocal func(name, revision string) bool          // whether Blue has written it here
	Arrived func(name, revision, author string) error // enters in the ledger what has come
	Stamp   func(context.Context) (string, error)     // of the files, once the index is in line with them
	Written func()                                    // brings in line what a sync has written
}

// openExchange says what a sync of this project needs to know.
func (c *Copy) openExchange(ctx context.Context, state exchange.State) (*exchange.Exchange, error) {
	repo, err := ref.Open(ctx, c.Found.Root, c.Env)
	if err != nil {
		return nil, err
	}
	carry := c.Found.Carry
	names := ref.Names{Remote: carry.Remote, Ref: carry.Ref}
	if !repo.HasRemote(carry.Remote) {
		if carry.Remote != marker.DefaultCarry().Remote {
			return nil, errors.NoRemote(carry.Remote)
		}
		names.Remote = ""
	}
	id := c.Found.ID
	if id == c.Found.Root { // it has none, and on other machines the root is another
		id = ""
	}
	x := &exchange.Exchange{
		Repo: repo, Names: names, Store: c.Store, Project: id, By: note.ShowWord(c.User), Since: state.Last, Branchy: !carry.OnRef,
		Lock:    c.Lock,
		IsLocal: c.IsLocal,
		Arrived: func(name, revision, author string) {
			if err := c.Arrived(name, revision, author); err != nil {
				c.Log.Warn("ledger not written", "project", c.Found.Root, "err", err)
			}
		},
		Now: c.Now,
	}
	return x, c.addWorktrees(ctx, x)
}

// addWorktrees opens the notes that other worktrees of the repository have of this project.
func (c *Copy) addWorktrees(ctx context.Context, x *exchange.Exchange) error {
	if x.Project == "" {
		return nil
	}
	repos, err := x.Repo.Worktrees(ctx)
	for _, repo := range repos {
		if marker.IDOf(repo.Dir()) != x.Project {
			continue
		}
		files, err := store.Open(repo.Dir())
		if err != nil {
			continue // it has no notes that can be read
		}
		other := *x
		other.Repo, other.Store, other.Others, other.Branchy = repo, files, nil, true
		other.Since = exchange.LoadState(c.StateOf(repo.Dir())).Last
		leads, _ := marker.Find(ctx, marker.Rules{}, repo.Dir()) // where it fails, nothing is moved
		other.UsesOurs = leads == c.Found.Root
		x.Others = append(x.Others, other)
	}
	return err
}

func closeOthers(x *exchange.Exchange) {
	for _, other := range x.Others {
		_ = other.Store.Close()
	}
}

// newest are the times of the newest file and of the newest one in the trash, by the clock
// of the disk.
func (c *Copy) newest() (times [2]time.Time) {
	for _, stamp := range c.Notes.Stamps() {
		if at := touched(stamp); at.After(times[0]) {
			times[0] = at
		}
	}
	if trashed, err := c.Store.Trash(); err == nil && len(trashed) > 0 {
		times[1] = trashed[0].Time
	}
	return times
}

func touched(s index.Stamp) time.Time { return time.Unix(0, max(s.ModTime, s.ChangeTime)) }

func (c *Copy) loadState() exchange.State { return exchange.LoadState(c.StateOf(c.Found.Root)) }

func (c *Copy) keepState(s exchange.State) {
	if err := s.Save(c.StateOf(c.Found.Root)); err != nil {
		c.Log.Warn("state of the sync not kept", "project", c.Found.Root, "err", err)
	}
}
