package transport

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"blue/errors"
)

// refusalsPerMinute is how many rejected requests per minute are logged at INFO.
const refusalsPerMinute = 20

// refusals limits the log lines about rejected requests, and reports how many it has
// suppressed.
type refusals struct {
	tell func(heldBack int)

	mu          sync.Mutex
	shown, held int
	minute      *time.Timer // ends the minute, nil before its first line
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

// logRequest logs a finished request: at INFO if it was rejected and within the limit of
// refusals, otherwise at DEBUG. It omits the query, which may hold anything, most headers, and
// the names in the path of a page.
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

// logConnection logs a connection on which no request was served.
func (s *Server) logConnection(reason string) {
	level := slog.LevelDebug
	if s.refusals.show() {
		level = slog.LevelInfo
	}
	s.o.Log.Log(context.Background(), level, "connection refused", "reason", reason)
}
