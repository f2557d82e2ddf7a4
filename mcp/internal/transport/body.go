package transport

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blue/errors"
)

// Limits of large bodies that are being received.
const (
	comingAtOnce = 4                       // bodies read at once
	patience     = 500 * time.Millisecond  // with a body that stalls while another waits
	leastTime    = 100 * time.Millisecond  // least patience: a busy client has not stalled
	mostTime     = 1500 * time.Millisecond // with a body that trickles while another waits

	smallBody   = 16 << 10 // bytes of a message that never waits
	largeAtOnce = 2        // larger messages; each is many times its size while it is decoded
)

// arrivals limits how many large bodies are read at once, which bounds the memory that they
// take. A body that stalls loses its place when another body waits for one.
type arrivals struct {
	places  chan struct{}
	front   chan struct{} // the place of the first in the queue
	waiting atomic.Int64

	mu     sync.Mutex
	coming []*arrival
}

type arrival struct {
	began     time.Time
	moved     atomic.Int64 // nanoseconds from began until its last bytes came
	readUntil func(time.Time)
}

// read reads the body; length is -1 if it is unknown.
func (one *arrival) read(body io.Reader, length int64) ([]byte, error) {
	var whole bytes.Buffer
	whole.Grow(int(length) + bytes.MinRead + 1)
	_, err := whole.ReadFrom(io.TeeReader(body, one))
	return whole.Bytes(), err
}

// Write records that bytes came.
func (one *arrival) Write(p []byte) (int, error) {
	one.moved.Store(int64(time.Since(one.began)))
	return len(p), nil
}

func newArrivals() *arrivals {
	return &arrivals{places: make(chan struct{}, comingAtOnce), front: make(chan struct{}, 1)}
}

// enter waits for a place, which [arrivals.leave] releases, and then gives the body the same
// time to arrive: it calls readUntil with the deadline. If the body is given up before
// [arrivals.arrived], readUntil is called again with a deadline in the past.
func (q *arrivals) enter(within time.Duration, readUntil func(time.Time)) (one *arrival, ok bool) {
	q.waiting.Add(1)
	defer q.waiting.Add(-1)
	late := time.NewTimer(within)
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
			return q.begin(within, readUntil), true
		case <-late.C:
			return nil, false
		case <-time.After(q.giveUpSlowest()):
		}
	}
}

func (q *arrivals) begin(within time.Duration, readUntil func(time.Time)) *arrival {
	one := &arrival{began: time.Now(), readUntil: readUntil}
	q.mu.Lock()
	defer q.mu.Unlock()
	readUntil(one.began.Add(within))
	q.coming = append(q.coming, one)
	return one
}

// giveUpSlowest gives up the body that has been silent or has taken the longest if its time is
// over, and returns when to look again. The more bodies wait, the less time each has: behind
// fifty that stall, the last one waits less than 2 s.
func (q *arrivals) giveUpSlowest() time.Duration {
	share := float64(cap(q.places)) / float64(int64(cap(q.places))+q.waiting.Load())
	allowed := max(leastTime, time.Duration(float64(patience)*share*share))
	left := func(one *arrival) time.Duration {
		return min(allowed+time.Duration(one.moved.Load()), mostTime) - time.Since(one.began)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.coming) == 0 {
		return patience // all bodies that hold a place have arrived
	}
	next := slices.MinFunc(q.coming, func(x, y *arrival) int { return cmp.Compare(left(x), left(y)) })
	if wait := left(next); wait > 0 {
		return wait
	}
	next.readUntil(time.Unix(1, 0))
	q.coming = slices.DeleteFunc(q.coming, func(other *arrival) bool { return other == next })
	return leastTime
}

// arrived ends the arrival of a body, whole or failed. It returns false if the body has been
// given up.
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

// readBody reads the whole body within the limits of time and size. A large body waits for a
// place among the arrivals and keeps it until it has a place for decoding.
func (s *Server) readBody(a *response, r *http.Request) ([]byte, bool) {
	if r.ContentLength > maxBody {
		return nil, a.acceptBody(&http.MaxBytesError{Limit: maxBody})
	}
	if 0 <= r.ContentLength && r.ContentLength <= smallBody {
		a.readUntil(time.Now().Add(s.BodyTime)) // otherwise the client's patience is the limit
		body, err := io.ReadAll(r.Body)
		return body, a.acceptBody(err)
	}
	one, ok := s.arrivals.enter(s.BodyTime, a.readUntil)
	if !ok {
		return nil, a.refuseLarge()
	}
	defer s.arrivals.leave()
	body, err := one.read(http.MaxBytesReader(a, r.Body, maxBody), r.ContentLength)
	if !s.arrivals.arrived(one) {
		return nil, a.refuseLarge()
	}
	return body, a.acceptBody(err) && s.enterLarge(a)
}

func (a *response) readUntil(deadline time.Time) {
	_ = http.NewResponseController(a).SetReadDeadline(deadline) // a closed connection needs none
}

// acceptBody reports whether the whole body was read, and rejects the request if not.
func (a *response) acceptBody(err error) bool {
	if err == nil {
		a.readUntil(time.Time{})
		return true
	}
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		a.refuse(http.StatusRequestEntityTooLarge, a.transportFault("body over 1 MiB"))
		return false
	}
	a.Header().Set("Connection", "close")
	a.refuse(http.StatusRequestTimeout, a.transportFault("the body did not come in time"))
	return false
}

// enterLarge limits how many large messages are decoded at once, which bounds the memory that
// a flood of them takes. A small message never waits: it may be the answer that a large one
// waits for.
func (s *Server) enterLarge(a *response) bool {
	late := time.NewTimer(s.BodyTime)
	defer late.Stop()
	select {
	case s.Large <- struct{}{}:
		a.leave = sync.OnceFunc(func() { <-s.Large })
		return true
	case <-late.C:
		return a.refuseLarge()
	}
}

// ReadBody reads the body of a guarded route, within the time limit of any body. The kind of
// the error is TooLarge or Timeout.
func ReadBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime)) // a closed connection needs none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if _, over := errors.AsType[*http.MaxBytesError](err); over {
		return nil, errors.E(errors.TooLarge, "the request is over %d MiB", limit>>20).
			Hint("", "", "send fewer notes in each")
	}
	if err != nil {
		return nil, errors.E(errors.Timeout, "the request did not come in time").Hint("", "", "try again")
	}
	_ = control.SetReadDeadline(time.Time{})
	return body, nil
}

// refuseLarge rejects a large message because there is no room for it.
func (a *response) refuseLarge() bool {
	a.Header().Set("Connection", "close")
	a.refuseFor(http.StatusServiceUnavailable, 2, "too many large messages; try again in a few seconds")
	return false
}
