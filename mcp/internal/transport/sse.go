package transport

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stream is one session of the 2024-11-05 transport: the GET that is open, and whose token
// opened it. The SDK's own handler takes messages for it from anybody who has a token.
type stream struct {
	*mcp.SSEServerTransport
	user   string // empty without tokens
	turns  *Turns
	header http.Header // of the GET, for what it says of the project
}

// Connect returns the connection of the SDK, with its calls in order.
func (s stream) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := s.SSEServerTransport.Connect(ctx)
	return &ordered{Connection: c, turns: s.turns, header: s.header}, err
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
	fault := f.refusal(false)
	switch {
	case !ok:
	case f.method == discover && f.id != nil: // the SDK names the versions that it can have here
		s.forward(a, r, f, to)
	case f.modern:
		a.refuse(http.StatusBadRequest, unsupported(FirstModern))
	case f.ignored():
		a.WriteHeader(http.StatusAccepted)
	case fault != nil:
		a.refuse(http.StatusBadRequest, fault)
	default:
		s.forward(a, r, f, to)
	}
}

// openStream serves the GET that opens a session, until its client or the server ends it.
// The project that the GET names counts for the whole session.
func (s *Server) openStream(a *response, r *http.Request) {
	id := rand.Text()
	opened := stream{
		&mcp.SSEServerTransport{Endpoint: ssePath + "?sessionid=" + id, Response: a, MaxRequestBodyBytes: 2 * maxBody},
		tokenUser(r), s.o.Turns, r.Header,
	}
	s.streams.Store(id, opened)
	defer s.streams.Delete(id)
	a.Header().Set("Content-Type", "text/event-stream")
	a.Header().Set("Cache-Control", "no-cache")
	session, err := s.o.Server.Connect(r.Context(), opened, nil)
	if err != nil { // the client is gone
		return
	}
	defer s.o.Close(session)
	defer context.AfterFunc(r.Context(), func() { _ = s.o.Close(session) })()
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
