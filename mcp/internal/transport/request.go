package transport

import (
	"mime"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// serveProtocol makes the checks of docs/http.md from the method on, and passes the request to
// the handler of its version. The body of a POST is what was read here, encoded anew, so that
// the SDK cannot read it differently.
func (s *Server) serveProtocol(w http.ResponseWriter, r *http.Request) {
	a := w.(*response)
	if route := s.o.Guarded[r.URL.Path]; route != nil {
		route(a, r)
		return
	}
	r = withQuery(r)
	defer func() { a.leave() }()
	if r.Method == http.MethodGet && s.Connections.tight() { // a stream would stay
		a.refuse(http.StatusServiceUnavailable, a.transportFault(tooManyConnections))
		return
	}
	if r.URL.Path == ssePath {
		s.serveSSE(a, r)
		return
	}
	verbs := []string{http.MethodGet, http.MethodPost, http.MethodDelete}
	if a.modern {
		verbs = []string{http.MethodPost}
	}
	switch {
	case !slices.Contains(verbs, r.Method):
		a.notAllowed(verbs...)
	case r.Method == http.MethodPost:
		s.servePost(a, r)
	default:
		s.serveSession(a, r)
	}
}

// serveSession serves GET and DELETE of a legacy session.
func (s *Server) serveSession(a *response, r *http.Request) {
	if h := r.Header.Get(versionHeader); h != "" && !slices.Contains(mcp.SupportedProtocolVersions(), h) {
		a.refuse(http.StatusBadRequest, unsupported(h))
		return
	}
	if _, stream := accepts(r.Header); r.Method == http.MethodGet && !stream {
		a.refuse(http.StatusNotAcceptable, a.transportFault(needStream))
		return
	}
	_, leave, ok := s.enterSession(a, r)
	if !ok {
		return
	}
	leave() // an open stream does not keep a session
	if r.Method == http.MethodDelete {
		if ss := s.Sessions.remove(r.Header.Get(sessionHeader)); ss != nil {
			s.o.Leave(ss)
		}
	} else if r.Header.Get("Last-Event-ID") != "" {
		a.refuse(http.StatusBadRequest, a.transportFault("Bad Request: streams are not resumable"))
		return
	}
	s.legacy.ServeHTTP(a, r)
}

// enterSession begins a request of a session, or refuses it.
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

// readMessage reads one JSON-RPC message, of the right type and size.
func (s *Server) readMessage(a *response, r *http.Request, stream bool) (f frame, ok bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		a.refuse(http.StatusUnsupportedMediaType, a.transportFault("Content-Type must be application/json"))
		return f, false
	}
	if object, events := accepts(r.Header); stream && !(object && events) {
		a.refuse(http.StatusNotAcceptable, a.transportFault(needBoth))
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
