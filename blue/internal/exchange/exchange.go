// Package exchange brings the notes of a working copy in line with those that others keep
// on a ref: it reads the files, merges them with what has come, writes files, and pushes.
//
// One round goes so, and whatever ends the process in it, the next one goes on:
//
//	files ─► tree ─┐
//	ref of others ─┴► merged ─► files ─► refs here ─► push ─► read the remote again
//
// The files are written before the refs move: until then the commit that they were last in
// line with (the base) is the old one, and what has been written already is seen as
// changed on both sides alike. Only a removal through Blue, which leaves the note in the
// trash, removes a note for others; a file that is gone otherwise comes back.
package exchange

import (
	"context"
	"math/rand/v2"
	"time"

	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
	"blue/errors"
)

const (
	tries = 6                      // rounds: others may push meanwhile
	pause = 150 * time.Millisecond // before the second round, at most; twice as long before each after
)

// Exchange is one sync of one working copy.
type Exchange struct {
	Repo    *ref.Repo
	Names   ref.Names
	Store   *store.Store
	Project string    // its id, empty when it has none that others share
	By      string    // who removes notes here
	Since   time.Time // when the last sync of this working copy that ended well began
	Branchy bool      // the code's branches carry the files too, and a checkout may make them old

	Others   []Exchange // of the other worktrees, to be read
	UsesOurs bool       // of another worktree: Blue works with the notes of this one there

	AcceptRemovals bool
	NoPush         bool

	Lock    func(context.Context) (*store.Held, error)
	IsLocal func(name, revision string) bool    // whether Blue has written it here
	Arrived func(name, revision, author string) // is told of each file that was written
	Now     func() time.Time

	trees map[string]ref.Tree // that were read, by commit
}

// errMoved says that files or refs have changed since they were read.
var errMoved = errors.New("changed meanwhile")

// Run syncs.
func (x *Exchange) Run(ctx context.Context) (reply.Synced, error) {
	out := reply.NewSynced()
	out.Remote, out.Ref = x.Names.Remote, x.Names.Ref
	if err := x.Repo.CheckVersion(ctx); err != nil {
		return out, err
	}
	for n := range tries {
		if n > 0 {
			select {
			case <-ctx.Done():
				return out, ctx.Err()
			case <-time.After(rand.N(pause << n)):
			}
		}
		out.Went, out.Withheld, out.Refused = []string{}, []reply.Named{}, []reply.Named{}
		err := x.round(ctx, &out)
		if !errors.Is(err, errMoved) {
			return out, err
		}
	}
	return out, errors.KeepsMoving(tries)
}

// Quiet reports whether the remote and the refs here are all at a commit;
// the files are the caller's to compare.
func (x *Exchange) Quiet(ctx context.Context, commit string) (bool, error) {
	heads, err := x.Repo.Heads(ctx, x.Names.Head(), x.Names.Base())
	if err != nil || heads[x.Names.Head()] != commit || heads[x.Names.Base()] != commit || x.Names.Remote == "" {
		return err == nil && heads[x.Names.Base()] == commit && heads[x.Names.Head()] == commit, err
	}
	remote, err := x.Repo.AskRemote(ctx, x.Names)
	return remote == commit, err
}

// round is one attempt; errMoved when another one is needed.
func (x *Exchange) round(ctx context.Context, out *reply.Synced) error {
	heads, remote, err := x.readHeads(ctx)
	if err != nil {
		return err
	}
	s, err := x.snapshot(ctx, heads[x.Names.Base()], out)
	if err != nil {
		return err
	}
	for _, head := range []string{heads[x.Names.Head()], remote} {
		if err := s.join(ctx, head); err != nil {
			return err
		}
	}
	for _, other := range x.Others {
		if err := s.joinWorktree(ctx, other); err != nil {
			return err
		}
	}
	commit, err := s.commit(ctx)
	if err != nil || commit == "" {
		out.Synced = err == nil && x.Names.Remote != ""
		return err
	}
	out.Head = commit
	if err := s.writeFiles(ctx); err != nil {
		return err
	}
	if err := x.moveRefs(ctx, heads, commit); err != nil {
		return err
	}
	return x.push(ctx, s, commit, remote)
}

// readHeads reads the refs here and asks for the one of the remote, of which the commit is
// here afterwards.
func (x *Exchange) readHeads(ctx context.Context) (heads map[string]string, remote string, err error) {
	refs := []string{x.Names.Head(), x.Names.Base(), x.Names.Seen()}
	heads, err = x.Repo.Heads(ctx, refs...)
	if err != nil || x.Names.Remote == "" {
		return heads, "", err
	}
	remote, err = x.Repo.AskRemote(ctx, x.Names)
	if err != nil || remote == "" || remote == heads[x.Names.Head()] || remote == heads[x.Names.Seen()] {
		return heads, remote, err
	}
	if err = x.Repo.Fetch(ctx, x.Names); err != nil {
		return heads, "", err
	}
	if heads, err = x.Repo.Heads(ctx, refs...); err == nil && heads[x.Names.Seen()] == "" {
		err = errors.NotNotes(x.Names.Ref, "it is no commit")
	}
	return heads, heads[x.Names.Seen()], err
}

// moveRefs moves the refs of this repository to the commit that the files are in line
// with.
func (x *Exchange) moveRefs(ctx context.Context, heads map[string]string, commit string) error {
	var moves []ref.Move
	for _, name := range []string{x.Names.Head(), x.Names.Base()} {
		if heads[name] != commit {
			moves = append(moves, ref.Move{Ref: name, From: heads[name], To: commit})
		}
	}
	if len(moves) == 0 {
		return nil
	}
	err := x.Repo.Update(ctx, moves...)
	if err == nil {
		return nil
	}
	now, again := x.Repo.Heads(ctx, x.Names.Head(), x.Names.Base())
	if again == nil && (now[x.Names.Head()] != heads[x.Names.Head()] || now[x.Names.Base()] != heads[x.Names.Base()]) {
		return errMoved // another sync of this repository
	}
	return err
}

// push sends the commit, and says that it is synced only when the remote, read again, has
// it.
func (x *Exchange) push(ctx context.Context, s *side, commit, remote string) error {
	if x.Names.Remote == "" || commit == remote {
		s.out.Synced = x.Names.Remote != ""
		return nil
	}
	if x.NoPush {
		return nil
	}
	if err := s.nameWent(ctx, remote); err != nil {
		return err
	}
	failed := x.Repo.Push(ctx, x.Names, commit, remote)
	now, err := x.Repo.AskRemote(ctx, x.Names)
	switch {
	case err != nil:
		return err
	case now == commit:
		s.out.Synced = true
		heads, err := x.Repo.Heads(ctx, x.Names.Seen())
		if err == nil { // what is kept of the remote spares a fetch, no more
			_ = x.Repo.Update(ctx, ref.Move{Ref: x.Names.Seen(), From: heads[x.Names.Seen()], To: commit})
		}
		return nil
	case now != remote:
		return errMoved
	case failed != nil:
		return errors.RemoteRefused(x.Names.Remote, x.Names.Ref, errors.Of(failed).Message)
	}
	return errors.NotTaken(x.Names.Remote, x.Names.Ref)
}
