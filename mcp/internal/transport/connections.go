package transport

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"blue/errors"
)

// Of the files that the system lets a server open, it needs some itself, each call takes
// some, and the rest are connections.
const (
	ownFiles     = 10
	callFiles    = 8
	leavingTime  = 500 * time.Millisecond // for one that is turned away to read why
	leavingFiles = 2                      // connections that are turned away at once

	tooManyConnections = "too many connections; try again in a few seconds"
	noRequest          = "no whole HTTP request was sent, or none that can be read"
)

// Connections is a listener, set before the first Accept, that turns connections away when
// there are too many of them. Without it they would wait in the system's queue until their
// clients lose patience.
type Connections struct {
	net.Listener
	Most    int64        // at once
	Open    atomic.Int64 // now
	leaving chan struct{}
	log     func(reason string) // of a connection that is refused
	talks   sync.Map            // *talk by net.Conn
}

// talk is what a connection is about.
type talk struct{ begun, served atomic.Bool } // bytes of a request came; they were one

// talkKey is the key of a request's talk.
type talkKey struct{}

func (c *Connections) begin(ctx context.Context, conn net.Conn) context.Context {
	t := &talk{}
	c.talks.Store(conn, t)
	return context.WithValue(ctx, talkKey{}, t)
}

// ShareFiles divides a number of files, 0 for one without bound, between connections and at
// most so many calls.
func ShareFiles(files uint64, atOnce int) (connections int64, calls int) {
	if files == 0 || files > math.MaxInt32 {
		return math.MaxInt32, atOnce
	}
	free := max(int64(files)-ownFiles, callFiles+1)
	connections = max(free/3, free-int64(atOnce)*callFiles)
	return connections, int(max(1, (free-connections)/callFiles))
}

// FewFiles reports whether so many files are less than the calls and sessions of a server
// may need: a stream and a message of each session.
func FewFiles(files uint64, atOnce int) bool {
	return files > 0 && files < uint64(ownFiles+atOnce*callFiles+2*maxSessions)
}

func newConnections(most int64, log func(string)) *Connections {
	return &Connections{Most: most, leaving: make(chan struct{}, leavingFiles), log: log}
}

// Accept returns the next connection that there is room for.
func (c *Connections) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case err != nil:
			c.log(err.Error())
			return nil, err
		case c.Open.Load() < c.Most:
			return conn, nil
		}
		c.leaving <- struct{}{}
		go c.turnAway(conn)
	}
}

// turnAway answers a connection without a look at what it asks.
func (c *Connections) turnAway(conn net.Conn) {
	defer func() { <-c.leaving }()
	defer conn.Close()
	c.log(tooManyConnections)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, codeTransport, tooManyConnections)
	_ = conn.SetDeadline(time.Now().Add(leavingTime))
	fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, conn) // closed with something unread, it would take the answer back
}

// count follows the states of a connection. The library answers by itself what it cannot read
// as a request.
func (c *Connections) count(conn net.Conn, state http.ConnState) {
	if known, ok := c.talks.Load(conn); ok {
		t := known.(*talk)
		switch {
		case state == http.StateClosed || state == http.StateHijacked:
			c.talks.Delete(conn)
			if t.begun.Load() && !t.served.Load() {
				c.log(noRequest)
			}
		case state != http.StateNew:
			t.begun.Store(state == http.StateActive)
			t.served.Store(false)
		}
	}
	switch state {
	case http.StateNew:
		c.Open.Add(1)
	case http.StateClosed, http.StateHijacked:
		c.Open.Add(-1)
	}
}

// tight reports whether connections should not stay longer than their answer.
func (c *Connections) tight() bool { return c.Open.Load() > c.Most/2 }

// When a server gives memory back.
const (
	restTime  = 20 * time.Second // how often it looks
	restLimit = 16 << 20         // bytes above what it had at its start
)

// releaseMemory gives memory back to the system while the connections come and go. The
// runtime keeps what many sessions have needed for minutes after they are gone, and for
// longer when nothing happens.
func (s *Server) releaseMemory(ctx context.Context) {
	first, rounds := resident(), 0
	turn := time.NewTicker(restTime)
	defer turn.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-turn.C:
		}
		if s.stirred.Swap(false) {
			rounds = 2 // what pools and finalizers hold outlives the first
		}
		if rounds == 0 {
			continue
		}
		rounds--
		if resident() > first+restLimit {
			debug.FreeOSMemory()
		}
	}
}

// resident is how much memory of the system the runtime has.
func resident() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64() - sample[1].Value.Uint64()
}
