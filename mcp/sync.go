package mcp

import (
	"encoding/json"
	"net/http"
	"time"

	"blue/blue"
	"blue/errors"
	"blue/mcp/internal/transport"
)

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
		return nil, errors.Overloaded(2)
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
