package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"blue/errors"
)

// Times of a server.
const (
	headerTime = 5 * time.Second
	bodyTime   = 30 * time.Second
	idleTime   = 120 * time.Second
	stopTime   = 10 * time.Second
	pollTime   = 10 * time.Millisecond
	maxHeader  = 64 << 10
)

// Options are the parts and settings of a server.
type Options struct {
	Server         *mcp.Server
	Version        string // of Blue
	Log            *slog.Logger
	Port           int                         // that is bound
	HostNames      []string                    // further names by which clients reach the server
	Tokens         *Tokens                     // nil: no token is asked for
	SSE            bool                        // also serve the 2024-11-05 transport
	SessionTimeout time.Duration               // of an idle session
	Turns          *Turns                      // of the calls of sessions
	LostTurn       time.Duration               // after which a call that the server has not seen is lost
	Connections    int64                       // at once
	Callers        *Callers                    // of a server with many of them, in place of Tokens
	Routes         map[string]http.HandlerFunc // further ones, that tell nothing of notes
	Guarded        map[string]http.HandlerFunc // further ones, behind the token
	Pages          Pages                       // for browsers, which bring no token

	Close func(*mcp.ServerSession) error // ends a session
	Leave func(*mcp.ServerSession)       // a session is about to end, and waits for its client no more
	Busy  func() bool                    // whether calls run or wait to run
}

// Server is an HTTP handler that makes the checks of docs/http.md before it calls a handler of
// the SDK: one for the sessions of the legacy versions, one for the modern versions, whose
// requests stand alone.
type Server struct {
	Sessions    *Registry
	Connections *Connections
	BodyTime    time.Duration // in which a body must come
	Large       chan struct{} // places of large messages

	o        Options
	hosts    hosts
	guarded  http.Handler // behind the token
	legacy   http.Handler
	modern   http.Handler
	streams  sync.Map // session id → stream, of --sse
	refusals refusals // lines about them
	arrivals *arrivals
	stirred  atomic.Bool       // connections came or went, so that memory is given back soon
	posts    atomic.Int64      // messages that are being answered
	statuses [600]atomic.Int64 // answers by status
}

// Pages are for browsers. Both functions are nil for a server without pages.
type Pages struct {
	Serves func(path string) bool
	Serve  http.HandlerFunc
}

func (p Pages) has(path string) bool { return p.Serves != nil && p.Serves(path) }

// New returns a server with the options o.
func New(o Options) *Server {
	s := &Server{
		Sessions: &Registry{
			Rate: perSecond, Burst: burst,
			known: map[string]*registered{}, tokens: map[string]*rate.Limiter{}, end: o.Close,
		},
		BodyTime: bodyTime, Large: make(chan struct{}, largeAtOnce),
		o: o, hosts: newHosts(o.Port, o.HostNames), arrivals: newArrivals(),
	}
	s.Connections = &Connections{Most: o.Connections, leaving: make(chan struct{}, leavingFiles), log: s.logConnection}
	s.refusals.tell = func(heldBack int) { o.Log.Info("more requests were refused", "without_a_line", heldBack) }
	one := func(*http.Request) *mcp.Server { return o.Server }
	options := mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes:        2 * maxBody, // it has been measured; encoded anew it may be longer
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

// ServeHTTP makes the checks of docs/http.md up to the token and calls the route.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	modern := r.Header.Get(versionHeader) >= FirstModern
	a := &response{ResponseWriter: w, leave: func() {}, last: s.Connections.tight(), modern: modern}
	if t, ok := r.Context().Value(talkKey{}).(*talk); ok {
		t.served.Store(true)
	}
	if s.o.Callers != nil {
		a.request = requestOf(r)
		a.Header().Set(requestHeader, a.request)
	}
	defer s.logRequest(a, r, time.Now())
	defer a.finish(s.o.Log)
	twice, repeated := repeatedHeader(r.Header), errors.Repeated(r.URL.RawQuery)
	// A probe may call by the address of the server, under any Host: its answer holds nothing of notes.
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

// requestHeader is the header in which a proxy gives its id of a request, and an answer repeats it.
const requestHeader = "X-Request-Id"

var requestPattern = regexp.MustCompile(`^[\w.:-]{1,64}$`)

// requestOf returns the id of a request: that of the proxy, or a new one.
func requestOf(r *http.Request) string {
	if id := r.Header.Get(requestHeader); requestPattern.MatchString(id) {
		return id
	}
	return rand.Text()
}

// Origin returns the id of the request of a call and the subject that sent it, as far as the
// call has them.
func Origin(extra *mcp.RequestExtra) (request, subject string) {
	if extra == nil {
		return "", ""
	}
	return extra.Header.Get(requestHeader), SubjectOf(userOf(extra))
}

// SubjectOf returns the subject of a user, whose name ends with a space and its token.
func SubjectOf(user string) string { return user[:max(0, strings.LastIndexByte(user, ' '))] }

// responseKey is the context key of the response to a request that stands alone.
type responseKey struct{}

// RefuseCall makes the answer to a call that is not made one of status 429. That to a call of a
// session stays as it is: programs of these versions end their session at such a status.
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
	return path == ssePath && s.o.SSE || s.o.Routes[path] != nil || s.o.Guarded[path] != nil || s.o.Pages.has(path)
}

// Run serves until ctx ends, and then gives running calls 10 s to finish.
func (s *Server) Run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog:    slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
		ConnContext: withTalk,
		ConnState:   func(conn net.Conn, state http.ConnState) { s.releaseLater(); s.Connections.count(conn, state) },
	}
	s.Connections.Listener = listener
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(s.Connections) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	s.stop(context.WithoutCancel(ctx), server)
	s.refusals.end()
	return nil
}

// stop accepts no more connections, waits for running calls, and then closes the sessions and
// their streams. The SDK answers no call of a session that is closing.
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
	_ = server.Close() // of what is left; its clients are told nothing more
}

// SessionOf returns the session that a request belongs to, nil for one that stands alone.
func (s *Server) SessionOf(r *http.Request) *mcp.ServerSession {
	return s.Sessions.find(r.Header.Get(sessionHeader))
}

// Statuses yields the statuses of answers, and how many there were of each. Those of a refusal
// are always among them.
func (s *Server) Statuses(yield func(status int, answers int64) bool) {
	always := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}
	for status := 100; status < len(s.statuses); status++ { // 0: the client left before there was one
		n := s.statuses[status].Load()
		if (n > 0 || slices.Contains(always, status)) && !yield(status, n) {
			return
		}
	}
}

// Load is a count of what a server is busy with.
type Load struct {
	Messages int // that are being answered
	Arriving int // large bodies on their way
	Turns    int // calls with a turn in the order of their session
	Waiting  int // calls that wait for their turn in it
	Sessions int
}

// Load counts what the server is busy with, one item after the other.
func (s *Server) Load() (l Load) {
	l.Messages, l.Arriving = int(s.posts.Load()), len(s.arrivals.places)
	l.Sessions, l.Turns = s.Sessions.count()
	l.Waiting = s.o.Turns.Waiting()
	return l
}
