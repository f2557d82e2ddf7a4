package notebook

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// Builds queues the index builds of a process. At most buildsAtOnce are started at a time,
// which bounds the memory that they take. Fewer work at a time: these take turns, so that a
// large project delays a small one only a little, and the calls of other projects hardly at
// all.
type Builds struct {
	Took             func(time.Duration) // called for each build that has ended; may be nil
	Waiting, Running atomic.Int64

	begun, working chan struct{}
}

const buildsAtOnce = 8

// NewBuilds returns an empty queue.
func NewBuilds() *Builds {
	return &Builds{
		begun: make(chan struct{}, buildsAtOnce), working: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)),
	}
}

// run runs one build when its turn has come. The build calls next to let others work. Waiting
// builds get their turns in the order in which they came.
func (b *Builds) run(build func(next func()) error) error {
	b.Waiting.Add(1)
	b.begun <- struct{}{}
	b.Waiting.Add(-1)
	defer func() { <-b.begun }()
	b.Running.Add(1)
	defer b.Running.Add(-1)
	began := time.Now()
	b.working <- struct{}{}
	defer func() { <-b.working }()
	err := build(func() {
		<-b.working
		b.working <- struct{}{}
	})
	if b.Took != nil && err == nil {
		b.Took(time.Since(began))
	}
	return err
}

// Place is the slot that a call holds among the calls that a server runs at once.
type Place interface {
	Leave()
	Enter(ctx context.Context) error
}

type placeKey struct{}

// WithPlace returns the context of a call that gives up its place while it waits for an index.
func WithPlace(ctx context.Context, p Place) context.Context {
	return context.WithValue(ctx, placeKey{}, p)
}
