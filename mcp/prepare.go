package mcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the guard changes in the params of a message.
const (
	firstModern = "2026-07-28" // the first revision without a handshake
	lastLegacy  = "2025-11-25" // the last one with it

	// captureKey holds, in params._meta of an initialize request and of the
	// session's InitializeParams, the members that MCP does not know.
	captureKey = "dev.blue/initialize"

	// declaredKey holds, at the same places, the capabilities as the client sent them: the
	// SDK drops those that it does not know, and adds an empty member roots.
	declaredKey = "dev.blue/capabilities"

	maxCapture = 16 << 10 // bytes of one captured member as sent
	maxEntries = 32       // of a captured list
)

// prepare reads the era of the message from its params and rewrites them: the
// capture key of the client is deleted, that of an initialize request set. Params of
// another shape than an object are left for the SDK to refuse.
//
// Whatever holds a _meta is encoded anew, so that the SDK, which reads the era
// from there a second time, cannot find another one.
func (f *frame) prepare() {
	var params map[string]json.RawMessage
	if json.Unmarshal(f.params, &params) != nil || params == nil {
		return
	}
	raw, found := params["_meta"]
	if !found && f.method != "initialize" {
		return
	}
	var meta map[string]json.RawMessage
	if found && json.Unmarshal(raw, &meta) != nil {
		f.encode(params)
		return
	}
	delete(meta, captureKey)
	delete(meta, declaredKey)
	delete(meta, turnKey)
	delete(meta, spoiledKey)
	f.modern = isModern(meta[mcp.MetaKeyProtocolVersion])
	switch {
	case f.modern:
		nameClient(meta)
	case f.method == "initialize":
		meta = captureMembers(params, meta)
		settleVersion(params)
	}
	if meta != nil {
		params["_meta"] = encodeObject(meta)
	}
	f.encode(params)
}

func (f *frame) encode(params map[string]json.RawMessage) { f.params = encodeObject(params) }

// encodeObject cannot fail: every value has been decoded from JSON before.
func encodeObject(object map[string]json.RawMessage) json.RawMessage {
	data, _ := json.Marshal(object)
	return data
}

func isModern(version json.RawMessage) bool {
	v, ok := jsonString(version)
	return ok && v >= firstModern
}

// nameClient fills in an empty client for a request that names none: the SDK
// would answer with the client of an earlier request, and a modern reply may
// depend on its own request alone.
func nameClient(meta map[string]json.RawMessage) {
	if _, named := meta[mcp.MetaKeyClientInfo]; !named {
		meta[mcp.MetaKeyClientInfo] = json.RawMessage(`{}`)
	}
}

// settleVersion makes the SDK record the revision that it is going to negotiate. It
// keeps the one asked for, whatever that is, and treats a session opened with a
// modern one as modern ever after.
func settleVersion(params map[string]json.RawMessage) {
	if _, ok := jsonString(params["protocolVersion"]); ok {
		params["protocolVersion"] = json.RawMessage(`"` + negotiated(params["protocolVersion"]) + `"`)
	}
}

// captureMembers returns meta with the members of params that clients send beside the
// schema and the SDK drops. One over maxCapture is left out, a list cut to
// maxEntries.
func captureMembers(params, meta map[string]json.RawMessage) map[string]json.RawMessage {
	captured := map[string]json.RawMessage{}
	for _, name := range [...]string{"roots", "workspaceFolders", "rootUri", "rootPath"} {
		value, ok := params[name]
		if !ok || string(value) == "null" || len(value) > maxCapture {
			continue
		}
		captured[name] = firstEntries(value)
	}
	declared := params["capabilities"]
	if declared == nil && len(captured) == 0 {
		return meta
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	if len(captured) > 0 {
		meta[captureKey] = encodeObject(captured)
	}
	if declared != nil && len(declared) <= maxCapture {
		meta[declaredKey] = declared
	}
	return meta
}

func firstEntries(value json.RawMessage) json.RawMessage {
	var entries []json.RawMessage
	if json.Unmarshal(value, &entries) != nil || len(entries) <= maxEntries {
		return value
	}
	data, _ := json.Marshal(entries[:maxEntries])
	return data
}
