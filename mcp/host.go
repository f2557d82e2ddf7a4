package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue"
	"blue/errors"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// ServeHosted serves the projects of a host on HTTP until ctx ends, and then gives running
// calls 10 s to finish. It calls ready with the URL once it listens.
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

// heapReserve is the size of an allocation that is never touched. It counts as heap in use, so
// the runtime collects garbage only after as many bytes of new garbage. A call leaves half a
// megabyte, and the heap of a server is small: without the reserve every eighth call would meet
// a collection.
const heapReserve = 32 << 20

func newHostedDoor(o Options, h Hosting, at transport.Address) *door {
	o.Dir, o.Project = marker.NotOverHTTP, nil
	d := newDoor(o)
	d.counts = newCounts(d)
	d.syncs = make(chan struct{}, syncsAtOnce)
	callers := h.callers(d)
	routes := map[string]http.HandlerFunc{"/ready": d.serveReady, "/metrics": d.serveMetrics}
	maps.Copy(routes, callers.Protected.Routes())
	pages := transport.Pages{}
	if o.Pages != nil {
		pages = transport.Pages{Serves: o.Pages.Serves, Serve: d.servePages}
	}
	d.openWeb(at, transport.Options{
		HostNames: h.HostNames, SessionTimeout: sessionTime, Callers: callers,
		Routes: routes, Guarded: map[string]http.HandlerFunc{syncPath: d.serveSync}, Pages: pages,
	})
	return d
}

// serveReady reports whether the server can answer calls: 200, or 503 and the reason.
func (d *door) serveReady(w http.ResponseWriter, r *http.Request) {
	state, status := map[string]string{"status": "ok"}, http.StatusOK
	if err := d.o.Host.Ready(r.Context()); err != nil {
		state, status = map[string]string{"status": "unready", "reason": errors.Of(err).Message}, http.StatusServiceUnavailable
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(state)
}

// AskReady asks the server of this machine that listens on addr whether it is ready.
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

// Hosting configures `blue server`.
type Hosting struct {
	Addr      string   // HOST:PORT, HOST or :PORT
	HostNames []string // more names by which clients reach the server
	NoAuth    bool     // require no token; allowed on loopback only
	Issuer    string   // the OAuth issuer whose tokens the host accepts, empty for none
	Audience  string   // the audience those tokens must name: the URL of this server
}

// verify authenticates the caller of r and finds the project that r means.
func (d *door) verify(r *http.Request, token string) (caller any, user string, err error) {
	c := &call{d: d, said: transport.SaidInRequest(r)}
	if ss := d.web.SessionOf(r); ss != nil {
		c.session = d.session(ss)
	}
	names, _ := c.projectNames() // the call itself fails if they cannot be read
	return d.o.Host.Verify(r.Context(), token, blue.Asked{Names: names}.Named().Value)
}

// callers returns the authentication and permission check of the server's callers.
func (h Hosting) callers(d *door) *transport.Callers {
	c := &transport.Callers{
		Verify: d.verify, Permit: d.permit,
		Protected: transport.Protected{Issuer: h.Issuer, Resource: h.Audience, Scopes: "notes:read notes:write"},
	}
	if h.NoAuth {
		c.Verify, c.Permit = nil, nil
	}
	return c
}

// permit rejects a call of a tool that changes notes if its caller may not change them. If the
// project names cannot be read it permits the call, which then fails with the reason.
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

// servePages serves pages under the limits of tool calls: the number of calls at once, for
// logged-in users, and the time of a call. It counts each page.
func (d *door) servePages(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	ctx, stop := context.WithTimeout(r.Context(), callTime)
	defer stop()
	if d.o.Pages.User(r) != "" {
		p, leave, err := d.calls.enter(ctx)
		if err != nil {
			d.counts.refused.Inc()
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
	d.counts.countCall("", "page", outcome, time.Since(began))
}

// refusePage rejects a request for a page and asks the client to retry after some seconds.
func refusePage(w http.ResponseWriter, status, seconds int, reason string) {
	w.Header().Set("Retry-After", fmt.Sprint(seconds))
	http.Error(w, reason, status)
}

const (
	syncPath    = "/sync"
	syncBody    = 4 << 20          // bytes of a request body
	syncsAtOnce = 4                // requests handled at once; memory holds the texts of each
	syncTurn    = 10 * time.Second // how long a request waits for a slot
)

// serveSync answers the requests of `blue sync URL`. It is separate from the tools because
// their answers are texts for models: cut, labelled, and without the bytes of a note.
func (d *door) serveSync(w http.ResponseWriter, r *http.Request) {
	began, outcome := time.Now(), "done"
	answer, err := d.answerSync(w, r)
	status := http.StatusOK
	if err != nil {
		e := errors.Of(err)
		outcome, status = string(e.Kind), statusOf(e.Kind)
		names, _ := e.Detail.([]string) // of the notes that it concerns
		answer = map[string]any{"error": map[string]any{"kind": e.Kind, "message": e.Message, "notes": names}}
	}
	d.counts.countCall("", "sync", outcome, time.Since(began))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // a client that has disconnected retries
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

// statusOf returns the HTTP status for a kind of failure.
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

// openHosted opens the project that the call means, if its caller may see it.
func (c *call) openHosted(ctx context.Context, cwd *string) (*blue.Project, error) {
	names, err := c.projectNames()
	if err != nil {
		return nil, err
	}
	p, err := c.d.o.Host.Open(ctx, blue.Asked{Caller: c.caller, Names: names, Cwd: cwd, Client: shownClient(c.name)})
	if err == nil {
		c.project = p.Ref().Name
	}
	return p, err
}

// projectNames returns the names that this call has for its project, in order of precedence.
func (c *call) projectNames() (names []blue.NamedProject, err error) {
	if c.session != nil {
		c.session.mu.Lock()
		used := c.session.use
		c.session.mu.Unlock()
		if used != "" {
			names = append(names, blue.NamedProject{Source: marker.Use, Value: used})
		}
	}
	said, err := namesSaid(c.said)
	return append(names, said...), err
}

// namesSaid returns the projects that the URL and the headers of a request name.
func namesSaid(said transport.Said) (names []blue.NamedProject, err error) {
	query, err := url.ParseQuery(said.Query)
	if err != nil {
		return nil, errors.BadValue("project", "a query that cannot be decoded", "?project=NAME, with % written as %25")
	}
	for _, value := range slices.Concat(query["project"], said.Header) {
		if value != "" {
			names = append(names, blue.NamedProject{Source: marker.Query, Value: value})
		}
	}
	return names, nil
}

// shownClient returns the name of a client in one line, as the audit log shows it.
func shownClient(name string) string { return errors.Short(name, 100) }
