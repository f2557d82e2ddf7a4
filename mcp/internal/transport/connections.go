package transport

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"blue/errors"
)

// Limits of the open files of a server: some for itself, some for each call, and the rest for
// connections.
const (
	ownFiles     = 10
	callFiles    = 8
	leavingTime  = 500 * time.Millisecond // for a rejected client to read why
	leavingFiles = 2                      // connections that are rejected at once

	tooManyConnections = "too many connections; try again in a few seconds"
	noRequest          = "no whole HTTP request was sent, or none that can be read"
)

// Connections is a listener that rejects connections beyond a limit. Otherwise they would wait
// in the queue of the system until their clients time out. Listener must be set before the
// first Accept.
type Connections struct {
	net.Listener
	Most    int64        // at once
	Open    atomic.Int64 // now
	leaving chan struct{}
	log     func(reason string) // logs a rejected connection
}

// talk is a connection with its state, for the log of those without a request.
type talk struct {
	*net.TCPConn
	begun, served atomic.Bool // whether bytes of a request came; whether they were a request
}

// talkKey is the context key of a request's *talk.
type talkKey struct{}

func withTalk(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, talkKey{}, conn)
}

// ShareFiles divides a limit of open files between connections and at most atOnce calls. A
// limit of 0 means that there is none.
func ShareFiles(files uint64, atOnce int) (connections int64, calls int) {
	if files == 0 || files > math.MaxInt32 {
		return math.MaxInt32, atOnce
	}
	free := max(int64(files)-ownFiles, callFiles+1)
	connections = max(free/3, free-int64(atOnce)*callFiles)
	return connections, int(max(1, (free-connections)/callFiles))
}

// FewFiles reports whether a limit of open files is less than the calls and sessions of a
// server may need. A session may need two: a stream and a message.
func FewFiles(files uint64, atOnce int) bool {
	return files > 0 && files < uint64(ownFiles+atOnce*callFiles+2*maxSessions)
}

// Accept returns the next connection within the limit, and rejects those beyond it.
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
			return &talk{TCPConn: conn.(*net.TCPConn)}, nil
		}
		c.leaving <- struct{}{}
		go c.turnAway(conn)
	}
}

// turnAway answers a connection with status 503 without reading a request.
func (c *Connections) turnAway(conn net.Conn) {
	defer func() { <-c.leaving }()
	defer conn.Close()
	c.log(tooManyConnections)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, codeTransport, tooManyConnections)
	_ = conn.SetDeadline(time.Now().Add(leavingTime))
	fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\n"+
		"Connection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, conn) // closing with unread data would discard the answer
}

// count counts open connections, and logs one that ends without a request that net/http can
// read.
func (c *Connections) count(conn net.Conn, state http.ConnState) {
	t := conn.(*talk)
	switch state {
	case http.StateNew:
		c.Open.Add(1)
	case http.StateActive, http.StateIdle:
		t.begun.Store(state == http.StateActive)
		t.served.Store(false)
	case http.StateClosed: // handlers hijack no connection
		c.Open.Add(-1)
		if t.begun.Load() && !t.served.Load() {
			c.log(noRequest)
		}
	}
}

// tight reports whether so many connections are open that each should close after its answer.
func (c *Connections) tight() bool { return c.Open.Load() > c.Most/2 }

// restTime is how long after a change in connections memory is released.
const restTime = 20 * time.Second

// releaseLater returns memory to the system some time after connections have opened or closed,
// and once more after the same time, since memory held by pools and finalizers outlives one
// collection. The runtime itself keeps the memory of many sessions for minutes, and longer when
// the server is idle.
func (s *Server) releaseLater() {
	if s.stirred.Swap(true) {
		return
	}
	time.AfterFunc(restTime, func() {
		s.stirred.Store(false)
		debug.FreeOSMemory()
		time.AfterFunc(restTime, func() {
			if !s.stirred.Load() {
				debug.FreeOSMemory()
			}
		})
	})
}
