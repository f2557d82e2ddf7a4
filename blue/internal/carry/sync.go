package carry

import (
	"context"

	"blue/blue/internal/exchange"
	"blue/blue/internal/reply"
)

// Syncing says how to sync.
type Syncing struct {
	Remote         string // URL of a server, or the remote of git; empty for that of the last sync
	Project        string // on the server
	Branch         string // carry them on this branch, and from now on when that has gone well
	AcceptRemovals bool   // also when others have removed many notes
	NoPush         bool   // only take in what has come
	Known          bool   // only where a person has synced before: a clone must not make a hook reach out
}

// Sync carries notes: those of others come here, those of here go to them.
func (c *Copy) Sync(ctx context.Context, o Syncing) (s reply.Synced, err error) {
	if err := c.chooseServer(o); err != nil {
		return s, err
	}
	state, began := c.loadState(), c.Now() // what is removed from now on, the next sync tells
	if o.Known && state.Last.IsZero() {
		return s, nil
	}
	x, err := c.openExchange(ctx, state, o)
	if err != nil {
		return s, err
	}
	defer closeOthers(x)
	asking, stop := context.WithCancel(ctx)
	defer stop()
	quiet := make(chan bool, 1)
	go func() { quiet <- isQuiet(asking, x, state) }() // git asks while the files are listed
	stamp, err := c.Stamp(ctx)
	if err != nil || state.Stamp != stamp {
		stop()
	}
	othersQuiet := <-quiet // soon, when it was stopped: nothing else works with x meanwhile
	if err != nil {
		return s, err
	}
	if othersQuiet && state.Stamp == stamp {
		state.Last, state.Behind, state.Newest = began, 0, c.newest()
		c.keepState(state)
		return answerQuiet(x, state.Commit), nil
	}
	if err := x.BringPrivate(ctx); err != nil {
		return s, err
	}
	s, err = x.Run(ctx)
	moved := len(s.Came)+len(s.Removed) > 0
	if moved {
		c.Written()
	}
	if err == nil && (x.Name == "" || s.Synced) {
		state = exchange.State{Last: began, Commit: s.Head, Newest: c.newest(), Withheld: s.Withheld}
		if !moved {
			state.Stamp = stamp // and no other: somebody may write meanwhile
		}
		c.keepState(state)
	}
	return s, err
}

// isQuiet reports whether others have changed nothing since the last sync, and nothing was
// withheld. Whatever fails in looking is left to the sync to say.
func isQuiet(ctx context.Context, x *exchange.Exchange, state exchange.State) bool {
	if state.Commit == "" || len(state.Withheld) > 0 || len(x.Others) > 0 {
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
