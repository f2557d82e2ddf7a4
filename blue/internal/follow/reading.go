package follow

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"blue/errors"
)

// ErrGoesOn says that a caller has stopped waiting for a reading, which goes on.
var ErrGoesOn = errors.New("the files are still being read")

// readingLimit bounds one reading. What it has read is kept, and the next one goes on from
// there.
const readingLimit = 5 * time.Minute

// Reading brings an index in line with the files, one run at a time. A run belongs to the
// process and not to the call that has started it: calls wait for it as long as they have
// patience.
type Reading struct {
	sync.Mutex
	Process context.Context // ends when the process gives the index up

	Done, Total atomic.Int64 // files of the present run

	running *run // nil when there is none
}

// run is one run of a reading.
type run struct {
	ended chan struct{}
	err   error
}

// Start begins a run. The caller holds the lock, and there is no other run.
func (r *Reading) Start(read func(ctx context.Context) error) {
	r.Done.Store(0)
	r.Total.Store(0)
	now := &run{ended: make(chan struct{})}
	r.running = now
	go func() {
		ctx, cancel := context.WithTimeout(r.Process, readingLimit)
		defer cancel()
		now.err = read(ctx)
		r.Lock()
		defer r.Unlock()
		r.running = nil
		close(now.ended)
	}()
}

// Runs reports whether there is a run. The caller holds the lock.
func (r *Reading) Runs() bool { return r.running != nil }

// Progress says how far the present run is; ok is false when there is none.
func (r *Reading) Progress() (done, total int, ok bool) {
	r.Lock()
	defer r.Unlock()
	return int(r.Done.Load()), int(r.Total.Load()), r.Runs()
}

// Await waits for the end of the present run and returns what became of it. The error is
// [ErrGoesOn] when the call or its patience ended first, and when the run has used up its time: then
// the next one goes on. The caller holds the lock, which is free meanwhile.
func (r *Reading) Await(ctx context.Context, patience <-chan time.Time) error {
	now := r.running
	if now == nil {
		return nil
	}
	r.Unlock()
	defer r.Lock()
	select {
	case <-now.ended:
		if errors.Is(now.err, context.DeadlineExceeded) || errors.Is(now.err, context.Canceled) {
			return ErrGoesOn
		}
		return now.err
	case <-patience:
	case <-ctx.Done():
	}
	return ErrGoesOn
}

// Run waits for the present run, whose look at the files may have come too early, and then
// for one of its own.
func (r *Reading) Run(ctx context.Context, read func(ctx context.Context) error) error {
	r.Lock()
	defer r.Unlock()
	for r.Runs() {
		if err := r.Await(ctx, nil); err == ErrGoesOn && r.Runs() {
			return err
		}
	}
	r.Start(read)
	return r.Await(ctx, nil)
}

// Wait waits until there is no run.
func (r *Reading) Wait() {
	r.Lock()
	defer r.Unlock()
	for r.Runs() {
		_ = r.Await(context.Background(), nil)
	}
}
