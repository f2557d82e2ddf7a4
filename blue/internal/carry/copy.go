// Package carry keeps the notebook of a project in line with those of others: where its notes
// lie and travel, what this machine keeps of the last sync, and what is known without asking
// anybody.
package carry

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/remote"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Copy is the notes of a project on this machine.
type Copy struct {
	Found   marker.Found
	Store   *store.Store
	Notes   catalog.Notes
	State   string // the file of what this machine keeps of the last sync
	User    string // who removes notes here
	Env     func(string) string
	Now     func() time.Time
	Log     *slog.Logger
	Lock    func(context.Context) (*store.Held, error)
	Arrived func(name, revision string) error       // enters in the ledger what has come
	Stamp   func(context.Context) (string, error)   // of the files, once the index is in line with them
	Written func()                                  // brings in line what a sync has written
	Token   func(host string) (remote.Token, error) // by which the server of a host knows the user

	chosen *remote.Address // that the notes travel to, without a URL for the remote of git; nil before it is known
}

// openExchange says what a sync of this project needs to know; done gives up what it has opened.
func (c *Copy) openExchange(ctx context.Context, state exchange.State, o Syncing) (x *exchange.Exchange, done func(), err error) {
	x = &exchange.Exchange{
		Store: c.Store, Rows: c.Notes.Row, Dir: filepath.Dir(c.State), By: note.ShowWord(c.User),
		AcceptRemovals: o.AcceptRemovals, NoPush: o.NoPush, Offline: o.offline,
		Lock: c.Lock,
		Arrived: func(name, revision string) {
			if err := c.Arrived(name, revision); err != nil {
				c.Log.Warn("ledger not written", "project", c.Found.Root, "err", err)
			}
		},
		Now: c.Now,
	}
	if state.Commit != "" {
		x.Told = maps.Collect(func(yield func(string, bool) bool) {
			for _, file := range state.Told {
				if !yield(file, true) {
					return
				}
			}
		})
	}
	if c.Found.ID != c.Found.Root { // else it has none, and on other machines the root is another
		x.Project = c.Found.ID
	}
	if at := c.server(); at.URL != "" {
		token, err := c.Token(at.Host())
		if err != nil {
			return nil, nil, err
		}
		server := remote.Open(remote.Options{At: at, Token: token, Sure: !x.NoPush, Base: c.snapshotFile()})
		x.Name, x.Ref, x.Remote = at.URL, at.Project, server
		return x, server.Close, nil
	}
	return x, func() {}, c.openGit(ctx, x)
}

// openGit makes the notes travel on a ref of the repository.
func (c *Copy) openGit(ctx context.Context, x *exchange.Exchange) error {
	repo, err := ref.Open(ctx, c.Found.Root, c.Env)
	if err != nil {
		return err
	}
	carry := c.Found.Carry
	names := ref.Names{Remote: carry.Remote, Ref: carry.Ref}
	if !repo.HasRemote(carry.Remote) {
		if carry.Remote != marker.DefaultCarry().Remote {
			return errors.NoRemote(carry.Remote)
		}
		names.Remote = ""
	}
	x.Name, x.Ref = names.Remote, names.Ref
	x.Remote = &ref.Notebook{Repo: repo, Names: names, Project: x.Project, File: c.snapshotFile()}
	return nil
}

// snapshotFile is the file of what the files were last in line with.
func (c *Copy) snapshotFile() string { return strings.TrimSuffix(c.stateFile(), ".json") + ".base" }
