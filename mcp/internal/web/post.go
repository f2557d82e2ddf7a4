package web

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
	"blue/mcp/internal/message"
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
func (s *Server) postModern(a *response, r *http.Request, f message.Frame) {
	a.modern = true
	switch {
	case f.Answer != nil:
		a.refuse(http.StatusBadRequest, message.InvalidRequest("this server asks nothing, so it takes no answers"))
		return
	case f.Ignored():
		a.WriteHeader(http.StatusAccepted)
		return
	case !f.Decodable():
		a.refuse(http.StatusBadRequest, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params of the wrong shape"})
		return
	}
	r.Header.Del("Last-Event-ID")
	r.Header.Del(sessionHeader)
	if name := r.Header.Get("Mcp-Name"); name != "" {
		r.Header.Set("Mcp-Name", plainName(name))
	}
	s.forward(a, r, f, s.modern)
}

// postLegacy serves a message of a session, or the one that opens it. The SDK refuses
// methods that a session has not before it looks at the session, and not in JSON.
func (s *Server) postLegacy(a *response, r *http.Request, f message.Frame) {
	opens := f.Method == message.Initialize && f.ID != nil
	if opens && r.Header.Get(sessionHeader) == "" {
		s.openSession(a, r, f)
		return
	}
	order, leave, ok := s.enterSession(a, r)
	if !ok {
		return
	}
	defer leave()
	switch {
	case opens:
		a.refuse(http.StatusBadRequest, message.InvalidRequest("Server already initialized"))
	case f.Answer != nil && !f.Answer.ID.IsValid(), f.Ignored():
		a.WriteHeader(http.StatusAccepted)
	case f.ID != nil && f.Answer == nil && !message.Known(f.Method).Legacy:
		a.refuse(http.StatusOK, unknownMethod(f.Method))
	default:
		s.forwardInTurn(a, r, f, order, s.legacy, false)
	}
}

// openSession serves the initialize of a session.
func (s *Server) openSession(a *response, r *http.Request, f message.Frame) {
	var params map[string]json.RawMessage
	if json.Unmarshal(f.Params, &params) != nil || params == nil {
		a.refuse(http.StatusOK, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "initialize needs params, one object"})
		return
	}
	a.opens = true
	a.Header().Set(versionHeader, message.Negotiated(params["protocolVersion"]))
	s.forward(a, r, f, s.legacy)
}

func unknownMethod(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no method " + errors.Cut(method, 100)}
}

// forward hands a message to a handler of the SDK, if its caller may send it.
func (s *Server) forward(a *response, r *http.Request, f message.Frame, to http.Handler) {
	if !s.permits(a, r, f) {
		return
	}
	if f.Params == nil && f.ID != nil {
		f.Params = json.RawMessage("{}") // the SDK refuses nothing with a code of its own
	}
	var sent jsonrpc.Message = &jsonrpc.Request{ID: f.Key, Method: f.Method, Params: f.Params}
	if f.Answer != nil {
		sent = f.Answer
	}
	body, err := jsonrpc.EncodeMessage(sent)
	if err != nil {
		a.refuse(http.StatusBadRequest, message.InvalidRequest("not a message: %v", err))
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	to.ServeHTTP(a, r)
}

// forwardInTurn hands a message to a handler when its turn has come. streamed says that the
// answer travels on another response.
func (s *Server) forwardInTurn(a *response, r *http.Request, f message.Frame, o *message.Order, to http.Handler, streamed bool) {
	if f.Method == message.Cancelled {
		if id, ok := message.CancelledID(f.Params); ok && o.Cancel(id) {
			a.WriteHeader(http.StatusAccepted)
			return
		}
	}
	if !message.Known(f.Method).Project || f.ID == nil || !f.Decodable() {
		s.forward(a, r, f, to)
		return
	}
	t := o.Enter(f)
	if !t.Now() && !s.waitForTurn(a, r, o, f, t) {
		return
	}
	name := rand.Text()
	params := message.WithMeta(t.Warn(f.Params), message.TurnKey, name)
	if params == nil {
		t.End(true)
		s.forward(a, r, f, to)
		return
	}
	f.Params = params
	lost := time.AfterFunc(s.o.LostTurn, func() { s.endTurn(name, true) })
	s.turns.Store(name, func(failed bool) { lost.Stop(); t.End(failed) })
	s.forward(a, r, f, to)
	if !streamed && r.Context().Err() == nil {
		s.endTurn(name, true) // when it has come to an answer, it has ended before
	}
}

// waitForTurn waits without the place of a large message, which others need meanwhile.
func (s *Server) waitForTurn(a *response, r *http.Request, o *message.Order, f message.Frame, t message.Turn) bool {
	large := a.leave != nil
	if large {
		a.leave()
		a.leave = nil
	}
	if !o.Wait(r.Context(), f.Key, t) {
		a.WriteHeader(http.StatusAccepted)
		return false
	}
	if large && !s.enterLarge(a) {
		t.End(true)
		return false
	}
	return true
}

// EndTurn ends the turn of a call, if it has one.
func (s *Server) EndTurn(params mcp.Params, failed bool) {
	if params == nil {
		return
	}
	if name, ok := params.GetMeta()[message.TurnKey].(string); ok {
		s.endTurn(name, failed)
	}
}

func (s *Server) endTurn(name string, failed bool) {
	if end, ok := s.turns.LoadAndDelete(name); ok {
		end.(func(bool))(failed)
	}
}
