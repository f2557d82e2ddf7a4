package carry

import (
	"context"
	"strings"
	"time"

	"blue/blue/internal/exchange"
	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
	"blue/blue/internal/statefile"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Syncing says how to sync.
type Syncing struct {
	Remote         string // URL of a server, or the remote of git; empty for that of the last sync
	Project        string // on the server
	Branch         string // carry them on this branch, and from now on when that has gone well
	AcceptRemovals bool   // also when others have removed many notes
	NoPush         bool   // only take in what has come
	Known          bool   // only where a person has synced before: a clone must not make a hook reach out

	offline bool // only bring back what the files lack
}

// Sync carries notes: those of others come here, those of here go to them.
func (c *Copy) Sync(ctx context.Context, o Syncing) (s reply.Synced, err error) {
	if err := c.chooseServer(o); err != nil {
		return s, err
	}
	if !c.Found.Notebook {
		return s, errors.WithCode(c.Found.Carry.Mode == marker.OldRef)
	}
	if o.Known && c.loadState().Last.IsZero() {
		return s, nil
	}
	unlock, err := c.alone(ctx)
	if err != nil {
		return s, err
	}
	defer unlock()
	state, began := c.loadState(), c.Now()
	x, done, err := c.openExchange(ctx, state, o)
	if err != nil {
		return s, err
	}
	defer done()
	stamp, quiet, err := c.ask(ctx, x, state)
	if err != nil {
		return s, err
	}
	if quiet && c.Found.Fetched {
		state.Last, state.Behind = began, 0
		c.keepState(state)
		return answerQuiet(x, state.Commit), nil
	}
	if err := c.refuseTracked(ctx); err != nil {
		return s, err
	}
	s, err = x.Run(ctx)
	moved := len(s.Came)+len(s.Removed) > 0
	if moved {
		c.Written()
	}
	if err == nil {
		err = c.fill()
	}
	if err != nil || x.Name != "" && !s.Synced {
		return s, err
	}
	state = exchange.State{Last: began, Commit: s.Head, Told: x.Seen, Withheld: s.Withheld, Packed: state.Packed, Loose: state.Loose + len(s.Went)}
	if !moved {
		state.Stamp = stamp // and no other: somebody may write meanwhile
	}
	c.pack(ctx, x, &state)
	c.keepState(state)
	c.dropSpares()
	return s, nil
}

// ask returns the stamp of the files, and whether neither they nor what others have has changed
// since the last sync: git asks while the files are listed.
func (c *Copy) ask(ctx context.Context, x *exchange.Exchange, state exchange.State) (stamp string, quiet bool, err error) {
	asking, stop := context.WithCancel(ctx)
	defer stop()
	others := make(chan bool, 1)
	go func() { others <- isQuiet(asking, x, state) }()
	stamp, err = c.Stamp(ctx)
	if err != nil || state.Stamp != stamp {
		stop()
	}
	quiet = <-others // soon, when it was stopped: nothing else works with x meanwhile
	return stamp, quiet && state.Stamp == stamp, err
}

// refuseTracked refuses a notebook of which git tracks files: a commit that somebody has made to be
// checked out has written them, and they are not to go to others.
func (c *Copy) refuseTracked(ctx context.Context) error {
	if c.Found.Notes.Root != c.Found.Root {
		return nil
	}
	repo, err := ref.Open(ctx, c.Found.Root, c.Env)
	if err != nil {
		return nil // there is none
	}
	if n := repo.CountTracked(ctx, c.Found.Notes.Below); n > 0 {
		return errors.NotebookTracked(c.Found.Notes.Below, n)
	}
	return nil
}

// fill says that the notebook has what others have.
func (c *Copy) fill() error {
	if c.Found.Fetched {
		return nil
	}
	err := marker.UseNotebook(c.Found.Notes, c.Found.ID)
	c.Found.Fetched = err == nil
	return err
}

// alone takes the lock of the syncs of a notebook, which the others wait for.
func (c *Copy) alone(ctx context.Context) (unlock func(), err error) {
	for {
		unlock, _, err = statefile.Lock(strings.TrimSuffix(c.State, ".json")+".lock", time.Second)
		if err == nil || !errors.Is(err, errors.Busy) {
			return unlock, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// looseNotes is how many changed notes may leave objects in files of their own.
const looseNotes = 200

// pack puts the objects of many syncs into one file.
func (c *Copy) pack(ctx context.Context, x *exchange.Exchange, state *exchange.State) {
	n, git := x.Remote.(*ref.Notebook)
	if !git || state.Loose <= looseNotes {
		return
	}
	if err := n.Pack(ctx, state.Packed, state.Commit); err != nil {
		c.Log.Debug("notes not packed", "project", c.Found.Root, "err", err)
		return
	}
	state.Packed, state.Loose = state.Commit, 0
}

// dropSpares removes the spare copies of the texts that others have now.
func (c *Copy) dropSpares() {
	revisions := map[string]string{}
	for _, n := range ref.LoadSnapshot(c.snapshotFile()).Tree().Notes {
		revisions["notes/"+n.Name] = n.Revision
	}
	_ = c.Store.Spares(func(name string, data []byte, removed bool) error {
		is := revisions[name]
		if removed && is == "" || !removed && is == store.Revision(data) {
			c.Store.DropSpare(name, data, removed)
		}
		return nil
	})
}

// isQuiet reports whether others have changed nothing since the last sync, and nothing was
// withheld. Whatever fails in looking is left to the sync to say.
func isQuiet(ctx context.Context, x *exchange.Exchange, state exchange.State) bool {
	if state.Commit == "" || len(state.Withheld) > 0 {
		return false
	}
	quiet, err := x.Remote.Quiet(ctx, state.Commit)
	return err == nil && quiet
}

func answerQuiet(x *exchange.Exchange, commit string) reply.Synced {
	s := reply.NewSynced()
	s.Remote, s.Ref, s.Head, s.Synced = x.Name, x.Ref, commit, x.Name != ""
	return s
}
