package blue

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/carry"
	"blue/blue/internal/catalog"
	"blue/blue/internal/remote"
	"blue/blue/internal/reply"
	"blue/blue/token"
	"blue/errors"
	"blue/marker"
)

// Synced is the answer to a sync.
type Synced = reply.Synced

// SyncStatus says how the notes here stand to those of others.
type SyncStatus = reply.SyncStatus

// Syncing says how to sync.
type Syncing = carry.Syncing

// Sync carries notes: those of others come here, those of here go to them.
func (p *Project) Sync(ctx context.Context, o Syncing) (s Synced, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	if o.Branch != "" {
		if p.found.Carry.Ref = "refs/heads/" + o.Branch; !marker.IsCarryRef(p.found.Carry.Ref) {
			return s, errors.BadRef(o.Branch)
		}
		defer func() {
			if err == nil {
				err = marker.SetCarry(p.found.Root, "ref", p.found.Carry.Ref)
			}
		}()
	}
	s, err = p.carried().Sync(ctx, o)
	if err == nil {
		s.Conflicts = append([]Clash{}, p.index.Conflicts("")...)
	}
	s.About = p.About()
	return s, err
}

// carried is the working copy of which the notes travel.
func (p *Project) carried() *carry.Copy {
	return &carry.Copy{
		Found: p.found, Store: p.opened.store, Notes: p.index, StateOf: func(root string) string { return p.b.syncFile(p.found.ID, root) }, User: p.b.o.User, Env: p.b.o.Env, Now: p.b.o.Now, Log: p.b.o.Log,
		Lock: p.lockNotes, IsLocal: p.isHere, Arrived: p.arrived, Stamp: p.Stamp, Written: func() { p.indexWritten(catalog.Document) }, Token: p.b.serverToken,
	}
}

// SyncStatus asks the remote, and counts what a sync would carry.
func (p *Project) SyncStatus(ctx context.Context) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	s, err = p.carried().Status(ctx)
	s.About = p.About()
	return s, err
}

// SetSync says how the notes of the project travel from now on: on a ref of their own, or
// with the code. It says what a person has to do for it in git.
func (p *Project) SetSync(ctx context.Context, onRef bool) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	s, err = p.carried().SetMode(ctx, onRef)
	s.About = p.About()
	return s, err
}

// SyncsSessions reports whether the hooks of clients are to carry the notes.
func (p *Project) SyncsSessions() bool { return p.found.Carry.Session }

// syncFile is where this machine keeps what it knows of the last sync of a working copy.
func (b *Blue) syncFile(id, root string) string {
	return filepath.Join(b.Directory("state"), "sync", rootKey(id, root)+".json")
}

// serverToken reads the token by which the server of a host knows the user: the first of a
// file that has the name of the host, so that no other server is told of it.
func (b *Blue) serverToken(host string) (remote.Token, error) {
	t := remote.Token{File: filepath.Join(b.Directory("config"), "servers", strings.ReplaceAll(strings.ToLower(host), ":", "_"))}
	if _, err := os.Lstat(t.File); errors.Is(err, fs.ErrNotExist) {
		return t, nil // the server says whether it wants one
	}
	tokens, _, err := token.Read(t.File)
	if err == nil {
		t.Text = tokens[0]
	}
	return t, err
}
