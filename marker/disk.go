package marker

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"blue/errors"
)

const (
	patience = 3 * time.Second // for all disk work of one call
	maxJobs  = 8               // that may hang at once in a process
)

// disk bounds the work that detection does on file systems, which may hang for
// ever. A job that hangs is left behind and keeps its place; one path never has
// more than one place, so that a dead mount cannot use up all of them.
type disk struct {
	places chan struct{}

	mu    sync.Mutex
	lanes map[string]*lane
}

// lane lets the jobs of one path through, one at a time.
type lane struct {
	turn  chan struct{}
	users int       // waiting or at work
	since time.Time // of the present one's turn
}

func newDisk() *disk {
	return &disk{places: make(chan struct{}, maxJobs), lanes: map[string]*lane{}}
}

// silent is what run returns for a job that took too long.
const silent = errors.FSTimeout

// run does the job for path within limit, and not at all when one before it has been
// at work for longer. When it returns an error the job may still be at work: what it
// writes must not be looked at.
func (d *disk) run(ctx context.Context, limit time.Duration, path string, job func()) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, silent)
	defer cancel()
	l := d.enter(path)
	if d.hangs(l, limit) {
		d.leave(path, l)
		return silent
	}
	if !acquire(ctx, l.turn) {
		d.leave(path, l)
		return cause(ctx)
	}
	d.turn(l, time.Now())
	if !acquire(ctx, d.places) {
		d.turn(l, time.Time{})
		d.leave(path, l)
		return cause(ctx)
	}
	done := make(chan any, 1)
	go func() {
		defer func() {
			fault := recover()
			if fault != nil {
				fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
			}
			done <- fault
			<-d.places
			d.turn(l, time.Time{})
			d.leave(path, l)
		}()
		job()
	}()
	select {
	case fault := <-done:
		if fault != nil {
			panic(fault) // in the call that it belongs to, where it is caught
		}
		return nil
	case <-ctx.Done():
		return cause(ctx)
	}
}

func (d *disk) enter(path string) *lane {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lanes[path]
	if l == nil {
		l = &lane{turn: make(chan struct{}, 1)}
		d.lanes[path] = l
	}
	l.users++
	return l
}

// hangs reports whether the job whose turn it is has had it for longer than limit.
func (d *disk) hangs(l *lane, limit time.Duration) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !l.since.IsZero() && time.Since(l.since) > limit
}

// turn notes when a turn began; the zero time ends it.
func (d *disk) turn(l *lane, since time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l.since = since; since.IsZero() {
		<-l.turn
	}
}

func (d *disk) leave(path string, l *lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l.users--; l.users == 0 {
		delete(d.lanes, path)
	}
}

// acquire takes a place unless ctx is over first.
func acquire(ctx context.Context, places chan struct{}) bool {
	if ctx.Err() != nil {
		return false
	}
	select {
	case places <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// cause tells a file system that is silent from a call that was given up.
func cause(ctx context.Context) error {
	err := context.Cause(ctx)
	if errors.Is(err, silent) {
		return err
	}
	return fmt.Errorf("looking for the project: %w", err)
}
