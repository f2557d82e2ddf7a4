package mcp

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// heeded reports whether a notification means anything to this server. All others
// are taken and ignored.
func heeded(m frame) bool {
	switch m.method {
	case "notifications/initialized", "notifications/roots/list_changed":
		return true
	case methodCancelled:
		_, ok := cancelledID(m.params)
		return ok
	}
	return false
}

// answered reports whether a legacy session answers a method. The SDK refuses the
// others before it looks at the session, and not in JSON.
func answersTo(method string) bool {
	return needsHandshake(method) || method == "ping" || method == "logging/setLevel"
}

func unknownMethod(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no method " + cut(method, 100)}
}

// postModern serves a message of 2026-07-28, which stands alone.
func (f *front) postModern(a *response, r *http.Request, m frame) {
	a.modern = true
	switch {
	case m.answer != nil:
		a.refuse(http.StatusBadRequest, invalidRequest("this server asks nothing, so it takes no answers"))
		return
	case m.id == nil && !heeded(m):
		a.WriteHeader(http.StatusAccepted)
		return
	case !wellShaped(m):
		a.refuse(http.StatusBadRequest, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params of the wrong shape"})
		return
	}
	r.Header.Del("Last-Event-ID")
	r.Header.Del(sessionName)
	if name := r.Header.Get("Mcp-Name"); name != "" {
		r.Header.Set("Mcp-Name", plainName(name))
	}
	forward(a, r, m, f.modern)
}

// wellShaped reports whether the SDK can decode the params of a method that works on a
// project. What it cannot decode it refuses before anything of ours sees the call; and of
// one with a header Mcp-Name it would say that the header does not match.
func wellShaped(m frame) bool {
	var params any
	switch m.method {
	case "tools/call":
		params = new(mcp.CallToolParamsRaw)
	case "prompts/get":
		params = new(mcp.GetPromptParams)
	case "resources/read":
		params = new(mcp.ReadResourceParams)
	case "resources/list":
		params = new(mcp.ListResourcesParams)
	case "completion/complete":
		params = new(mcp.CompleteParams)
	default:
		return true
	}
	return m.params == nil || json.Unmarshal(m.params, params) == nil
}

// postLegacy serves a message of a session, or the one that opens it.
func (f *front) postLegacy(a *response, r *http.Request, m frame) {
	opens := m.method == "initialize" && m.id != nil
	if opens && r.Header.Get(sessionName) == "" {
		f.initialize(a, r, m)
		return
	}
	leave, ok := f.seated(a, r)
	if !ok {
		return
	}
	defer leave()
	switch {
	case opens:
		a.refuse(http.StatusBadRequest, invalidRequest("Server already initialized"))
	case m.answer != nil && !m.answer.ID.IsValid(), m.answer == nil && m.id == nil && !heeded(m):
		a.WriteHeader(http.StatusAccepted)
	case m.id != nil && m.answer == nil && !answersTo(m.method):
		a.refuse(http.StatusOK, unknownMethod(m.method))
	default:
		f.forwardInTurn(a, r, m, f.d.roster.order(r.Header.Get(sessionName)), f.legacy, false)
	}
}

// initialize opens a session.
func (f *front) initialize(a *response, r *http.Request, m frame) {
	var params map[string]json.RawMessage
	if json.Unmarshal(m.params, &params) != nil || params == nil {
		a.refuse(http.StatusOK, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "initialize needs params, one object"})
		return
	}
	a.opens = true
	a.Header().Set(versionName, negotiated(params["protocolVersion"]))
	forward(a, r, m, f.legacy)
}

// negotiated is the revision that the SDK answers with: the one asked for, or the
// last one that has sessions.
func negotiated(asked json.RawMessage) string {
	version, _ := jsonString(asked)
	if version < firstModern && slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return version
	}
	return lastLegacy
}

// guardSSE makes the checks for the 2024-11-05 transport, whose answers travel on
// the stream that the GET opens.
func (f *front) guardSSE(a *response, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
		f.stream(a, r)
		return
	case http.MethodPost:
	default:
		a.notAllowed(http.MethodGet, http.MethodPost)
		return
	}
	m, ok := f.message(a, r, false)
	if !ok {
		return
	}
	to, ok := f.streamOf(a, r)
	switch {
	case !ok:
	case m.method == "server/discover" && m.id != nil: // the SDK names the revisions that it can have here
		forward(a, r, m, to)
	case m.modern:
		a.refuse(http.StatusBadRequest, unsupported(firstModern))
	case m.answer == nil && m.id == nil && !heeded(m):
		a.WriteHeader(http.StatusAccepted)
	case m.id != nil && m.answer == nil && m.method != "initialize" && !answersTo(m.method):
		a.refuse(http.StatusBadRequest, unknownMethod(m.method))
	default:
		f.forwardInTurn(a, r, m, to.order, to, true)
	}
}
