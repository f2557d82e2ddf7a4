package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/netutil"

	"blue/errors"
)

// Timeouts and limits of a server.
const (
	headerTime = 5 * time.Second
	bodyTime   = 30 * time.Second
	idleTime   = 120 * time.Second
	stopTime   = 10 * time.Second
	restTime   = 10 * time.Second // after a connection opened or closed, until memory is released
	pollTime   = 10 * time.Millisecond
	maxHeader  = 64 << 10

	maxConnections = 2 * maxSessions // at once: a session may have a stream and a message
)

// Options are the parts and settings of a server.
type Options struct {
	Server         *mcp.Server
	Version        string // of Blue
	Log            *slog.Logger
	Port           int                         // the bound port
	HostNames      []string                    // more names by which clients reach the server
	Tokens         *Tokens                     // nil: no token is required
	SessionTimeout time.Duration               // of an idle session
	Turns          *Turns                      // of the calls of sessions
	LostTurn       time.Duration               // when a call that never arrived loses its turn
	Callers        *Callers                    // for a server with many callers, instead of Tokens
	Routes         map[string]http.HandlerFunc // more routes, which reveal nothing of notes
	Guarded        map[string]http.HandlerFunc // more routes, which require the token
	Pages          Pages                       // for browsers, which send no token

	Close func(*mcp.ServerSession) error // ends a session
	Leave func(*mcp.ServerSession)       // stops a session's wait for its client
	Busy  func() bool                    // reports whether calls run or wait to run
}

// Server is an HTTP handler that makes the checks of docs/http.md before it calls a handler of
// the SDK: one for the sessions of the legacy versions, one for the modern versions, whose
// requests stand alone.
type Server struct {
	Sessions *Registry
	BodyTime time.Duration // how long a body may take to arrive

	o        Options
	hosts    hosts
	guarded  http.Handler // requires the token
	legacy   http.Handler
	modern   http.Handler
	posts    atomic.Int64      // messages being answered
	statuses [600]atomic.Int64 // answers by status
}

// Pages serves web pages. Both functions are nil on a server without pages.
type Pages struct {
	Serves func(path string) bool
	Serve  http.HandlerFunc
}

func (p Pages) has(path string) bool { return p.Serves != nil && p.Serves(path) }

// New returns a server with the options o.
func New(o Options) *Server {
	s := &Server{
		Sessions: &Registry{
			known: map[string]*registered{}, end: o.Close,
		},
		BodyTime: bodyTime,
		o:        o, hosts: newHosts(o.Port, o.HostNames),
	}
	one := func(*http.Request) *mcp.Server { return o.Server }
	options := mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes:        2 * maxBody, // it was measured; encoded again it may be longer
		DisableLocalhostProtection: true,
	}
	s.modern = mcp.NewStreamableHTTPHandler(one, &options)
	options.Stateless, options.JSONResponse, options.PropagateRequestCancellation = false, false, false
	options.SessionTimeout = o.SessionTimeout
	s.legacy = mcp.NewStreamableHTTPHandler(one, &options)
	s.guarded = http.HandlerFunc(s.serveProtocol)
	if o.Tokens != nil {
		s.guarded = bearer(o.Tokens.verify, s.guarded)
	}
	if o.Callers != nil {
		s.guarded = o.Callers.guard(s.guarded)
	}
	return s
}

// ServeHTTP makes the checks of docs/http.md before the token and calls the route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	modern := r.Header.Get(versionHeader) >= FirstModern
	a := &response{ResponseWriter: w, modern: modern}
	if s.o.Callers != nil {
		a.request = requestOf(r)
		a.Header().Set(requestHeader, a.request)
	}
	defer s.logRequest(a, r, time.Now())
	defer a.finish(s.o.Log)
	twice, repeated := repeatedHeader(r.Header), errors.Repeated(r.URL.RawQuery)
	// A probe may use the server's address as Host, since its answer holds nothing of notes.
	probe := s.o.Routes != nil && (r.URL.Path == healthPath || s.o.Routes[r.URL.Path] != nil)
	switch {
	case !s.hasRoute(r.URL.Path):
		a.status, a.reason = http.StatusNotFound, "no such route"
		http.NotFound(w, r)
	case !s.hosts.serves(r.Host) && !probe:
		a.refuse(http.StatusForbidden, a.transportFault("Forbidden: this server has no such Host"))
	case !s.hosts.allows(r.Header["Origin"]):
		a.refuse(http.StatusForbidden, a.transportFault("Forbidden: pages of this Origin may not call"))
	case twice != "":
		a.refuse(http.StatusBadRequest, a.transportFault("Bad Request: the header "+twice+" came more than once"))
	case repeated != nil:
		a.refuse(http.StatusBadRequest, a.transportFault("Bad Request: "+errors.Of(repeated).Message))
		a.reason = "a parameter came more than once" // the log omits its name, which the caller chose
	case r.URL.Path == healthPath:
		a.showJSON(r, map[string]string{"status": "ok", "version": s.o.Version})
	case s.o.Routes[r.URL.Path] != nil:
		s.o.Routes[r.URL.Path](a, r)
	case s.o.Pages.has(r.URL.Path):
		s.o.Pages.Serve(a, r)
	default:
		s.guarded.ServeHTTP(a, r)
	}
}

// requestHeader is the header in which a proxy sends its request id; the answer repeats it.
const requestHeader = "X-Request-Id"

var requestPattern = regexp.MustCompile(`^[\w.:-]{1,64}$`)

// requestOf returns the id of a request: the proxy's, or a new one.
func requestOf(r *http.Request) string {
	if id := r.Header.Get(requestHeader); requestPattern.MatchString(id) {
		return id
	}
	return rand.Text()
}

// Origin returns the request id and the subject of a call, as far as the call has them.
func Origin(extra *mcp.RequestExtra) (request, subject string) {
	if extra == nil {
		return "", ""
	}
	return extra.Header.Get(requestHeader), SubjectOf(userOf(extra))
}

// SubjectOf returns the subject of a user, which is all before the last space.
func SubjectOf(user string) string { return user[:max(0, strings.LastIndexByte(user, ' '))] }

// responseKey is the context key of the response to a request that stands alone.
type responseKey struct{}

// RefuseCall sets status 429 on the answer to a rejected call that stands alone. The answer to
// a session's call keeps its status, because legacy clients end their session at such a status.
func RefuseCall(ctx context.Context, seconds int, reason string) {
	if a, ok := ctx.Value(responseKey{}).(*response); ok {
		a.tooMany.Store(&tooMany{seconds, "Too Many Requests: " + reason})
	}
}

func (s *Server) hasRoute(path string) bool {
	switch path {
	case mcpPath, mcpPath + "/", healthPath:
		return true
	}
	return s.o.Routes[path] != nil || s.o.Guarded[path] != nil || s.o.Pages.has(path)
}

// Run serves until ctx ends, and then gives running calls 10 s to finish.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	rest := time.AfterFunc(restTime, debug.FreeOSMemory) // else the runtime keeps for minutes what many sessions took
	defer rest.Stop()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog:  slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
		ConnState: func(net.Conn, http.ConnState) { rest.Reset(restTime) },
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(netutil.LimitListener(listener, maxConnections)) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	s.stop(context.WithoutCancel(ctx), server)
	return nil
}

// stop stops accepting connections, waits for running calls, and then closes the sessions and
// their streams. The order matters: the SDK does not answer calls of a session that is closing.
func (s *Server) stop(ctx context.Context, server *http.Server) {
	limit, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	shut := make(chan error, 1)
	go func() { shut <- server.Shutdown(limit) }()
	for (s.posts.Load() > 0 || s.o.Busy()) && limit.Err() == nil { // open streams do not count
		time.Sleep(pollTime)
	}
	for session := range s.o.Server.Sessions() {
		go s.o.Close(session)
	}
	if <-shut != nil {
		s.o.Log.Warn("ending with calls still running")
	}
	_ = server.Close() // closes the remaining connections without an answer
}

// SessionOf returns the session that a request belongs to, nil if it stands alone.
func (s *Server) SessionOf(r *http.Request) *mcp.ServerSession {
	return s.Sessions.find(r.Header.Get(sessionHeader))
}

// Statuses yields the statuses of answers with their counts. It always yields 401, 403 and 429.
func (s *Server) Statuses(yield func(status int, answers int64) bool) {
	always := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}
	for status := 100; status < len(s.statuses); status++ { // 0: the client left before an answer
		n := s.statuses[status].Load()
		if (n > 0 || slices.Contains(always, status)) && !yield(status, n) {
			return
		}
	}
}

// Load counts the work of a server.
type Load struct {
	Messages int // being answered
	Turns    int // calls with a turn in the order of their session
	Waiting  int // calls that wait for that turn
	Sessions int
}

// Load returns the current load. The counts are not taken at the same instant.
func (s *Server) Load() (l Load) {
	l.Messages = int(s.posts.Load())
	l.Sessions, l.Turns = s.Sessions.count()
	l.Waiting = s.o.Turns.Waiting()
	return l
}
