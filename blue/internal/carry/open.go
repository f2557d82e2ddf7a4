package carry

import (
	"context"

	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

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
		x.Others = append(x.Others, other)
	}
	return err
}

func closeOthers(x *exchange.Exchange) {
	for _, other := range x.Others {
		_ = other.Store.Close()
	}
}
