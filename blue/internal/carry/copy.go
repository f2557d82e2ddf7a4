// Package carry brings the notes of a working copy in line with those of others: where they
// travel, what this machine keeps of the last sync, and what is known without asking anybody.
package carry

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/exchange"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/remote"
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
	IsLocal func(name, revision string) bool        // whether Blue has written it here
	Arrived func(name, revision string) error       // enters in the ledger what has come
	Stamp   func(context.Context) (string, error)   // of the files, once the index is in line with them
	Written func()                                  // brings in line what a sync has written
	Token   func(host string) (remote.Token, error) // by which the server of a host knows the user

	chosen *remote.Address // that the notes travel to, without a URL for the remote of git; nil before it is known
}

// openExchange says what a sync of this project needs to know.
func (c *Copy) openExchange(ctx context.Context, state exchange.State, o Syncing) (*exchange.Exchange, error) {
	x := &exchange.Exchange{
		Store: c.Store, Dir: filepath.Dir(c.StateOf(c.Found.Root)), By: note.ShowWord(c.User), Since: state.Last, Branchy: !c.Found.Carry.OnRef,
		AcceptRemovals: o.AcceptRemovals, NoPush: o.NoPush,
		Lock:    c.Lock,
		IsLocal: c.IsLocal,
		Arrived: func(name, revision string) {
			if err := c.Arrived(name, revision); err != nil {
				c.Log.Warn("ledger not written", "project", c.Found.Root, "err", err)
			}
		},
		Now: c.Now,
	}
	if c.Found.ID != c.Found.Root { // else it has none, and on other machines the root is another
		x.Project = c.Found.ID
	}
	repo, err := ref.Open(ctx, c.Found.Root, c.Env)
	if at := c.server(); at.URL != "" {
		return x, c.openServer(x, at, repo)
	}
	if err != nil {
		return nil, err
	}
	return x, c.openGit(ctx, x, repo)
}

// openGit makes the notes travel on a ref of the repository.
func (c *Copy) openGit(ctx context.Context, x *exchange.Exchange, repo *ref.Repo) error {
	carry := c.Found.Carry
	names := ref.Names{Remote: carry.Remote, Ref: carry.Ref}
	if !repo.HasRemote(carry.Remote) {
		if carry.Remote != marker.DefaultCarry().Remote {
			return errors.NoRemote(carry.Remote)
		}
		names.Remote = ""
	}
	x.Name, x.Ref = names.Remote, names.Ref
	x.Remote = &ref.Notebook{Repo: repo, Names: names, Project: x.Project}
	return c.addWorktrees(ctx, x, repo, names)
}

// openServer makes the notes travel to a server. The repository of the code, nil for none,
// is asked for the texts that its commits have.
func (c *Copy) openServer(x *exchange.Exchange, at remote.Address, repo *ref.Repo) error {
	token, err := c.Token(at.Host())
	if err != nil {
		return err
	}
	x.Name, x.Ref, x.Branchy = at.URL, at.Project, x.Branchy && repo != nil
	x.Remote = remote.Open(remote.Options{At: at, Token: token, Sure: !x.NoPush, Base: strings.TrimSuffix(c.stateFile(), ".json") + ".base", Code: repo})
	return nil
}

// addWorktrees opens the notes that other worktrees of the repository have of this project.
func (c *Copy) addWorktrees(ctx context.Context, x *exchange.Exchange, here *ref.Repo, names ref.Names) error {
	if x.Project == "" {
		return nil
	}
	repos, err := here.Worktrees(ctx)
	for _, repo := range repos {
		if marker.IDOf(repo.Dir()) != x.Project {
			continue
		}
		files, err := store.Open(repo.Dir())
		if err != nil {
			continue // it has no notes that can be read
		}
		other := *x
		other.Remote, other.Store, other.Others, other.Branchy = &ref.Notebook{Repo: repo, Names: names, Project: x.Project}, files, nil, true
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
