package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

const (
	maxBody     = 1 << 20
	versionName = "Mcp-Protocol-Version"
	sessionName = "Mcp-Session-Id"

	needBoth   = "Not Acceptable: Client must accept both application/json and text/event-stream"
	needStream = "Not Acceptable: Client must accept text/event-stream"
	needID     = "Bad Request: No session ID provided"
	otherToken = "Forbidden: the session belongs to another token"
)

// guard makes the checks of docs/http.md from step 6 on, and hands the
// request to the handler of its era. Behind it a POST holds what the guard read,
// encoded anew, so that the SDK cannot read it differently.
func (f *front) guard(w http.ResponseWriter, r *http.Request) {
	a := w.(*response)
	r = withQuery(r)
	defer func() {
		if a.leave != nil {
			a.leave()
		}
	}()
	if r.Method == http.MethodGet && f.crowd.tight() { // a stream would stay
		a.refuse(http.StatusServiceUnavailable, a.rejected(crowded))
		return
	}
	if r.URL.Path == ssePath {
		f.guardSSE(a, r)
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
		f.post(a, r)
	default:
		f.open(a, r)
	}
}

func (a *response) notAllowed(verbs ...string) {
	a.Header().Set("Allow", strings.Join(verbs, ", "))
	a.refuse(http.StatusMethodNotAllowed, a.rejected("Method Not Allowed"))
}

// isModernVersion reports whether a header names a revision without sessions.
func isModernVersion(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && version >= firstModern
}

// open serves GET and DELETE of a legacy session.
func (f *front) open(a *response, r *http.Request) {
	if h := r.Header.Get(versionName); h != "" && !slices.Contains(mcp.SupportedProtocolVersions(), h) {
		a.refuse(http.StatusBadRequest, unsupported(h))
		return
	}
	if _, stream := accepts(r.Header); r.Method == http.MethodGet && !stream {
		a.refuse(http.StatusNotAcceptable, a.rejected(needStream))
		return
	}
	leave, ok := f.seated(a, r)
	if !ok {
		return
	}
	leave() // an open stream does not keep a session
	if r.Method == http.MethodDelete {
		if ss := f.d.roster.drop(r.Header.Get(sessionName)); ss != nil {
			f.d.stopWaiting(ss)
		}
	} else if r.Header.Get("Last-Event-ID") != "" {
		a.refuse(http.StatusBadRequest, a.rejected("Bad Request: streams are not resumable"))
		return
	}
	f.legacy.ServeHTTP(a, r)
}

// seated finds the session of a request, or refuses the request.
func (f *front) seated(a *response, r *http.Request) (leave func(), ok bool) {
	id := r.Header.Get(sessionName)
	if id == "" {
		a.refuse(http.StatusBadRequest, a.rejected(needID))
		return nil, false
	}
	leave, err := f.d.roster.enter(id, tokenUser(r))
	switch {
	case errors.Is(err, errors.NotFound):
		a.refuse(http.StatusNotFound, noSession())
	case err != nil:
		a.refuse(http.StatusForbidden, a.rejected(otherToken))
	}
	return leave, err == nil
}

// post serves a message.
func (f *front) post(a *response, r *http.Request) {
	f.posts.Add(1)
	defer f.posts.Add(-1)
	m, ok := f.message(a, r, true)
	if !ok {
		return
	}
	modern, fault := eraOf(r.Header.Get(versionName), m.params)
	switch {
	case fault != nil:
		a.refuse(http.StatusBadRequest, fault)
	case modern:
		f.postModern(a, r, m)
	default:
		f.postLegacy(a, r, m)
	}
}

// message makes step 7: one JSON-RPC message, of the right type and size.
func (f *front) message(a *response, r *http.Request, stream bool) (m frame, ok bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		a.refuse(http.StatusUnsupportedMediaType, a.rejected("Content-Type must be application/json"))
		return m, false
	}
	if object, events := accepts(r.Header); stream && !(object && events) {
		a.refuse(http.StatusNotAcceptable, a.rejected(needBoth))
		return m, false
	}
	body, ok := f.body(a, r)
	if !ok {
		return m, false
	}
	m, fault := parseFrame(body)
	a.id = m.id
	if fault != nil {
		a.refuse(http.StatusBadRequest, fault)
	}
	return m, fault == nil
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

// eraOf decides where a POST goes: header is the revision of
// its header, and params may hold one too.
func eraOf(header string, params json.RawMessage) (modern bool, fault *jsonrpc.Error) {
	var p struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(params, &p) // what is no object has no revision
	raw, named := p.Meta[mcp.MetaKeyProtocolVersion]
	version, _ := jsonString(raw)
	switch {
	case named && version != header:
		return false, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "header MCP-Protocol-Version and _meta name different revisions"}
	case header != "" && !slices.Contains(mcp.SupportedProtocolVersions(), header):
		return false, unsupported(header)
	case named && header < firstModern:
		return false, unsupported(header)
	}
	return header >= firstModern, nil
}

// forward hands a message to a handler.
func forward(a *response, r *http.Request, m frame, to http.Handler) {
	if m.params == nil && m.id != nil {
		m.params = json.RawMessage("{}") // the SDK refuses nothing with a code of its own
	}
	var message jsonrpc.Message = &jsonrpc.Request{ID: m.key, Method: m.method, Params: m.params}
	if m.answer != nil {
		message = m.answer
	}
	body, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		a.refuse(http.StatusBadRequest, invalidRequest("not a message: %v", err))
		return
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	to.ServeHTTP(a, r)
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
