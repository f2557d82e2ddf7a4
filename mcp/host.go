package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"runtime"
	"strings"

	"golang.org/x/time/rate"

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
	d.counts, d.syncs = newCounts(), make(chan struct{}, syncsAtOnce)
	callers := h.callers(d)
	routes := map[string]http.HandlerFunc{"/ready": d.serveReady, "/metrics": d.serveMetrics}
	maps.Copy(routes, callers.Protected.Routes())
	pages := transport.Pages{}
	if o.Pages != nil {
		pages = transport.Pages{Serves: o.Pages.Serves, Serve: d.servePages(callers.Admit)}
	}
	guarded := map[string]http.HandlerFunc{syncPath: d.serveSync}
	d.openWeb(at, transport.Options{HostNames: h.HostNames, SessionTimeout: sessionTime, Callers: callers, Routes: routes, Guarded: guarded, Pages: pages})
	d.web.Sessions.Rate = rate.Inf // a subject is bounded, in all its sessions together
	return d
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
