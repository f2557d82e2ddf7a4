package index

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"blue/errors"
)

// ErrGoesOn is returned to a caller that stops waiting for a reading. The reading continues.
var ErrGoesOn = errors.New("the files are still being read")

// readingLimit limits the time of one run. What it has read is kept, and the next run continues
// from there.
const readingLimit = 5 * time.Minute

// Reading updates an index from the files of the caller, one run at a time. A run belongs to the
// process and not to the call that started it: calls wait for it only as long as they have
// patience.
type Reading struct {
	sync.Mutex
	Process context.Context // done when the process no longer uses the index

	Done, Total atomic.Int64 // files of the current run

	running *run // nil if there is none
}

// run is one run of a reading.
type run struct {
	ended    chan struct{}
	err      error
	panicked any
}

// Begin starts a run. The caller holds the lock, and there is no other run.
func (r *Reading) Begin(read func(ctx context.Context) error) {
	r.Done.Store(0)
	r.Total.Store(0)
	now := &run{ended: make(chan struct{})}
	r.running = now
	go func() {
		ctx, cancel := context.WithTimeout(r.Process, readingLimit)
		defer cancel()
		defer func() {
			if fault := recover(); fault != nil {
				now.panicked = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
			r.Lock()
			defer r.Unlock()
			r.running = nil
			close(now.ended)
		}()
		now.err = read(ctx)
	}()
}

// Runs reports whether a run is in progress. The caller holds the lock.
func (r *Reading) Runs() bool { return r.running != nil }

// Progress returns the progress of the current run; ok is false if there is none.
func (r *Reading) Progress() (done, total int, ok bool) {
	r.Lock()
	defer r.Unlock()
	return int(r.Done.Load()), int(r.Total.Load()), r.Runs()
}

// Await waits for the end of the current run and returns its error. It returns [ErrGoesOn] if ctx
// or the patience ends first, and also if the run has used up its time, in which case the next run
// continues its work. If the run panicked, Await panics. The caller holds the lock; Await releases
// it while it waits.
func (r *Reading) Await(ctx context.Context, patience <-chan time.Time) error {
	now := r.running
	if now == nil {
		return nil
	}
	r.Unlock()
	defer r.Lock()
	select {
	case <-now.ended:
		if now.panicked != nil {
			panic(now.panicked)
		}
		if errors.Is(now.err, context.DeadlineExceeded) || errors.Is(now.err, context.Canceled) {
			return ErrGoesOn
		}
		return now.err
	case <-patience:
	case <-ctx.Done():
	}
	return ErrGoesOn
}

// Run waits for the current run, which may have looked at the files too early, and then starts
// another run and waits for that.
func (r *Reading) Run(ctx context.Context, read func(ctx context.Context) error) error {
	r.Lock()
	defer r.Unlock()
	for r.Runs() {
		if err := r.Await(ctx, nil); err == ErrGoesOn && r.Runs() {
			return err
		}
	}
	r.Begin(read)
	return r.Await(ctx, nil)
}

// Wait waits until no run is in progress.
func (r *Reading) Wait() {
	r.Lock()
	defer r.Unlock()
	for r.Runs() {
		_ = r.Await(context.Background(), nil)
	}
}

// Sizes of steps, in bytes of text.
const (
	stepLeast = 1 << 20
	stepTimes = 4        // growth from step to step, since each step writes the whole index
	stepMost  = 16 << 20 // for a small index
	stepShare = 1 << 10  // added for each document in the index
	fileCost  = 2 << 10  // counted for each file in addition to its size
)

// Step is one step of an update of a whole index.
type Step struct {
	*Update
	Files  int // number of all files, set by the function that looks at them
	room   int64
	loaded int // number of files that this step reads
	left   int // number of files left for the next step
}

// Takes reports whether a file of that size is read in this step. A file that is not must be passed
// to [Update.Keep], so that its former version stays in the index.
func (s *Step) Takes(size int64) bool {
	if s.loaded > 0 && s.room < size+fileCost {
		s.left++
		return false
	}
	s.room -= size + fileCost
	s.loaded++
	return true
}

// IsLast reports whether no file was left for another step.
func (s *Step) IsLast() bool { return s.left == 0 }

// InSteps updates an index with a function that looks at all files and loads those that the step
// takes. After each step, searches and later processes find what it has read, so little work is
// repeated if the run is interrupted.
func (r *Reading) InSteps(ctx context.Context, x *Index, look func(s *Step) error) error {
	for size := int64(stepLeast); ; size = max(min(stepTimes*size, stepMost), int64(x.Len())*stepShare) {
		s := &Step{Update: x.Update(true), room: size}
		err := r.step(s, look)
		if err != nil || s.IsLast() {
			return err
		}
		x.Save()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

func (r *Reading) step(s *Step, look func(s *Step) error) error {
	defer s.Cancel()
	if err := look(s); err != nil {
		return err
	}
	r.Total.Store(int64(s.Files))
	r.Done.Store(int64(s.Files - s.left - s.loaded))
	if !s.IsLast() {
		s.Doubt()
	}
	err := s.Commit()
	r.Done.Store(int64(s.Files - s.left))
	return err
}
