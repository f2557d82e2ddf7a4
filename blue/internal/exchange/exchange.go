// Package exchange brings the notes of a notebook in line with those that others keep on a
// [Remote]: it reads the files, merges them with what has come, writes files, and pushes.
//
// One round goes so, and whatever ends the process in it, the next one goes on:
//
//	files ──────────► tree ─┐
//	remote of others ─► tree ─┴► merged ─► files ─► base here ─► push ─► read the remote again
//
// Notes are matched by uid; the name of the file is an attribute like the title. The base is what
// the remote had when the files were last in line with it. The files are written before the
// base moves: until then what has been written already is seen as changed on both sides alike.
// Only a removal through Blue, which leaves the note in the trash, removes a note for others; a
// file that is gone otherwise comes back. No clock decides anything.
package exchange

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
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
	ReadTree(ctx context.Context, commit string) (ref.Tree, error) // checked and bounded; a copy
	ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error
	ID(text []byte) string
	Authors(ctx context.Context, from, to string) (map[string]string, error) // who has last changed each note between two commits, by uid
	Heal(ctx context.Context, err error) error                               // mends what an error tells of, else returns it

	Move(ctx context.Context, commit string, t ref.Tree) error // the files are in line with a commit, which has that tree; [ref.ErrMoved]
	Commit(ctx context.Context, parent string, t ref.Tree, fresh map[string]bool, read func(id string) ([]byte, error), message string) (string, error)
	Push(ctx context.Context, commit, old string) error // the others have it now, read again; [ref.ErrMoved]
}

// Exchange is one sync of one notebook.
type Exchange struct {
	Remote  Remote
	Name    string // of the remote, empty when there is none
	Ref     string // on it
	Store   *store.Store
	Rows    func(name string) (index.Row, bool) // what the index has of a file
	Dir     string                              // for texts that are many
	Project string                              // its id, empty when it has none that others share
	By      string                              // who removes notes here
	Told    map[string]bool                     // the files of the trash that others have been told of; nil when that is not known

	AcceptRemovals bool
	NoPush         bool
	Offline        bool // bring back what the files lack of the base, and ask nobody

	Lock    func(context.Context) (*store.Held, error)
	Arrived func(name, revision string) // is told of each file that was written
	Now     func() time.Time

	Seen []string // after a run, the files of the trash that it has told others of
}

// Run syncs.
func (x *Exchange) Run(ctx context.Context) (reply.Synced, error) {
	out := reply.NewSynced()
	out.Remote, out.Ref = x.Name, x.Ref
	run := func() error {
		return again(ctx, func() error {
			out.Went, out.Withheld, out.Refused = []string{}, []reply.Named{}, []reply.Named{}
			return x.round(ctx, &out)
		})
	}
	err := run()
	for healed := 0; healed < 8 && err != nil && !x.Offline && ctx.Err() == nil; healed++ {
		if failed := x.Remote.Heal(ctx, err); failed != nil {
			return out, failed
		}
		out.Healed = true
		err = run()
	}
	return out, err
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
	heads, err := x.Remote.Heads(ctx, !x.Offline)
	if err != nil {
		return err
	}
	x.Project = cmp.Or(heads.Project, x.Project)
	s, err := x.snapshot(ctx, heads, out)
	if err != nil {
		return err
	}
	defer s.texts.Close()
	if heads.Remote != "" {
		if err := s.join(ctx, heads); err != nil {
			return err
		}
	}
	s.separateNames()
	slices.SortStableFunc(out.Withheld, func(a, b reply.Named) int { return cmp.Compare(a.ID, b.ID) })
	if err := s.writeFiles(ctx); err != nil || x.Offline {
		return err
	}
	parent := cmp.Or(heads.Remote, heads.Base)
	if heads.Remote != "" { // the files hold all of it
		if err := x.Remote.Move(ctx, heads.Remote, s.withRevisions(s.theirs)); err != nil {
			return err
		}
	}
	return s.send(ctx, parent, heads.Remote)
}

// send makes what is here what the others have.
func (s *side) send(ctx context.Context, parent, remote string) error {
	x := s.x
	same := len(differing(s.there(), s.tree)) == 0 && sameTrash(s.there(), s.tree)
	s.out.Head = parent
	switch {
	case same:
		s.out.Synced, x.Seen = x.Name != "", s.trash
		return nil
	case x.NoPush:
		return nil
	}
	for _, uid := range differing(s.there(), s.tree) {
		s.out.Went = append(s.out.Went, note.IDOf(cmp.Or(s.tree.Notes[uid].Name, s.there().Notes[uid].Name)))
	}
	commit, err := x.Remote.Commit(ctx, parent, s.tree, s.fresh, s.ownText, fmt.Sprintf("Notes: %d changed", len(s.out.Went)))
	if err != nil {
		return err
	}
	if err := x.Remote.Push(ctx, commit, remote); err != nil {
		return err
	}
	if err := x.Remote.Move(ctx, commit, s.withRevisions(s.tree)); err != nil {
		return err
	}
	s.out.Head, s.out.Synced, x.Seen = commit, x.Name != "", s.trash
	return nil
}
