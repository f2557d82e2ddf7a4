package mcp

import (
	"context"
	"crypto/rand"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stream is one session of the 2024-11-05 transport: the GET that is open, and
// whose token opened it. The SDK's own handler takes messages for it from anybody
// who has a token.
type stream struct {
	*mcp.SSEServerTransport
	user  string // empty without tokens
	order *order
}

// stream serves the GET that opens a session, until its client or the server ends
// it. The project that the GET names counts for the whole session.
func (f *front) stream(a *response, r *http.Request) {
	id := rand.Text()
	s := stream{&mcp.SSEServerTransport{Endpoint: ssePath + "?sessionid=" + id, Response: a, MaxRequestBodyBytes: 2 * maxBody}, tokenUser(r), new(order)}
	f.streams.Store(id, s)
	defer f.streams.Delete(id)
	a.Header().Set("Content-Type", "text/event-stream")
	a.Header().Set("Cache-Control", "no-cache")
	ctx := context.WithValue(r.Context(), namedKey{}, namedIn(r.Header))
	session, err := f.server.Connect(ctx, s, nil)
	if err != nil { // the client is gone
		return
	}
	defer f.d.closeSession(session)
	defer context.AfterFunc(ctx, func() { _ = f.d.closeSession(session) })()
	_ = session.Wait() // how it ended does not matter
}

// streamOf finds the session that a message is for, or refuses the message.
func (f *front) streamOf(a *response, r *http.Request) (to stream, ok bool) {
	id := r.URL.Query().Get("sessionid")
	if id == "" {
		a.refuse(http.StatusBadRequest, a.rejected(needID))
		return to, false
	}
	known, ok := f.streams.Load(id)
	if !ok {
		a.refuse(http.StatusNotFound, noSession())
		return to, false
	}
	s := known.(stream)
	if s.user != tokenUser(r) {
		a.refuse(http.StatusForbidden, a.rejected(otherToken))
		return to, false
	}
	return s, true
}

// tokenUser is whose token a request holds, empty without tokens.
func tokenUser(r *http.Request) string {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		return info.UserID
	}
	return ""
}
