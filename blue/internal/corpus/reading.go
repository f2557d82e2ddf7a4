package corpus

import (
	"context"
	"time"

	"blue/blue/internal/follow"
	"blue/blue/internal/result"
	"blue/errors"
)

const (
	serverPatience   = time.Second // of a call that a client waits for
	terminalPatience = 5 * time.Minute
	mendPatience     = 10 * time.Second // of one that has found damage
)

// patience is how long a call waits for what is being read. A person at the terminal has a
// process of their own, which would end the reading.
func (s Corpus) patience() time.Duration {
	if !s.Server {
		return terminalPatience
	}
	return serverPatience
}

// reading brings a shelf in line beside the calls.
type reading struct {
	follow.Reading
	what    string // is read, for messages
	trouble string // why nothing could be read
	stuck   bool   // because of a file for which git would wait
}

func newReading(process context.Context, what string) reading {
	return reading{Reading: follow.Reading{Process: process}, what: what}
}

// start begins to read. The caller holds the lock, and nothing is being read.
func (r *reading) start(read func(ctx context.Context) error) {
	r.trouble = ""
	r.Start(func(ctx context.Context) error {
		err := read(ctx)
		r.Lock()
		defer r.Unlock()
		r.stuck = errors.Is(err, errors.Timeout)
		if err != nil && ctx.Err() == nil {
			r.trouble = errors.Clip(errors.Visible(err.Error()), 300)
		}
		return err
	})
}

// await waits for the end of the present reading, and reports whether it came before the
// limit. The caller holds the lock, which is free meanwhile.
func (r *reading) await(ctx context.Context, limit <-chan time.Time) bool {
	return r.Await(ctx, limit) != follow.ErrGoesOn
}

// describe says why there is nothing on the shelf, or, to a call that did not see the end of
// the reading, how far it is; both are empty when nothing is lacking.
func (r *reading) describe(ended bool) (trouble, progress string) {
	if !ended {
		return "", result.DescribeReading(r.what, r.Done.Load(), r.Total.Load())
	}
	r.Lock()
	defer r.Unlock()
	return r.trouble, ""
}
