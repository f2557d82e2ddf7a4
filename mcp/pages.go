package mcp

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"blue/errors"
	"blue/mcp/internal/transport"
)

// Pages shows the projects of a host to people with browsers.
type Pages interface {
	http.Handler
	Serves(path string) bool
	User(r *http.Request) string // who has logged in, empty for nobody known
}

// servePages lets pages be asked for as tools are called: as often as a subject may, few at
// once, for a limited time, and counted. Who has not logged in takes no turn from those who
// have.
func (d *door) servePages(admit func(user string, bytes int64) time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		ctx, stop := context.WithTimeout(r.Context(), callTime)
		defer stop()
		if user := d.o.Pages.User(r); user != "" {
			if wait := admit(user+" page", r.ContentLength); wait > 0 {
				refusePage(w, http.StatusTooManyRequests, int(math.Ceil(wait.Seconds())), "Too Many Requests")
				return
			}
			leave, err := d.calls.enter(ctx)
			if err != nil {
				d.counts.refused.Add(1)
				refusePage(w, http.StatusServiceUnavailable, 1, errors.Of(err).Message)
				return
			}
			defer leave()
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
