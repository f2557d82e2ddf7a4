package transport

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"blue/errors"
)

// logRequest logs a finished request: at INFO if it was rejected, otherwise at DEBUG. It omits the
// query, which may hold anything, most headers, and the names in the path of a page.
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
	if a.status >= 400 {
		level = slog.LevelInfo
	}
	s.statuses[a.status%len(s.statuses)].Add(1)
	session := cmp.Or(r.Header.Get(sessionHeader), a.Header().Get(sessionHeader))
	attrs := []slog.Attr{
		slog.String("method", errors.Cut(r.Method, 20)), slog.String("path", path), slog.Int("status", a.status),
		slog.Duration("took", time.Since(began).Round(time.Microsecond)),
	}
	if a.request != "" { // machines read the log of a server with many callers
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

// Milliseconds returns a duration as an attribute for the log of a server with many callers.
func Milliseconds(took time.Duration) slog.Attr {
	return slog.Float64("ms", float64(took.Microseconds())/1000)
}
