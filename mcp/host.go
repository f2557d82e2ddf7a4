package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/web"
)

// Hosting is what `blue server` asks for.
type Hosting struct {
	Addr      string   // HOST:PORT, HOST or :PORT
	HostNames []string // further names by which clients reach the server
	NoAuth    bool     // no token; on loopback alone
	PerSecond float64  // calls of one subject; 0 for the default
	PerDay    int64    // bytes that one subject may send in a day; 0 for the default
}

// What one subject may ask of a server, unless it is started with other limits.
const (
	subjectPerSecond = 50
	subjectBurst     = 200
	subjectPerDay    = 1 << 30
)

// ServeHosted serves the projects of a host on HTTP until ctx ends, and then lets calls
// finish for 10 s. It calls ready with the URL once it listens.
func ServeHosted(ctx context.Context, o Options, h Hosting, ready func(url string)) error {
	at, err := web.ParseAddress(h.Addr, "")
	if err != nil {
		return err
	}
	for _, name := range h.HostNames {
		if err := web.CheckHostName(name); err != nil {
			return err
		}
	}
	if h.NoAuth && !at.Loopback() {
		return errors.OpenServer(at.Host)
	}
	if !at.Loopback() && len(h.HostNames) == 0 {
		return errors.Missing("host-name", "name the server as its clients do: --host-name notes.example.com")
	}
	listener, err := at.Listen()
	if err != nil {
		return err
	}
	at.Port = listener.Addr().(*net.TCPAddr).Port
	d := newHostedDoor(o, h, at)
	ready(at.URL(h.HostNames))
	return d.run(ctx, func(ctx context.Context) error { return d.web.Run(ctx, listener) })
}

// newHostedDoor is a door behind a server of hosted projects.
func newHostedDoor(o Options, h Hosting, at web.Address) *door {
	o.Dir, o.Project = marker.NotOverHTTP, nil
	d := newDoor(o)
	d.counts, d.syncs = newCounts(), make(chan struct{}, syncsAtOnce)
	files := web.OpenFiles()
	connections, calls := web.ShareFiles(files, atOnce)
	d.calls = newSemaphore(calls)
	callers := &web.Callers{Verify: o.Host.Verify, Admit: newAllowances(h).admit}
	if h.NoAuth {
		callers.Verify = nil
	}
	d.web = web.New(web.Options{
		Server: d.server(), Version: o.Version, Log: d.o.Log, SDKLog: debugOnly(d.o.Log),
		Port: at.Port, HostNames: h.HostNames, SessionTimeout: sessionTime, LostTurn: lostTurn, Connections: connections,
		Callers: callers, Routes: map[string]http.HandlerFunc{"/ready": d.serveReady, "/metrics": d.serveMetrics},
		Guarded: map[string]http.HandlerFunc{syncPath: d.serveSync},
		Close:   d.closeSession, Leave: d.stopWaiting, Busy: func() bool { return len(d.calls.queued) > 0 },
	})
	d.web.Sessions.Rate = rate.Inf // a subject is bounded, in all its sessions together
	return d
}

// allowances are what each subject may still ask of a server.
type allowances struct {
	perSecond rate.Limit
	perDay    int64

	mu    sync.Mutex
	known map[string]*allowance
}

type allowance struct {
	pace *rate.Limiter
	day  int64 // since 1970
	sent int64 // bytes on that day
}

func newAllowances(h Hosting) *allowances {
	a := &allowances{perSecond: subjectPerSecond, perDay: subjectPerDay, known: map[string]*allowance{}}
	if h.PerSecond > 0 {
		a.perSecond = rate.Limit(h.PerSecond)
	}
	if h.PerDay > 0 {
		a.perDay = h.PerDay
	}
	return a
}

// subjectsKnown is how many subjects are counted at once; beyond it the counts begin anew.
const subjectsKnown = 100_000

// admit says how long a request of so many bytes must wait. The user is a subject and its
// token: all tokens of a subject share what it may ask.
func (a *allowances) admit(user string, bytes int64) time.Duration {
	subject, _, _ := strings.Cut(user, " ")
	if at := strings.LastIndexByte(user, ' '); at >= 0 {
		subject = user[:at]
	}
	now := time.Now()
	day := now.Unix() / 86400
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.known[subject]
	if s == nil {
		if len(a.known) >= subjectsKnown {
			clear(a.known)
		}
		s = &allowance{pace: rate.NewLimiter(a.perSecond, max(1, min(subjectBurst, int(4*a.perSecond))))}
		a.known[subject] = s
	}
	if s.day != day {
		s.day, s.sent = day, 0
	}
	if s.sent+max(bytes, 0) > a.perDay {
		return time.Unix((day+1)*86400, 0).Sub(now)
	}
	turn := s.pace.ReserveN(now, 1)
	if wait := turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		return wait
	}
	s.sent += max(bytes, 0)
	return 0
}

// serveMetrics answers what Prometheus asks for.
func (d *door) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	var b strings.Builder
	d.counts.text(&b)
	open, busy, most := d.o.Host.Pool()
	bytes, indexes := d.o.Host.Cache()
	load := d.web.Load()
	for _, gauge := range []struct {
		name, help string
		value      int64
	}{
		{"blue_pool_connections", "Connections to the database.", int64(open)},
		{"blue_pool_busy", "Connections that work.", int64(busy)},
		{"blue_pool_limit", "Connections that there may be.", int64(most)},
		{"blue_cache_bytes", "Bytes of the search indexes.", bytes},
		{"blue_cache_indexes", "Search indexes that are open.", int64(indexes)},
		{"blue_sessions", "Sessions of older protocol versions.", int64(load.Sessions)},
		{"blue_messages", "Messages that are being answered.", int64(load.Messages)},
	} {
		fmt.Fprintf(&b, "# HELP %s %s\n# TYPE %s gauge\n%s %d\n", gauge.name, gauge.help, gauge.name, gauge.name, gauge.value)
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = w.Write([]byte(b.String())) // a client that is gone misses nothing
}

// serveReady says whether calls can be answered: 200, or 503 and why not.
func (d *door) serveReady(w http.ResponseWriter, r *http.Request) {
	state, status := map[string]string{"status": "ok"}, http.StatusOK
	if err := d.o.Host.Ready(r.Context()); err != nil {
		state, status = map[string]string{"status": "unready", "reason": errors.Of(err).Message}, http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(state)
}
