package transport

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"blue/errors"
)

// serveProtocol makes the checks of docs/http.md from the method on, and passes the request to
// the handler of its version. It encodes the body of a POST again from what it has read, so
// that the SDK cannot read it differently.
func (s *Server) serveProtocol(w http.ResponseWriter, r *http.Request) {
	a := w.(*response)
	if route := s.o.Guarded[r.URL.Path]; route != nil {
		route(a, r)
		return
	}
	r = withQuery(r)
	if a.request != "" {
		r.Header.Set(requestHeader, a.request)
	}
	switch {
	case r.Method == http.MethodPost:
		s.servePost(a, r)
	case a.modern:
		s.modern.ServeHTTP(a, r) // rejects every other method
	default:
		s.serveSession(a, r)
	}
}

// serveSession serves GET and DELETE of a legacy session.
func (s *Server) serveSession(a *response, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodDelete {
		_, leave, ok := s.enterSession(a, r)
		if !ok {
			return
		}
		leave() // an open stream does not keep its session alive
	}
	if r.Method == http.MethodDelete {
		if ss := s.SessionOf(r); ss != nil {
			s.o.Leave(ss)
		}
	}
	s.legacy.ServeHTTP(a, r)
}

// enterSession begins a request of a session, or rejects it.
func (s *Server) enterSession(a *response, r *http.Request) (order *order, leave func(), ok bool) {
	id := r.Header.Get(sessionHeader)
	if id == "" {
		a.refuse(http.StatusBadRequest, a.transportFault(needID))
		return nil, nil, false
	}
	order, leave, err := s.Sessions.enter(id, tokenUser(r))
	switch {
	case errors.Is(err, errors.NotFound):
		a.refuse(http.StatusNotFound, noSession())
	case err != nil:
		a.refuse(http.StatusForbidden, a.transportFault(otherToken))
	}
	return order, leave, err == nil
}

// readMessage reads one JSON-RPC message of the right content type and size.
func (s *Server) readMessage(a *response, r *http.Request) (f frame, ok bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		a.refuse(http.StatusUnsupportedMediaType, a.transportFault("Content-Type must be application/json"))
		return f, false
	}
	body, ok := s.readBody(a, r)
	if !ok {
		return f, false
	}
	f, fault := parse(body)
	a.id = f.id
	if fault != nil {
		a.refuse(http.StatusBadRequest, fault)
	}
	return f, fault == nil
}

func (s *Server) servePost(a *response, r *http.Request) {
	s.posts.Add(1)
	defer s.posts.Add(-1)
	f, ok := s.readMessage(a, r)
	switch {
	case !ok:
	case a.modern || f.modern: // the SDK checks that both agree
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
	case fault != nil:
		a.refuse(http.StatusNotFound, fault)
		return
	}
	r.Header.Del("Last-Event-ID")
	r.Header.Del(sessionHeader)
	if name := r.Header.Get("Mcp-Name"); name != "" {
		r.Header.Set("Mcp-Name", plainName(name))
	}
	s.forward(a, r.WithContext(context.WithValue(r.Context(), responseKey{}, a)), f, s.modern)
}

// postLegacy serves a message of a session, or the message that opens one.
func (s *Server) postLegacy(a *response, r *http.Request, f frame) {
	opens, fault := f.method == initialize && f.id != nil, f.refusal(false)
	if opens && r.Header.Get(sessionHeader) == "" {
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

// forward passes a message to a handler of the SDK if its caller may send it.
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

// forwardInTurn passes a call to the handler of sessions, together with its turn. If the client
// has left, the call goes on and may still have to take its turn, so the turn is dropped later.
func (s *Server) forwardInTurn(a *response, r *http.Request, f frame, o *order) {
	a.turn = o.enter(f.params)
	s.o.Turns.put(a.turn, r.Header)
	s.forward(a, r, f, s.legacy)
	if r.Context().Err() == nil {
		s.o.Turns.drop(a.turn)
	} else {
		time.AfterFunc(s.o.LostTurn, func() { s.o.Turns.drop(a.turn) })
	}
}
