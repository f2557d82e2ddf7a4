package carry

import (
	"context"

	"blue/blue/internal/exchange"
	"blue/blue/internal/reply"
)

// Syncing says how to sync.
type Syncing struct {
	Branch         string // carry them on this branch, and from now on when that has gone well
	AcceptRemovals bool   // also when others have removed many notes
	NoPush         bool   // only take in what has come
	Known          bool   // only where a person has synced before: a clone must not make a hook reach out
}

// Sync carries notes: those of others come here, those of here go to them.
func (c *Copy) Sync(ctx context.Context, o Syncing) (s reply.Synced, err error) {
	state := exchange.LoadState(c.State)
	if o.Known && state.Last.IsZero() {
		return s, nil
	}
	x, err := c.openExchange(ctx, state)
	if err != nil {
		return s, err
	}
	defer closeOthers(x)
	x.AcceptRemovals, x.NoPush = o.AcceptRemovals, o.NoPush
	stamp, err := c.Stamp(ctx)
	if err != nil {
		return s, err
	}
	if s, quiet := c.isQuiet(ctx, x, state, stamp); quiet {
		state.Last, state.Behind, state.Newest = c.Now(), 0, c.newest()
		c.keepState(state)
		return s, nil
	}
	s, err = x.Run(ctx)
	moved := len(s.Came)+len(s.Removed) > 0
	if moved {
		c.Written()
	}
	if err == nil && (x.Names.Remote == "" || s.Synced) {
		state = exchange.State{Last: c.Now(), Commit: s.Head, Newest: c.newest(), Withheld: s.Withheld}
		if !moved {
			state.Stamp = stamp // and no other: somebody may write meanwhile
		}
		c.keepState(state)
	}
	return s, err
}

// isQuiet reports whether nothing has changed on either side since the last sync. Whatever
// fails in looking is left to the sync to say.
func (c *Copy) isQuiet(ctx context.Context, x *exchange.Exchange, state exchange.State, stamp string) (reply.Synced, bool) {
	s := reply.NewSynced()
	s.Remote, s.Ref, s.Head, s.Synced = x.Names.Remote, x.Names.Ref, state.Commit, x.Names.Remote != ""
	if state.Commit == "" || state.Stamp != stamp || len(state.Withheld) > 0 || len(x.Others) > 0 {
		return s, false
	}
	quiet, err := x.Quiet(ctx, state.Commit)
	return s, err == nil && quiet
}
