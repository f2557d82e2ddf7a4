package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"blue/errors"
)

// Of the files that the system lets a server open, it needs some itself, each call takes
// some, and the rest are connections.
const (
	ownFiles     = 10
	callFiles    = 8
	enoughFiles  = ownFiles + atOnce*callFiles + 2*maxSessions // a stream and a message of each session
	leavingTime  = 500 * time.Millisecond                      // for one that is turned away to read why
	leavingFiles = 2                                           // connections that are turned away at once

	crowded = "too many connections; try again in a few seconds"
)

// crowd is a listener, set before the first Accept, that turns connections away when there are too many of them.
// Without it they would wait in the system's queue until their clients lose patience.
type crowd struct {
	net.Listener
	most    int64 // connections at once
	open    atomic.Int64
	leaving chan struct{}
	log     func(reason string) // of a connection that is refused
}

// share divides a number of files, 0 for one without bound, between connections and calls.
func share(files uint64) (connections int64, calls int) {
	if files == 0 || files > math.MaxInt32 {
		return math.MaxInt32, atOnce
	}
	free := max(int64(files)-ownFiles, callFiles+1)
	connections = max(free/3, free-atOnce*callFiles)
	return connections, int(max(1, (free-connections)/callFiles))
}

func newCrowd(most int64, log func(string)) *crowd {
	return &crowd{most: most, leaving: make(chan struct{}, leavingFiles), log: log}
}

// Accept returns the next connection that there is room for.
func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return nil, err
		case err != nil:
			c.log(err.Error())
			return nil, err
		case c.open.Load() < c.most:
			return conn, nil
		}
		c.leaving <- struct{}{}
		go c.turnAway(conn)
	}
}

// turnAway answers a connection without a look at what it asks.
func (c *crowd) turnAway(conn net.Conn) {
	defer func() { <-c.leaving }()
	defer conn.Close()
	c.log(crowded)
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, codeTransport, crowded)
	_ = conn.SetDeadline(time.Now().Add(leavingTime))
	fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	_, _ = io.Copy(io.Discard, conn) // closed with something unread, it would take the answer back
}

// count is the server's hook for a connection that comes or goes.
func (c *crowd) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		c.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		c.open.Add(-1)
	}
}

// tight reports whether connections should not stay longer than their answer.
func (c *crowd) tight() bool { return c.open.Load() > c.most/2 }

// refused writes the line of a connection that is turned away.
func (f *front) refused(reason string) {
	level := slog.LevelDebug
	if f.refusals.show() {
		level = slog.LevelInfo
	}
	f.d.o.Log.Log(context.Background(), level, "connection refused", "status", http.StatusServiceUnavailable, "reason", reason)
}

// warnOfFew says at start that few connections are possible.
func (f *front) warnOfFew(files uint64) {
	if files > 0 && files < enoughFiles {
		f.d.o.Log.Warn("few files may be open at once; raise the limit, for example: ulimit -n 4096", "files", files, "connections", f.crowd.most, "calls", cap(f.d.gate.running))
	}
}
