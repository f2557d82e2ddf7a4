package web

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/mcp/internal/message"
)

// stream is one session of the 2024-11-05 transport: the GET that is open, and whose token
// opened it. The SDK's own handler takes messages for it from anybody who has a token.
type stream struct {
	*mcp.SSEServerTransport
	user  string // empty without tokens
	order *message.Order
}

// serveSSE makes the checks for the 2024-11-05 transport, whose answers travel on the
// stream that the GET opens.
func (s *Server) serveSSE(a *response, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		s.openStream(a, r)
		return
	case http.MethodPost:
	default:
		a.notAllowed(http.MethodGet, http.MethodPost)
		return
	}
	f, ok := s.readMessage(a, r, false)
	if !ok {
		return
	}
	to, ok := s.streamOf(a, r)
	known := message.Known(f.Method)
	switch {
	case !ok:
	case f.Method == message.Discover && f.ID != nil: // the SDK names the versions that it can have here
		s.forward(a, r, f, to)
	case f.Modern:
		a.refuse(http.StatusBadRequest, unsupported(message.FirstModern))
	case f.Ignored():
		a.WriteHeader(http.StatusAccepted)
	case f.ID != nil && f.Answer == nil && !known.Legacy:
		a.refuse(http.StatusBadRequest, unknownMethod(f.Method))
	default:
		s.forwardInTurn(a, r, f, to.order, to, true)
	}
}

// openStream serves the GET that opens a session, until its client or the server ends it.
// The project that the GET names counts for the whole session.
func (s *Server) openStream(a *response, r *http.Request) {
	id := rand.Text()
	opened := stream{&mcp.SSEServerTransport{Endpoint: ssePath + "?sessionid=" + id, Response: a, MaxRequestBodyBytes: 2 * maxBody}, tokenUser(r), new(message.Order)}
	s.streams.Store(id, opened)
	defer s.streams.Delete(id)
	a.Header().Set("Content-Type", "text/event-stream")
	a.Header().Set("Cache-Control", "no-cache")
	ctx := context.WithValue(r.Context(), saidKey{}, saidIn(r.Header))
	session, err := s.o.Server.Connect(ctx, opened, nil)
	if err != nil { // the client is gone
		return
	}
	defer s.o.Close(session)
	defer context.AfterFunc(ctx, func() { _ = s.o.Close(session) })()
	_ = session.Wait() // how it ended does not matter
}

// streamOf finds the session that a message is for, or refuses the message.
func (s *Server) streamOf(a *response, r *http.Request) (to stream, ok bool) {
	id := r.URL.Query().Get("sessionid")
	known, found := s.streams.Load(id)
	if found {
		to = known.(stream)
	}
	switch {
	case id == "":
		a.refuse(http.StatusBadRequest, a.transportFault(needID))
	case !found:
		a.refuse(http.StatusNotFound, noSession())
	case to.user != tokenUser(r):
		a.refuse(http.StatusForbidden, a.transportFault(otherToken))
	default:
		return to, true
	}
	return to, false
}
