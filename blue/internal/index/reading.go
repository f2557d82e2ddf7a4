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

// ErrGoesOn says that a caller has stopped waiting for a reading, which goes on.
var ErrGoesOn = errors.New("the files are still being read")

// readingLimit bounds one reading. What it has read is kept, and the next one goes on from
// there.
const readingLimit = 5 * time.Minute

// Reading brings an index in line with the files of the caller, one run at a time. A run belongs
// to the process and not to the call that has started it: calls wait for it as long as they have
// patience.
type Reading struct {
	sync.Mutex
	Process context.Context // ends when the process gives the index up

	Done, Total atomic.Int64 // files of the present run

	running *run // nil when there is none
}

// run is one run of a reading.
type run struct {
	ended    chan struct{}
	err      error
	panicked any
}

// Begin begins a run. The caller holds the lock, and there is no other run.
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
// the next one goes on. A panic of the run goes on in those who wait. The caller holds the lock,
// which is free meanwhile.
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
	r.Begin(read)
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

// Sizes of steps, in bytes of text.
const (
	stepLeast = 1 << 20
	stepTimes = 4        // more than the one before: each writes what there is
	stepMost  = 16 << 20 // of an index that is small
	stepShare = 1 << 10  // more for each document that there is already
	fileCost  = 2 << 10  // of a file, however small
)

// Step is one step of an update that brings a whole index in line.
type Step struct {
	*Update
	Files  int // that there are, counted by the function that looks at them
	room   int64
	loaded int // files that this step reads
	left   int // files that are left to the next
}

// Takes reports whether a file of that size is read in this step. One that is not must be
// named with [Update.Keep] to be found as it was.
func (s *Step) Takes(size int64) bool {
	if s.loaded > 0 && s.room < size+fileCost {
		s.left++
		return false
	}
	s.room -= size + fileCost
	s.loaded++
	return true
}

// IsLast reports whether nothing was left to another step.
func (s *Step) IsLast() bool { return s.left == 0 }

// InSteps brings an index in line by a function that looks at all files and loads those that
// the step takes. After each step searches find what it has read, and so does the next
// process: whatever ends the work, little of it is done again.
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
