package transport

//lint:file-ignore SA1019 logging is deprecated, and still a part of the legacy versions

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// Methods that have rules of their own.
const (
	initialize = "initialize"
	discover   = "server/discover"
	cancelled  = "notifications/cancelled" // the only notification that is routed by an id
	callTool   = "tools/call"
)

// Method describes how this server handles one method of the protocol.
type Method struct {
	Legacy  bool // valid in sessions: versions up to 2025-11-25
	Modern  bool // valid in requests that stand alone: versions since 2026-07-28
	Notice  bool // a notification that changes something here
	Endless bool // stays open until it is cancelled, so its answer is never owed
	Project bool // works on a project: its calls are ordered and limited
}

// methods lists the methods that this server handles.
var methods = map[string]Method{
	initialize:                         {Legacy: true},
	"ping":                             {Legacy: true},
	"logging/setLevel":                 {Legacy: true},
	discover:                           {Modern: true},
	"subscriptions/listen":             {Modern: true, Endless: true},
	"notifications/initialized":        {Legacy: true, Notice: true},
	"notifications/roots/list_changed": {Legacy: true, Notice: true},
	cancelled:                          {Legacy: true, Modern: true, Notice: true},
	"tools/list":                       {Legacy: true, Modern: true},
	callTool:                           {Legacy: true, Modern: true, Project: true},
	"prompts/list":                     {Legacy: true, Modern: true},
	"prompts/get":                      {Legacy: true, Modern: true, Project: true},
	"completion/complete":              {Legacy: true, Modern: true, Project: true},
	"resources/list":                   {Legacy: true, Modern: true, Project: true},
	"resources/read":                   {Legacy: true, Modern: true, Project: true},
	"resources/templates/list":         {Legacy: true, Modern: true},
}

// Known returns the description of a method, the zero Method if it is unknown.
func Known(name string) Method { return methods[name] }

// refusal returns the error for a request whose method the versions of its kind do not have.
func (f *frame) refusal(modern bool) *jsonrpc.Error {
	known := methods[f.method]
	if f.id == nil || f.answer != nil || modern && known.Modern || !modern && known.Legacy {
		return nil
	}
	return rpcError(jsonrpc.CodeMethodNotFound, "no method "+errors.Cut(f.method, 100))
}

// ignored reports whether f is a notification that means nothing to this server. Such
// notifications are accepted without an answer.
func (f *frame) ignored() bool {
	if f.answer != nil || f.id != nil {
		return false
	}
	_, names := cancelledID(f.params)
	return !methods[f.method].Notice || f.method == cancelled && !names
}

// cancelledID returns the id of the request that a cancellation names in its params.
func cancelledID(params json.RawMessage) (id jsonrpc.ID, ok bool) {
	members, _ := Members(params)
	return requestID(members["requestId"])
}

// Versions of the protocol. One is legacy when a handshake opens a session, and modern when
// each request stands alone.
const (
	FirstModern = "2026-07-28"
	lastLegacy  = "2025-11-25"
)

// negotiated returns the version with which the SDK answers a handshake: the requested one, or
// the last one that has sessions.
func negotiated(asked json.RawMessage) string {
	version, _ := stringOf(asked)
	if version < FirstModern && slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return version
	}
	return lastLegacy
}

// StandsAlone reports whether a request is one of a modern version.
func StandsAlone(req mcp.Request) bool {
	r, ok := req.(interface{ ProtocolVersion() string })
	return ok && r.ProtocolVersion() >= FirstModern
}

// Keys of params._meta that hold what the SDK drops, in an initialize request and in the
// session's InitializeParams. Values that a client sends under them are deleted.
const (
	// CaptureKey holds the members of initialize that MCP does not know.
	CaptureKey = "dev.blue/initialize"

	// DeclaredKey holds the capabilities as the client sent them: the SDK drops unknown ones
	// and adds an empty member roots.
	DeclaredKey = "dev.blue/capabilities"
)

const (
	maxCapture = 16 << 10 // bytes of one captured member as sent
	maxEntries = 32       // entries of a captured list
)

// Captured lists the members of initialize outside the schema in which clients send their
// directory, in order of precedence.
func Captured() []string { return []string{"roots", "workspaceFolders"} }

// prepareParams reads the protocol version from the members of params and encodes them again:
// without the keys above, and for initialize with them set. Params that are no object stay as
// they are.
//
// Params with a _meta are always encoded again, so that the SDK, which reads the version from
// there as well, cannot find a different one.
func (f *frame) prepareParams(params map[string]json.RawMessage) {
	raw, found := params["_meta"]
	if params == nil || !found && f.method != initialize {
		return
	}
	defer func() { f.params = EncodeObject(params) }()
	var meta map[string]json.RawMessage
	if found && json.Unmarshal(raw, &meta) != nil {
		return
	}
	delete(meta, CaptureKey)
	delete(meta, DeclaredKey)
	version, _ := stringOf(meta[mcp.MetaKeyProtocolVersion])
	f.modern = version >= FirstModern
	switch {
	case f.modern:
		// If a request names no client, the SDK would use that of an earlier one, but a modern
		// reply may depend on its own request only.
		if _, named := meta[mcp.MetaKeyClientInfo]; !named {
			meta[mcp.MetaKeyClientInfo] = json.RawMessage(`{}`)
		}
	case f.method == initialize:
		meta = captureMembers(params, meta)
		// The SDK records the requested version, whatever it is, and treats a session opened
		// with a modern one as modern from then on. It must record the version that it will
		// negotiate.
		if _, ok := stringOf(params["protocolVersion"]); ok {
			params["protocolVersion"] = json.RawMessage(`"` + negotiated(params["protocolVersion"]) + `"`)
		}
	}
	if meta != nil {
		params["_meta"] = EncodeObject(meta)
	}
}

// captureMembers returns meta with the members of params that the SDK drops. It omits a member
// larger than maxCapture and truncates a list to maxEntries.
func captureMembers(params, meta map[string]json.RawMessage) map[string]json.RawMessage {
	captured := map[string]json.RawMessage{}
	for _, name := range Captured() {
		if value, ok := params[name]; ok && string(value) != "null" && len(value) <= maxCapture {
			captured[name] = value
			var entries []json.RawMessage
			if json.Unmarshal(value, &entries) == nil && len(entries) > maxEntries {
				captured[name], _ = json.Marshal(entries[:maxEntries])
			}
		}
	}
	declared := params["capabilities"]
	if declared == nil && len(captured) == 0 {
		return meta
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	if len(captured) > 0 {
		meta[CaptureKey] = EncodeObject(captured)
	}
	if declared != nil && len(declared) <= maxCapture {
		meta[DeclaredKey] = declared
	}
	return meta
}
