package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// ServeHosted serves the projects of a host on HTTP until ctx ends, and then lets calls
// finish for 10 s. It calls ready with the URL once it listens.
func ServeHosted(ctx context.Context, o Options, h Hosting, ready func(url string)) error {
	at, err := transport.ParseAddress(h.Addr, "")
	if err != nil {
		return err
	}
	if err := transport.CheckHostNames(h.HostNames); err != nil {
		return err
	}
	if h.NoAuth && !at.Loopback() {
		return errors.E(errors.Invalid, "a server on %s must not have --no-auth", errors.Quote(at.Host)).
			Hint("", "", "make tokens with blue server token add, and leave the flag out").
			Hint("", "", "or serve this machine alone, with --listen 127.0.0.1:7865")
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
	reserve := make([]byte, heapReserve)
	defer runtime.KeepAlive(reserve)
	ready(at.URL(h.HostNames))
	return d.run(ctx, func(ctx context.Context) error { return d.web.Run(ctx, listener) })
}

// heapReserve counts as memory in use though nobody touches it, so that the runtime collects
// garbage each time that as much has gathered. A call leaves half a megabyte, and the heap of
// a server is small: without the reserve every eighth call would meet a collection.
const heapReserve = 32 << 20

func newHostedDoor(o Options, h Hosting, at transport.Address) *door {
	o.Dir, o.Project = marker.NotOverHTTP, nil
	d := newDoor(o)
	d.counts = &counts{since: time.Now(), calls: map[counted]int64{}, took: map[string]*histogram{}}
	d.syncs = make(chan struct{}, syncsAtOnce)
	o.Host.Observe(d.counts.database.observe, d.counts.builds.observe)
	callers := h.callers(d)
	routes := map[string]http.HandlerFunc{"/ready": d.serveReady, "/metrics": d.serveMetrics}
	maps.Copy(routes, callers.Protected.Routes())
	pages := transport.Pages{}
	if o.Pages != nil {
		pages = transport.Pages{Serves: o.Pages.Serves, Serve: d.servePages(callers.Quota)}
	}
	d.openWeb(at, transport.Options{
		HostNames: h.HostNames, SessionTimeout: sessionTime, Callers: callers,
		Routes: routes, Guarded: map[string]http.HandlerFunc{syncPath: d.serveSync}, Pages: pages,
	})
	d.web.Sessions.Rate = rate.Inf // a subject is bounded, in all its sessions together
	return d
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

// AskReady asks a server of this machine, by the address on which it listens, whether it is ready.
func AskReady(ctx context.Context, addr string) error {
	at, err := transport.ParseAddress(addr, "")
	if err != nil {
		return err
	}
	url := "http://" + net.JoinHostPort(at.Host, strconv.Itoa(at.Port)) + "/ready"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return notReady(err.Error())
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return nil
	}
	said, _ := io.ReadAll(response.Body)
	return notReady(string(said))
}

func notReady(reason string) error {
	return errors.E(errors.Busy, "the server is not ready: %s", reason).Hint("", "", "look at its log on standard error")
}

// Hosting is what `blue server` asks for.
type Hosting struct {
	Addr      string   // HOST:PORT, HOST or :PORT
	HostNames []string // further names by which clients reach the server
	NoAuth    bool     // no token; on loopback alone
	PerSecond float64  // calls of one subject; 0 for the default
	PerDay    int64    // bytes that one subject may send in a day; 0 for the default
	Issuer    string   // whose tokens the host takes, empty for none
	Audience  string   // what those tokens must name: the URL of this server
}

// verify finds out who calls, and which of the projects that the caller may see the request means.
func (d *door) verify(r *http.Request, token string, mayAsk func() bool) (caller any, user string, err error) {
	c := &call{d: d, said: transport.SaidInRequest(r)}
	if ss := d.web.SessionOf(r); ss != nil {
		c.session = d.session(ss)
	}
	names, _ := c.projectNames() // the call itself fails if they cannot be read
	return d.o.Host.Verify(r.Context(), token, blue.Asked{Names: names}.Named().Value, mayAsk)
}

// callers is how a server of hosted projects knows those who call it.
func (h Hosting) callers(d *door) *transport.Callers {
	c := &transport.Callers{
		Verify: d.verify, Permit: d.permit, Quota: newAllowances(h),
		Protected: transport.Protected{Issuer: h.Issuer, Resource: h.Audience, Scopes: "notes:read notes:write"},
	}
	if h.NoAuth {
		c.Verify, c.Permit = nil, nil
	}
	return c
}

// permit refuses a call of a tool that changes notes when its caller may not. One that names
// its project in a way that cannot be read is told so by the call.
func (d *door) permit(ctx context.Context, a transport.Asked) error {
	verb := strings.TrimPrefix(a.Tool, toolStart)
	if !slices.Contains([]string{"write", "edit", "remove"}, verb) {
		return nil
	}
	c := &call{d: d, said: a.Said}
	if a.Session != nil {
		c.session = d.session(a.Session)
		if p := a.Session.InitializeParams(); p != nil && p.ClientInfo != nil {
			a.Client = p.ClientInfo.Name
		}
	}
	names, err := c.projectNames()
	if err != nil {
		return nil
	}
	return d.o.Host.Permit(ctx, blue.Asked{Caller: a.Caller, Names: names, Client: shownClient(a.Client)}, verb)
}

// What one subject may ask of a server, unless it is started with other limits.
const (
	subjectPerSecond = 50
	subjectBurst     = 200
	subjectPerDay    = 1 << 30
)

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

// Admit says how long a request of so many bytes must wait. The user is a subject and its
// token: all tokens of a subject share what it may ask.
func (a *allowances) Admit(user string, bytes int64) time.Duration {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.find(user, now)
	if s.sent+max(bytes, 0) > a.perDay {
		return time.Unix((s.day+1)*86400, 0).Sub(now)
	}
	turn := s.pace.ReserveN(now, 1)
	if wait := turn.DelayFrom(now); wait > 0 {
		turn.CancelAt(now)
		return wait
	}
	s.sent += max(bytes, 0)
	return 0
}

// Spend counts bytes of a request that did not say how many it has.
func (a *allowances) Spend(user string, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.find(user, time.Now()).sent += int64(bytes)
}

// find is what a subject has asked for today. The caller holds the mutex.
func (a *allowances) find(user string, now time.Time) *allowance {
	subject, day := transport.SubjectOf(user), now.Unix()/86400
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
	return s
}

// servePages lets pages be asked for as tools are called: as often as a subject may, few at
// once, for a limited time, and counted. Who has not logged in takes no turn from those who
// have.
func (d *door) servePages(quota transport.Quota) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		ctx, stop := context.WithTimeout(r.Context(), callTime)
		defer stop()
		if user := d.o.Pages.User(r); user != "" {
			if wait := quota.Admit(user+" page", r.ContentLength); wait > 0 {
				refusePage(w, http.StatusTooManyRequests, int(math.Ceil(wait.Seconds())), "Too Many Requests")
				return
			}
			p, leave, err := d.calls.enter(ctx)
			if err != nil {
				d.counts.refused.Add(1)
				refusePage(w, http.StatusTooManyRequests, 1, errors.Of(err).Message)
				return
			}
			defer leave()
			ctx = blue.WithPlace(ctx, p)
		}
		d.o.Pages.ServeHTTP(w, r.WithContext(ctx))
		outcome := "done"
		if status := transport.StatusOf(w); status >= http.StatusBadRequest {
			outcome = fmt.Sprint(status)
		}
		d.counts.countCall(counted{verb: "page", outcome: outcome}, time.Since(began))
	}
}

// refusePage refuses a page for some seconds.
func refusePage(w http.ResponseWriter, status, seconds int, reason string) {
	w.Header().Set("Retry-After", fmt.Sprint(seconds))
	http.Error(w, reason, status)
}

const (
	syncPath    = "/sync"
	syncBody    = 4 << 20          // bytes of a request
	syncsAtOnce = 4                // whose texts the memory holds
	syncTurn    = 10 * time.Second // until one of them has ended
)

// serveSync answers the checkouts that carry their notes here: `blue sync URL`. It stands
// beside the tools, whose answers are texts for models: cut, labelled, and without the bytes
// of a note.
func (d *door) serveSync(w http.ResponseWriter, r *http.Request) {
	began, outcome := time.Now(), "done"
	answer, err := d.answerSync(w, r)
	status := http.StatusOK
	if err != nil {
		e := errors.Of(err)
		outcome, status = string(e.Kind), statusOf(e.Kind)
		answer = map[string]any{"error": map[string]string{"kind": string(e.Kind), "message": e.Message}}
	}
	d.counts.countCall(counted{verb: "sync", outcome: outcome}, time.Since(began))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that is gone asks again
}

func (d *door) answerSync(w http.ResponseWriter, r *http.Request) (any, error) {
	if r.Method != http.MethodPost {
		return nil, errors.BadValue("method", r.Method, http.MethodPost)
	}
	select {
	case d.syncs <- struct{}{}:
		defer func() { <-d.syncs }()
	case <-time.After(syncTurn):
		return nil, overloaded(2)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	body, err := transport.ReadBody(w, r, syncBody)
	if err != nil {
		return nil, err
	}
	names, err := namesSaid(transport.SaidInRequest(r))
	if err != nil {
		return nil, err
	}
	a := blue.Asked{Caller: transport.CallerOfRequest(r), Names: names, Client: "blue sync"}
	return d.o.Host.Sync(r.Context(), a, body)
}

// statusOf is the status that fits a failure.
func statusOf(kind errors.Kind) int {
	switch kind {
	case errors.Denied:
		return http.StatusForbidden
	case errors.Conflict:
		return http.StatusConflict
	case errors.NoProject:
		return http.StatusNotFound
	case errors.TooLarge:
		return http.StatusRequestEntityTooLarge
	case errors.Busy, errors.Timeout:
		return http.StatusServiceUnavailable
	case errors.Internal, errors.Disk:
		return http.StatusInternalServerError
	}
	return http.StatusBadRequest
}
