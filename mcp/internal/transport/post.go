package transport

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

func (s *Server) servePost(a *response, r *http.Request) {
	s.posts.Add(1)
	defer s.posts.Add(-1)
	f, ok := s.readMessage(a, r, true)
	if !ok {
		return
	}
	modern, fault := modernPost(r.Header.Get(versionHeader), f)
	switch {
	case fault != nil:
		a.refuse(http.StatusBadRequest, fault)
	case modern:
		s.postModern(a, r, f)
	default:
		s.postLegacy(a, r, f)
	}
}

// postModern serves a message of 2026-07-28, which stands alone.
func (s *Server) postModern(a *response, r *http.Request, f frame) {
	a.modern = true
	fault := f.refusal(true)
	switch {
	case f.answer != nil:
		a.refuse(http.StatusBadRequest, invalidRequest("this server asks nothing, so it takes no answers"))
		return
	case f.ignored():
		a.WriteHeader(http.StatusAccepted)
		return
	case fault != nil && fault.Code == jsonrpc.CodeMethodNotFound:
		a.refuse(http.StatusNotFound, fault)
		return
	case fault != nil:
		a.refuse(http.StatusBadRequest, fault)
		return
	}
	r.Header.Del("Last-Event-ID")
	r.Header.Del(sessionHeader)
	if name := r.Header.Get("Mcp-Name"); name != "" {
		r.Header.Set("Mcp-Name", plainName(name))
	}
	s.forward(a, r, f, s.modern)
}

// postLegacy serves a message of a session, or the one that opens it.
func (s *Server) postLegacy(a *response, r *http.Request, f frame) {
	opens, fault := f.method == initialize && f.id != nil, f.refusal(false)
	if opens && r.Header.Get(sessionHeader) == "" {
		if fault != nil {
			a.refuse(http.StatusOK, fault)
			return
		}
		params, _ := Members(f.params)
		a.Header().Set(versionHeader, negotiated(params["protocolVersion"]))
		s.forward(a, r, f, s.legacy)
		return
	}
	order, leave, ok := s.enterSession(a, r)
	if !ok {
		return
	}
	defer leave()
	switch {
	case opens:
		a.refuse(http.StatusBadRequest, invalidRequest("Server already initialized"))
	case f.answer != nil && !f.answer.ID.IsValid(), f.ignored():
		a.WriteHeader(http.StatusAccepted)
	case fault != nil:
		a.refuse(http.StatusOK, fault)
	case f.id != nil && methods[f.method].Project:
		s.forwardInTurn(a, r, f, order)
	default:
		s.forward(a, r, f, s.legacy)
	}
}

// forward hands a message to a handler of the SDK, if its caller may send it.
func (s *Server) forward(a *response, r *http.Request, f frame, to http.Handler) {
	if !s.permits(a, r, f) {
		return
	}
	var sent jsonrpc.Message = &jsonrpc.Request{ID: f.key, Method: f.method, Params: f.params}
	if f.answer != nil {
		sent = f.answer
	}
	body, _ := jsonrpc.EncodeMessage(sent) // cannot fail: all of it was decoded from JSON
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	to.ServeHTTP(a, r)
}

// forwardInTurn hands a call to the handler of sessions, together with its turn. When its
// client has left, the call goes on, and may not yet have taken its turn.
func (s *Server) forwardInTurn(a *response, r *http.Request, f frame, o *order) {
	a.turn = o.enter(f.params)
	a.turn.onWait = a.leave
	s.o.Turns.put(a.turn, r.Header)
	s.forward(a, r, f, s.legacy)
	if r.Context().Err() == nil {
		s.o.Turns.drop(a.turn)
	} else {
		time.AfterFunc(s.o.LostTurn, func() { s.o.Turns.drop(a.turn) })
	}
}
