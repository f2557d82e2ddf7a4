package transport

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"blue/errors"
)

// Limits of the files that a server opens: some for itself, some for each call, and the rest
// for connections.
const (
	ownFiles     = 10
	callFiles    = 8
	leavingTime  = 500 * time.Millisecond // for one that is turned away to read why
	leavingFiles = 2                      // connections that are turned away at once

	tooManyConnections = "too many connections; try again in a few seconds"
	noRequest          = "no whole HTTP request was sent, or none that can be read"
)

// Connections is a listener that refuses connections when there are too many of them. Otherwise
// they would wait in the queue of the system until their clients time out. Listener must be
// set before the first Accept.
type Connections struct {
	net.Listener
	Most    int64        // at once
	Open    atomic.Int64 // now
	leaving chan struct{}
	log     func(reason string) // of a connection that is refused
}

// talk is a connection with its state, for the log of those without a request.
type talk struct {
	*net.TCPConn
	begun, served atomic.Bool // bytes of a request came; they were one
}

// talkKey is the context key of a request's *talk.
type talkKey struct{}

func withTalk(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, talkKey{}, conn)
}

// ShareFiles divides a limit of open files, 0 for none, between connections and at most atOnce
// calls.
func ShareFiles(files uint64, atOnce int) (connections int64, calls int) {
	if files == 0 || files > math.MaxInt32 {
		return math.MaxInt32, atOnce
	}
	free := max(int64(files)-ownFiles, callFiles+1)
	connections = max(free/3, free-int64(atOnce)*callFiles)
	return connections, int(max(1, (free-connections)/callFiles))
}

// FewFiles reports whether a limit of open files is less than the calls and sessions of a
// server may need: a stream and a message of each session.
func FewFiles(files uint64, atOnce int) bool {
	return files > 0 && files < uint64(ownFiles+atOnce*callFiles+2*maxSessions)
}

// Accept returns the next connection within the limit, and refuses those beyond it.
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
	fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 2\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	_ = conn.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, conn) // closed with something unread, it would take the answer back
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
	case http.StateClosed: // nothing here hijacks one
		c.Open.Add(-1)
		if t.begun.Load() && !t.served.Load() {
			c.log(noRequest)
		}
	}
}

// tight reports whether so many connections are open that each should end with its answer.
func (c *Connections) tight() bool { return c.Open.Load() > c.Most/2 }

// restTime is how long after connections came or went memory is given back.
const restTime = 20 * time.Second

// releaseLater returns memory to the system some time after connections have come or gone, and
// again after the same time, since what pools and finalizers hold outlives one collection. The
// runtime itself keeps the memory of many sessions for minutes, and longer when the server is
// idle.
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

// refusalsPerMinute is how many refused requests a minute have a line at INFO.
const refusalsPerMinute = 20

// refusals limits the lines of refused requests, and reports how many it has held back.
type refusals struct {
	tell func(heldBack int)

	mu          sync.Mutex
	shown, held int
	minute      *time.Timer // ends the minute, nil before the first line of one
}

// show reports whether a line may be written.
func (q *refusals) show() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.minute == nil {
		q.minute = time.AfterFunc(time.Minute, q.end)
	}
	if q.shown == refusalsPerMinute {
		q.held++
		return false
	}
	q.shown++
	return true
}

func (q *refusals) end() {
	q.mu.Lock()
	held := q.held
	if q.minute != nil {
		q.minute.Stop()
	}
	q.shown, q.held, q.minute = 0, 0, nil
	q.mu.Unlock()
	if held > 0 {
		q.tell(held)
	}
}

// logRequest writes the line of a request that has ended: at INFO when it was refused, within
// the limit of refusals, else at DEBUG. It omits the query, which may hold anything, most
// headers, and the names in the path of a page.
func (s *Server) logRequest(a *response, r *http.Request, began time.Time) {
	path := errors.Cut(r.URL.Path, 200)
	if s.o.Pages.has(path) {
		path = "/" + strings.SplitN(path, "/", 3)[1]
	}
	switch {
	case a.status == 0 && r.Context().Err() != nil:
		a.reason = "the client left before there was an answer"
	case a.status == 0:
		a.status = http.StatusOK // with an empty body
	}
	level := slog.LevelDebug
	if a.status >= 400 && s.refusals.show() {
		level = slog.LevelInfo
	}
	s.statuses[a.status%len(s.statuses)].Add(1)
	session := cmp.Or(r.Header.Get(sessionHeader), a.Header().Get(sessionHeader))
	attrs := []slog.Attr{
		slog.String("method", errors.Cut(r.Method, 20)), slog.String("path", path), slog.Int("status", a.status),
		slog.Duration("took", time.Since(began).Round(time.Microsecond)),
	}
	if a.request != "" { // of a server of many, whose lines are read by machines
		attrs[len(attrs)-1] = Milliseconds(time.Since(began))
	}
	for _, more := range [...]struct{ name, value string }{
		{"request", a.request}, {"subject", SubjectOf(a.user)}, {"verb", errors.Cut(a.verb, 40)},
		{"reason", errors.Cut(a.reason, 200)}, {"agent", errors.Cut(r.UserAgent(), 200)},
		{"session", errors.Cut(session, 12)},
	} {
		if more.value != "" {
			attrs = append(attrs, slog.String(more.name, more.value))
		}
	}
	s.o.Log.LogAttrs(context.Background(), level, "request", attrs...)
}

// Milliseconds is how long something took, in the log of a server of many.
func Milliseconds(took time.Duration) slog.Attr {
	return slog.Float64("ms", float64(took.Microseconds())/1000)
}

// logConnection writes the line of a connection on which no request was served.
func (s *Server) logConnection(reason string) {
	level := slog.LevelDebug
	if s.refusals.show() {
		level = slog.LevelInfo
	}
	s.o.Log.Log(context.Background(), level, "connection refused", "reason", reason)
}
