package blue

import (
	"context"
	"path/filepath"

	"blue/blue/internal/catalog"
	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Synced is the answer to a sync.
type Synced = reply.Synced

// SyncStatus says how the notes here stand to those of others.
type SyncStatus = reply.SyncStatus

// Syncing says how to sync.
type Syncing struct {
	Branch         string // carry them on this branch, and from now on when that has gone well
	AcceptRemovals bool   // also when others have removed many notes
	NoPush         bool   // only take in what has come
	Known          bool   // only where a person has synced before: a clone must not make a hook reach out
}

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
	state := exchange.LoadState(p.syncFile())
	if o.Known && state.Last.IsZero() {
		return s, nil
	}
	x, err := p.openExchange(ctx, state)
	if err != nil {
		return s, err
	}
	x.AcceptRemovals, x.NoPush = o.AcceptRemovals, o.NoPush
	stamp, err := p.Stamp(ctx)
	if err != nil {
		return s, err
	}
	defer closeOthers(x)
	if s, quiet := p.isQuiet(ctx, x, state, stamp); quiet {
		state.Last, state.Behind, state.Newest = p.b.o.Now(), 0, p.newest()
		p.keepState(state)
		return s, nil
	}
	s, err = x.Run(ctx)
	if len(s.Came)+len(s.Removed) > 0 {
		p.indexWritten(catalog.Document)
	}
	s.About = p.About()
	if err != nil {
		return s, err
	}
	if x.Names.Remote == "" || s.Synced {
		state = exchange.State{Last: p.b.o.Now(), Commit: s.Head, Newest: p.newest(), Withheld: s.Withheld}
		if len(s.Came)+len(s.Removed) == 0 {
			state.Stamp = stamp // and no other: somebody may write meanwhile
		}
		p.keepState(state)
	}
	return s, nil
}

// isQuiet reports whether nothing has changed on either side since the last sync. Whatever
// fails in looking is left to the sync to say.
func (p *Project) isQuiet(ctx context.Context, x *exchange.Exchange, state exchange.State, stamp string) (Synced, bool) {
	s := reply.NewSynced()
	s.About, s.Remote, s.Ref, s.Head, s.Synced = p.About(), x.Names.Remote, x.Names.Ref, state.Commit, x.Names.Remote != ""
	if state.Commit == "" || state.Stamp != stamp || len(state.Withheld) > 0 || len(x.Others) > 0 {
		return s, false
	}
	quiet, err := x.Quiet(ctx, state.Commit)
	return s, err == nil && quiet
}

// openExchange says what a sync of this project needs to know.
func (p *Project) openExchange(ctx context.Context, state exchange.State) (*exchange.Exchange, error) {
	repo, err := ref.Open(ctx, p.found.Root, p.b.o.Env)
	if err != nil {
		return nil, err
	}
	carry := p.found.Carry
	names := ref.Names{Remote: carry.Remote, Ref: carry.Ref}
	if !repo.HasRemote(carry.Remote) {
		if carry.Remote != marker.DefaultCarry().Remote {
			return nil, errors.NoRemote(carry.Remote)
		}
		names.Remote = ""
	}
	id := p.found.ID
	if id == p.found.Root { // it has none, and on other machines the root is another
		id = ""
	}
	x := &exchange.Exchange{
		Repo: repo, Names: names, Store: p.store, Project: id, By: note.ShowWord(p.b.o.User), Since: state.Last, Branchy: !carry.OnRef,
		Lock:    p.lockNotes,
		IsLocal: p.isLocal,
		Arrived: func(name, revision, author string) {
			if err := p.ledger.RecordSynced(name, revision, author); err != nil {
				p.b.o.Log.Warn("ledger not written", "project", p.found.Root, "err", err)
			}
		},
		Now: p.b.o.Now,
	}
	return x, p.addWorktrees(ctx, x)
}

// addWorktrees opens the notes that other worktrees of the repository have of this project.
func (p *Project) addWorktrees(ctx context.Context, x *exchange.Exchange) error {
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

// SyncsSessions reports whether the hooks of clients are to carry the notes.
func (p *Project) SyncsSessions() bool { return p.found.Carry.Session }

// syncFile is where this machine keeps what it knows of the last sync.
func (p *Project) syncFile() string {
	return filepath.Join(p.b.Directory("state"), "sync", rootKey(p.found.ID, p.found.Root)+".json")
}

func (p *Project) keepState(s exchange.State) {
	if err := s.Save(p.syncFile()); err != nil {
		p.b.o.Log.Warn("state of the sync not kept", "project", p.found.Root, "err", err)
	}
}
