package mcp

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blue/errors"
)

// Limits of the large bodies that are on their way to a server.
const (
	comingAtOnce = 8                      // of them
	patience     = 500 * time.Millisecond // for one that stalls while another wants its place
)

// arrivals are the large bodies on their way. Few are taken in at once, so that they
// do not fill the memory. One that stalls loses its place when another wants it.
type arrivals struct {
	places  chan struct{}
	front   chan struct{} // the place of the first in the queue
	waiting atomic.Int64

	mu     sync.Mutex
	coming []*arrival // the eldest first
}

// arrival is one body on its way.
type arrival struct {
	began  time.Time
	giveUp func() // makes the reading of the body fail
}

func newArrivals() *arrivals {
	return &arrivals{places: make(chan struct{}, comingAtOnce), front: make(chan struct{}, 1)}
}

// enter waits until the deadline for a place, which [arrivals.leave] gives back. From
// then on until [arrivals.arrived] the body may be given up.
func (q *arrivals) enter(deadline time.Time, giveUp func()) (one *arrival, ok bool) {
	q.waiting.Add(1)
	defer q.waiting.Add(-1)
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case q.front <- struct{}{}:
		defer func() { <-q.front }()
	case <-late.C:
		return nil, false
	}
	for {
		select {
		case q.places <- struct{}{}:
			return q.add(giveUp), true
		case <-late.C:
			return nil, false
		case <-time.After(q.press()):
		}
	}
}

func (q *arrivals) add(giveUp func()) *arrival {
	one := &arrival{time.Now(), giveUp}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.coming = append(q.coming, one)
	return one
}

// press gives up the eldest body when its time is over, and says when to look again.
// The more bodies wait, the less time each has: behind a queue of bodies that all stall
// the last one waits less than patience times 1 + 1 + 1/4 + 1/9 + … < 2.65.
func (q *arrivals) press() time.Duration {
	share := float64(cap(q.places)) / float64(int64(cap(q.places))+q.waiting.Load())
	allowed := time.Duration(float64(patience) * share * share)
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.coming) == 0 {
		return patience // those in the places have arrived
	}
	if left := allowed - time.Since(q.coming[0].began); left > 0 {
		return left
	}
	q.coming[0].giveUp()
	q.coming = q.coming[1:]
	return patience
}

// arrived says that the body is there, or will never be. It reports false when the
// body has been given up.
func (q *arrivals) arrived(one *arrival) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	at := slices.Index(q.coming, one)
	if at >= 0 {
		q.coming = slices.Delete(q.coming, at, at+1)
	}
	return at >= 0
}

func (q *arrivals) leave() { <-q.places }

// body reads the whole body, within its time and size. A large one waits for a place
// to arrive in, and keeps it until it has its turn to be decoded.
func (f *front) body(a *response, r *http.Request) ([]byte, bool) {
	if r.ContentLength > maxBody {
		return nil, a.took(&http.MaxBytesError{Limit: maxBody})
	}
	deadline := time.Now().Add(f.bodyTime)
	a.readUntil(deadline) // without it the client's patience is the limit
	if 0 <= r.ContentLength && r.ContentLength <= smallBody {
		body, err := io.ReadAll(r.Body)
		return body, a.took(err)
	}
	one, ok := f.arrivals.enter(deadline, func() { a.readUntil(time.Unix(1, 0)) })
	if !ok {
		return nil, a.shed()
	}
	defer f.arrivals.leave()
	body, err := io.ReadAll(http.MaxBytesReader(a, r.Body, maxBody))
	if !f.arrivals.arrived(one) {
		err = errors.Join(err, io.ErrUnexpectedEOF) // what waits for it is told that the request has ended
	}
	return body, a.took(err) && f.room(a)
}

func (a *response) readUntil(deadline time.Time) {
	_ = http.NewResponseController(a).SetReadDeadline(deadline) // a connection that is gone needs none
}

// took refuses a request whose body did not come whole.
func (a *response) took(err error) bool {
	if err == nil {
		a.readUntil(time.Time{})
		return true
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		a.refuse(http.StatusRequestEntityTooLarge, a.rejected("body over 1 MiB"))
		return false
	}
	a.Header().Set("Connection", "close")
	a.refuse(http.StatusRequestTimeout, a.rejected("the body did not come in time"))
	return false
}
