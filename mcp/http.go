package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
	"blue/marker"
)

// HTTP is what `blue mcp --http` asks for.
type HTTP struct {
	Addr           string        // HOST:PORT, HOST or :PORT
	HostNames      []string      // further names by which clients reach the server, each with its own port if it has one
	AllowRoots     []string      // the only directories to serve
	NoAuth         bool          // no token; on loopback alone
	SSE            bool          // also serve the 2024-11-05 transport
	SessionTimeout time.Duration // of an idle session; zero is 24 hours
}

// Times of a server.
const (
	headerTime  = 5 * time.Second
	bodyTime    = 30 * time.Second
	idleTime    = 120 * time.Second
	stopTime    = 10 * time.Second
	pollTime    = 10 * time.Millisecond
	sessionTime = 24 * time.Hour
	maxHeader   = 64 << 10
)

// Routes; no other exists.
const (
	mcpPath    = "/mcp"
	healthPath = "/health"
	ssePath    = "/sse"
)

// front is a server on HTTP: the layers of docs/http.md around one door.
type front struct {
	d        *door
	server   *mcp.Server
	hosts    hosts
	guarded  http.Handler // layers 4 to 6
	legacy   http.Handler
	modern   http.Handler
	sse      bool     // --sse
	streams  sync.Map // session id → stream, of --sse
	bodyTime time.Duration
	refusals refusals    // lines about them
	crowd    *crowd      // of connections
	stirred  atomic.Bool // since memory was given back
	arrivals *arrivals
	large    chan struct{} // places of large messages
	posts    atomic.Int64  // messages that are being answered
}

// ServeHTTP serves the protocol on HTTP until ctx ends, and then lets calls finish
// for 10 s. It writes one line with its URL to note. The kind of an error is
// Invalid when h asks for what cannot be.
func ServeHTTP(ctx context.Context, o Options, h HTTP, note io.Writer) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	at, err := h.check(o)
	if err != nil {
		return err
	}
	known, err := h.tokens(o)
	if err != nil {
		return err
	}
	listener, err := at.listen()
	if err != nil {
		return err
	}
	at.port = listener.Addr().(*net.TCPAddr).Port
	f := newFront(o, h, at, known)
	f.d.crashes.end = func() { end(errTooManyPanics) }
	f.d.warn(ctx)
	f.warnOfFew(openFiles())
	url := at.url(h.HostNames)
	forget, err := f.announce(url)
	if err != nil {
		f.d.o.Log.Warn("blue doctor cannot see this server", "err", err)
	}
	defer forget()
	if known == nil {
		f.d.o.Log.Warn("--no-auth: every program on this machine can read and change the notes")
		fmt.Fprintf(note, "Blue MCP on %s, without a token\n", url)
	} else {
		fmt.Fprintf(note, "Blue MCP on %s, token in %s\n", url, tilde(known.path, o.Blue.Home()))
	}
	if err := f.run(ctx, listener); err != nil {
		return err
	}
	if errors.Is(context.Cause(ctx), errTooManyPanics) {
		return errTooManyPanics
	}
	return nil
}

func (h HTTP) tokens(o Options) (*tokens, error) {
	if h.NoAuth {
		return nil, nil
	}
	return openTokens(o.Blue.TokenFile(), o.Log)
}

// tilde shortens a path below home.
func tilde(path, home string) string {
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok && home != "" {
		return filepath.Join("~", rest)
	}
	return path
}

func newFront(o Options, h HTTP, at address, known *tokens) *front {
	o.Dir = marker.NotOverHTTP
	d := newDoor(o)
	d.http, d.allowed, d.restart = true, h.allowed(o, at), h.flags()
	f := &front{d: d, server: d.server(), hosts: newHosts(at.port, h.HostNames), sse: h.SSE, bodyTime: bodyTime}
	f.refusals.tell = func(heldBack int) { d.o.Log.Info("more requests were refused", "without_a_line", heldBack) }
	connections, calls := share(openFiles())
	f.crowd, d.gate = newCrowd(connections, f.refused), newGate(calls)
	f.arrivals, f.large = newArrivals(), make(chan struct{}, largeAtOnce)
	one := func(*http.Request) *mcp.Server { return f.server }
	options := mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, PropagateRequestCancellation: true,
		MaxRequestBodyBytes: 2 * maxBody, // the guard has measured it; encoded anew it may be longer
		Logger:              quiet(d.o.Log), DisableLocalhostProtection: true,
	}
	f.modern = mcp.NewStreamableHTTPHandler(one, &options)
	options.Stateless, options.JSONResponse, options.PropagateRequestCancellation = false, false, false
	if options.SessionTimeout = h.SessionTimeout; options.SessionTimeout == 0 {
		options.SessionTimeout = sessionTime
	}
	f.legacy = mcp.NewStreamableHTTPHandler(one, &options)
	f.guarded = http.HandlerFunc(f.guard)
	if known != nil {
		f.guarded = auth.RequireBearerToken(known.verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(f.guarded)
	}
	return f
}

// ServeHTTP makes the checks of docs/http.md up to the token.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := &response{ResponseWriter: w, last: f.crowd.tight(), modern: isModernVersion(r.Header.Get(versionName))}
	defer f.record(a, r, time.Now())
	defer a.end(f.d.o.Log)
	switch {
	case !f.routes(r.URL.Path):
		a.status, a.reason = http.StatusNotFound, "no such route"
		http.NotFound(w, r)
	case !f.hosts.serve(r.Host):
		a.refuse(http.StatusForbidden, a.rejected("Forbidden: this server has no such Host"))
	case !f.hosts.allow(r.Header["Origin"]):
		a.refuse(http.StatusForbidden, a.rejected("Forbidden: pages of this Origin may not call"))
	case r.URL.Path == healthPath:
		f.health(a, r)
	case repeated(r.Header) != "":
		a.refuse(http.StatusBadRequest, a.rejected("Bad Request: the header "+repeated(r.Header)+" came more than once"))
	default:
		f.guarded.ServeHTTP(a, r)
	}
}

// repeated names a header that came more than once, though a check rests on it: whoever
// stands between may have judged another of its values than the one read here.
func repeated(h http.Header) string {
	for _, name := range [...]string{"Authorization", sessionName, versionName, "Mcp-Method", "Mcp-Name"} {
		if len(h[name]) > 1 {
			return name
		}
	}
	return ""
}

func (f *front) routes(path string) bool {
	switch path {
	case mcpPath, mcpPath + "/", healthPath:
		return true
	}
	return path == ssePath && f.sse
}

func (f *front) health(a *response, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		a.notAllowed(http.MethodGet, http.MethodHead)
		return
	}
	a.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(a).Encode(map[string]string{"status": "ok", "version": f.d.o.Version}) // a client that is gone misses nothing
}

// run serves until ctx ends.
func (f *front) run(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: f, ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(f.d.o.Log.Handler(), slog.LevelDebug),
	}
	server.ConnState, f.crowd.Listener = f.connection, listener
	go f.rest(ctx)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(f.crowd) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	f.stop(context.WithoutCancel(ctx), server)
	f.refusals.end()
	return nil
}

// stop takes no more connections, lets calls finish, and ends the sessions and
// with them their streams. The SDK answers no call of a session that is closing,
// so the sessions come last.
func (f *front) stop(ctx context.Context, server *http.Server) {
	limit, cancel := context.WithTimeout(ctx, stopTime)
	defer cancel()
	shut := make(chan error, 1)
	go func() { shut <- server.Shutdown(limit) }()
	for f.busy() && limit.Err() == nil {
		time.Sleep(pollTime)
	}
	for session := range f.server.Sessions() {
		go f.d.closeSession(session)
	}
	if <-shut != nil {
		f.d.o.Log.Warn("ending with calls still running")
	}
	_ = server.Close() // of what is left; its clients are told nothing more
}

// busy reports whether a message is being answered. Open streams do not count.
func (f *front) busy() bool { return f.posts.Load() > 0 || len(f.d.gate.queued) > 0 }
