package page

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"blue/errors"
)

// pollTime is how often an open page checks for changed notes. A check reads the kernel's change
// events or, without them, lists the directory.
const pollTime = 300 * time.Millisecond

// quietTime is the interval of keep-alive messages, by which each side notices that the other is
// gone.
const quietTime = 20 * time.Second

// stamp stands for what is there to show: another one, and pages show old things.
func (s *server) stamp(ctx context.Context) string {
	p, err := s.o.Blue.Open(ctx, s.call())
	if err == nil {
		var stamp string
		if stamp, err = p.Stamp(ctx); err == nil {
			return stamp
		}
	}
	return string(errors.Of(err).Kind)
}

// events streams the stamp of the notes each time it differs from that of the page.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	shown := r.Header.Get("Last-Event-ID")
	if shown == "" {
		shown = r.URL.Query().Get("stamp")
	}
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	said := time.Time{}
	tick := time.NewTicker(pollTime)
	defer tick.Stop()
	for {
		switch now := s.stamp(r.Context()); {
		case now != shown:
			fmt.Fprintf(w, "id: %s\ndata: %s\n\n", now, now)
			shown, said = now, time.Now()
		case time.Since(said) > quietTime:
			fmt.Fprint(w, ":\n\n")
			said = time.Now()
		}
		if out.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
		}
	}
}
