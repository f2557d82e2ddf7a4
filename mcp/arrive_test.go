package mcp

import (
	"blue/fixtures"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// R010: whoever comes after bodies that stall waits less than 2 s, up to fifty of
// them; and a body that nobody waits behind has all of its time.
func TestR010StalledBodies(t *testing.T) {
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
						t.Errorf("R010: %d bodies stall: one never had a place", stalled)
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
				t.Errorf("R010: %d bodies stall: a place after %v, %v", stalled, took, ok)
			} else {
				t.Logf("%d bodies stall: a place after %v", stalled, took)
			}
			if !q.arrived(one) {
				t.Error("R010: the body that came was given up")
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
				t.Errorf("R010: of %d bodies %d were given up, want %d", stalled, gone, want)
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

// R010: of bodies that come, none is given up; one that trickles is, after a while.
func TestR010SlowBodies(t *testing.T) {
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
						t.Error("R010: a body had no place")
						return
					}
					defer q.leave()
					body, err := one.read(&trickle{over, test.pause, test.size}, -1)
					if !q.arrived(one) {
						given.Add(1)
					} else if err != nil || len(body) != test.size {
						t.Errorf("R010: %d bytes of %d, %v", len(body), test.size, err)
					}
				})
			}
			all.Wait()
			if int(given.Load()) != test.given {
				t.Errorf("R010: bytes every %v: %d bodies given up, want %d", test.pause, given.Load(), test.given)
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

// R010: the same over connections: the bodies that stall are refused, the write is not.
func TestR010WriteBesideStalledBodies(t *testing.T) {
	t.Parallel()
	base := fixtures.Project(t, "shop")
	s := newWorld(t, filepath.Join(base, "elsewhere")).serve(t, base, HTTP{}, func(f *front) { f.bodyTime = time.Hour }) // who waited for it would not be served
	v := s.visit(`{}`)
	for range 3 * comingAtOnce {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.root, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: 1000000\r\n\r\n%s", conn.RemoteAddr(), s.tokens[0], strings.Repeat(" ", 20<<10))
	}
	within(t, "R010: stalled bodies in all places", func() bool { return len(s.f.arrivals.places) == comingAtOnce })
	began := time.Now()
	o := v.call("write", args("cwd", base+"/shop", "title", "Long", "body", strings.Repeat("word ", 8<<10)))
	took := time.Since(began)
	if o.IsError {
		t.Errorf("R010: after %v: %s", took, o.text())
	}
	t.Logf("a write of 40 kB beside %d stalled bodies took %v", 3*comingAtOnce, took)
}

// R010: a body without a length is read like any other.
func TestR010BodyWithoutLength(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	r := v.request(http.MethodPost, "/mcp", pingBody, v.pairs...)
	r.ContentLength = -1
	if h := v.do(r, nil); h.status != http.StatusOK {
		t.Errorf("R010: %s", h)
	}
	if n := len(s.f.arrivals.places) + len(s.f.large); n != 0 {
		t.Errorf("R010: %d places are still taken", n)
	}
}
