package transport

import (
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever comes after bodies that stall waits less than 2 s, up to fifty of
// them; and a body that nobody waits behind has all of its time.
func TestStalledBodies(t *testing.T) {
	t.Parallel()
	for _, stalled := range []int{comingAtOnce - 1, comingAtOnce, 20, 50} {
		synctest.Test(t, func(t *testing.T) {
			q := newArrivals()
			var all sync.WaitGroup
			given := make(chan bool, stalled)
			began := time.Now()
			for range stalled {
				all.Go(func() {
					late := time.NewTimer(bodyTime)
					over := make(chan bool, 1)
					one, ok := q.enter(bodyTime, endsWith(over))
					if !ok {
						t.Errorf("%d bodies stall: one never had a place", stalled)
						return
					}
					defer q.leave()
					select {
					case <-over:
					case <-late.C:
					}
					given <- !q.arrived(one)
				})
			}
			synctest.Wait()
			one, ok := q.enter(bodyTime, endsWith(make(chan bool, 1)))
			if took := time.Since(began); !ok || took >= 2*time.Second {
				t.Errorf("%d bodies stall: a place after %v, %v", stalled, took, ok)
			} else {
				t.Logf("%d bodies stall: a place after %v", stalled, took)
			}
			if !q.arrived(one) {
				t.Error("the body that came was given up")
			}
			q.leave()
			all.Wait()
			gone := 0
			for range stalled {
				if <-given {
					gone++
				}
			}
			if want := max(0, stalled-comingAtOnce+1); gone != want {
				t.Errorf("of %d bodies %d were given up, want %d", stalled, gone, want)
			}
		})
	}
}

// endsWith tells over that a body is given up.
func endsWith(over chan bool) func(time.Time) {
	return func(deadline time.Time) {
		if deadline.Before(time.Now()) {
			over <- true
		}
	}
}

// Of bodies that come, none is given up; one that trickles is, after a while.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pause time.Duration // between the bytes of the others
		size  int
		given int
	}{
		{50 * time.Millisecond, 20, 0},
		{50 * time.Millisecond, 200, comingAtOnce},
		{time.Second, 20, comingAtOnce},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newArrivals()
			var all sync.WaitGroup
			var given atomic.Int64
			for range 2 * comingAtOnce {
				all.Go(func() {
					over := make(chan bool, 1)
					one, ok := q.enter(bodyTime, endsWith(over))
					if !ok {
						t.Error("a body had no place")
						return
					}
					defer q.leave()
					body, err := one.read(&trickle{over, test.pause, test.size}, -1)
					if !q.arrived(one) {
						given.Add(1)
					} else if err != nil || len(body) != test.size {
						t.Errorf("%d bytes of %d, %v", len(body), test.size, err)
					}
				})
			}
			all.Wait()
			if int(given.Load()) != test.given {
				t.Errorf("bytes every %v: %d bodies given up, want %d", test.pause, given.Load(), test.given)
			}
		})
	}
}

// trickle is a body of so many bytes, which come one at a time.
type trickle struct {
	over  chan bool
	pause time.Duration
	left  int
}

func (c *trickle) Read(p []byte) (int, error) {
	if c.left == 0 {
		return 0, io.EOF
	}
	select {
	case <-c.over:
		return 0, io.ErrNoProgress
	case <-time.After(c.pause):
		c.left--
		return 1, nil
	}
}
