package notebook

import (
	"context"
	"time"

	"blue/blue/internal/follow"
	"blue/blue/internal/result"
	"blue/errors"
)

// How long a call that a client waits for waits for notes that are being read: most clients
// give a call 30 s.
const (
	readPatience  = 5 * time.Second
	writePatience = 20 * time.Second // of one that needs all of them
)

// refresh brings the index in line with the files, so that every change made before
// the call, by whatever program, is seen by the call. Where that takes long a call that a
// client waits for goes on with what has been read, and its reply says so.
func (nb *Notebook) refresh(ctx context.Context) error {
	err := nb.refreshFor(ctx, readPatience)
	if nb.behind = ""; err == follow.ErrGoesOn && nb.isServed() && ctx.Err() == nil {
		nb.behind = nb.describeReading()
		return nil
	}
	return nb.explainWait(ctx, err)
}

// refreshWhole is [Notebook.refresh] for a call that needs all notes. It fails when they are
// not all read in time.
func (nb *Notebook) refreshWhole(ctx context.Context) error {
	return nb.explainWait(ctx, nb.refreshFor(ctx, writePatience))
}

func (nb *Notebook) refreshFor(ctx context.Context, patience time.Duration) error {
	if nb.isServed() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return nb.store.refresh(ctx, false)
}

func (nb *Notebook) describeReading() string {
	return result.DescribeReading("notes", nb.reading.Done.Load(), nb.reading.Total.Load())
}

// explainWait is the failure of a call that has stopped waiting for the notes.
func (nb *Notebook) explainWait(ctx context.Context, err error) error {
	switch {
	case err != follow.ErrGoesOn:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.StillReading(nb.describeReading())
}

// isServed reports whether the process lives on when the call has been answered.
func (nb *Notebook) isServed() bool { return nb.Call.Client != "" || nb.Call.Serving }
