// Package exchange brings the notes of a working copy in line with those that others keep
// on a [Remote]: it reads the files, merges them with what has come, writes files, and
// pushes.
//
// One round goes so, and whatever ends the process in it, the next one goes on:
//
//	files ──────────► tree ─┐
//	remote of others ─► tree ─┴► merged ─► files ─► base here ─► push ─► read the remote again
//
// The files are written before the base moves: until then the commit that they were last in
// line with (the base) is the old one, and what has been written already is seen as
// changed on both sides alike. Only a removal through Blue, which leaves the note in the
// trash, removes a note for others; a file that is gone otherwise comes back.
package exchange

import (
	"cmp"
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

// Remote is where the notes of others lie, with what is kept here of them. It knows trees of
// notes by commits, and texts by ids that depend on their bytes alone.
type Remote interface {
	Quiet(ctx context.Context, commit string) (bool, error)        // whether all heads are at a commit
	Heads(ctx context.Context, ask bool) (ref.Heads, error)        // with ask also that of the others
	ReadTree(ctx context.Context, commit string) (ref.Tree, error) // checked and bounded
	ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error
	ID(text []byte) string

	MergeBase(ctx context.Context, one, other string) (string, error)                          // that two commits have come from
	Authors(ctx context.Context, from, to string) (map[string]string, error)                   // who has last changed each note between two commits
	Former(ctx context.Context, commit string, ids map[string]string) (map[string]bool, error) // whether notes have had these texts before a commit
	InCode(ctx context.Context, names map[string]bool) (map[string][]string, error)            // the texts that notes have had in the code's commits

	Commit(ctx context.Context, t ref.Tree, fresh []string, read func(id string) ([]byte, error), message string, parents []string) (string, error)
	Move(ctx context.Context, from ref.Heads, commit string) error // the files are in line with a commit; [ref.ErrMoved]
	Push(ctx context.Context, commit, old string) error            // the others have it now, read again; [ref.ErrMoved]
}

// Exchange is one sync of one working copy.
type Exchange struct {
	Remote  Remote
	Name    string // of the remote, empty when there is none
	Ref     string // on it
	Store   *store.Store
	Dir     string    // for texts that are many
	Project string    // its id, empty when it has none that others share
	By      string    // who removes notes here
	Since   time.Time // when the last sync of this working copy that ended well began
	Branchy bool      // the code's branches carry the files too, and a checkout may make them old

	Others   []Exchange // of the other worktrees, to be read
	UsesOurs bool       // of another worktree: Blue works with the notes of this one there

	AcceptRemovals bool
	NoPush         bool

	Lock    func(context.Context) (*store.Held, error)
	IsLocal func(name, revision string) bool // whether Blue has written it here
	Arrived func(name, revision string)      // is told of each file that was written
	Now     func() time.Time
}

// Run syncs.
func (x *Exchange) Run(ctx context.Context) (reply.Synced, error) {
	out := reply.NewSynced()
	out.Remote, out.Ref = x.Name, x.Ref
	return out, again(ctx, func() error {
		out.Went, out.Withheld, out.Refused = []string{}, []reply.Named{}, []reply.Named{}
		return x.round(ctx, &out)
	})
}

// again calls a function until it returns another error than [ref.ErrMoved], some times.
func again(ctx context.Context, try func() error) error {
	for n := range tries {
		if n > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(rand.N(pause << n)):
			}
		}
		if err := try(); !errors.Is(err, ref.ErrMoved) {
			return err
		}
	}
	return errors.KeepsMoving(tries)
}

// round is one attempt; [ref.ErrMoved] when another one is needed.
func (x *Exchange) round(ctx context.Context, out *reply.Synced) error {
	heads, err := x.Remote.Heads(ctx, true)
	if err != nil {
		return err
	}
	x.Project = cmp.Or(heads.Project, x.Project)
	s, err := x.snapshot(ctx, heads.Base, out)
	if err != nil {
		return err
	}
	defer s.texts.close()
	for _, head := range []string{heads.Joined, heads.Remote} {
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
		out.Synced = err == nil && x.Name != ""
		return err
	}
	out.Head = commit
	if err := s.writeFiles(ctx); err != nil {
		return err
	}
	if err := x.Remote.Move(ctx, heads, commit); err != nil {
		return err
	}
	return s.push(ctx, commit, heads.Remote)
}

// push sends the commit, and says that it is synced only when the remote, read again, has
// it.
func (s *side) push(ctx context.Context, commit, remote string) error {
	if s.x.Name == "" || commit == remote || s.x.NoPush {
		s.out.Synced = s.x.Name != "" && commit == remote
		return nil
	}
	if err := s.nameWent(ctx, remote); err != nil {
		return err
	}
	err := s.x.Remote.Push(ctx, commit, remote)
	s.out.Synced = err == nil
	return err
}
