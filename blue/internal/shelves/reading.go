package shelves

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"blue/blue/internal/reply"
	"blue/errors"
)

const (
	serverPatience  = time.Second // of a call that a client waits for
	readingPatience = 5 * time.Minute
)

// patience is how long a call waits for what is being read. A person at the terminal has a
// process of their own, which would end the reading.
func (s Shelves) patience() time.Duration {
	if !s.Server {
		return readingPatience
	}
	return serverPatience
}

// reading brings a shelf in line beside the calls, one reading at a time.
type reading struct {
	what string          // is read, for messages
	ctx  context.Context // of all readings

	mu      sync.Mutex
	running chan struct{} // closed when the present reading ends, nil when there is none
	trouble string        // why nothing could be read

	done, total atomic.Int64 // of the present reading
}

// start begins to read. The caller holds mu, and nothing is being read.
func (r *reading) start(read func(ctx context.Context) error) {
	r.running, r.trouble = make(chan struct{}), ""
	r.done.Store(0)
	r.total.Store(0)
	go func() {
		ctx, cancel := context.WithTimeout(r.ctx, readingPatience)
		defer cancel()
		err := read(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			r.trouble = errors.Clip(errors.Visible(err.Error()), 200)
		}
		close(r.running)
		r.running = nil
	}()
}

// await waits for the end of the present reading, and reports whether it came before the
// limit. The caller holds mu, which is free meanwhile.
func (r *reading) await(ctx context.Context, limit <-chan time.Time) bool {
	running := r.running
	if running == nil {
		return true
	}
	r.mu.Unlock()
	defer r.mu.Lock()
	select {
	case <-running:
		return true
	case <-limit:
	case <-ctx.Done():
	}
	return false
}

func (r *reading) wait() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.await(context.Background(), nil) {
		continue
	}
}

// beingRead is what is said of a shelf that is not all there yet.
const beingRead = " are being read"

// describe says why there is nothing on the shelf, or, to a call that did not see the end of
// the reading, that there is more to come; empty when nothing is lacking.
func (r *reading) describe(ended bool) (text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ended {
		return r.trouble
	}
	text = r.what + beingRead
	if total := r.total.Load(); total > 0 {
		text += fmt.Sprintf(": %s of %s", reply.FormatCount(r.done.Load()), reply.FormatCount(total))
	}
	return text
}
