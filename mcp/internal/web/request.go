package web

import (
	"encoding/base64"
	"encoding/json"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
	"blue/mcp/internal/message"
)

const (
	maxBody       = 1 << 20
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"

	needBoth   = "Not Acceptable: Client must accept both application/json and text/event-stream"
	needStream = "Not Acceptable: Client must accept text/event-stream"
	needID     = "Bad Request: No session ID provided"
	otherToken = "Forbidden: the session belongs to another token"
)

// repeatedHeader names a header that came more than once, though a check rests on it:
// whoever stands between may have judged another of its values than the one read here.
func repeatedHeader(h http.Header) string {
	for _, name := range [...]string{"Authorization", sessionHeader, versionHeader, "Mcp-Method", "Mcp-Name"} {
		if len(h[name]) > 1 {
			return name
		}
	}
	return ""
}

// serveProtocol makes the checks of docs/http.md from the method on, and hands the request
// to the handler of its version. Behind it a POST holds what was read here, encoded anew,
// so that the SDK cannot read it differently.
func (s *Server) serveProtocol(w http.ResponseWriter, r *http.Request) {
	a := w.(*response)
	r = withQuery(r)
	defer func() {
		if a.leave != nil {
			a.leave()
		}
	}()
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

func (a *response) notAllowed(verbs ...string) {
	a.Header().Set("Allow", strings.Join(verbs, ", "))
	a.refuse(http.StatusMethodNotAllowed, a.transportFault("Method Not Allowed"))
}

// isModern reports whether a header names a version without sessions.
func isModern(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && version >= message.FirstModern
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

// enterSession finds the session of a request, or refuses the request.
func (s *Server) enterSession(a *response, r *http.Request) (order *message.Order, leave func(), ok bool) {
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
func (s *Server) readMessage(a *response, r *http.Request, stream bool) (f message.Frame, ok bool) {
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
	f, fault := message.Parse(body)
	a.id = f.ID
	if fault != nil {
		a.refuse(http.StatusBadRequest, fault)
	}
	return f, fault == nil
}

// accepts reads the header Accept.
func accepts(h http.Header) (object, stream bool) {
	for word := range strings.SplitSeq(strings.Join(h.Values("Accept"), ","), ",") {
		kind, _, _ := strings.Cut(word, ";")
		switch strings.ToLower(strings.TrimSpace(kind)) {
		case "application/json", "application/*":
			object = true
		case "text/event-stream", "text/*":
			stream = true
		case "*/*":
			return true, true
		}
	}
	return object, stream
}

// modernPost decides where a POST goes: header is the version of its header, and the
// message may hold one too.
func modernPost(header string, f message.Frame) (modern bool, fault *jsonrpc.Error) {
	named := f.Version != nil
	version, _ := message.Text(f.Version)
	switch {
	case named && version != header:
		return false, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "header MCP-Protocol-Version and _meta name different revisions"}
	case header != "" && !slices.Contains(mcp.SupportedProtocolVersions(), header), named && header < message.FirstModern:
		return false, unsupported(header)
	}
	return header >= message.FirstModern, nil
}

// unsupported says that a version is not spoken here.
func unsupported(requested string) *jsonrpc.Error {
	detail, _ := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: mcp.SupportedProtocolVersions(), Requested: requested})
	return &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: "unsupported protocol version", Data: detail}
}

// plainName undoes the Base64 of a header value (2026-07-28, "=?base64?…?=").
func plainName(value string) string {
	inner, begins := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if name, err := base64.StdEncoding.DecodeString(inner); begins && ends && err == nil {
		return string(name)
	}
	return value
}
