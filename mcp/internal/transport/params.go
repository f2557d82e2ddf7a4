package transport

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Keys of params._meta that hold, in an initialize request and in the session's
// InitializeParams, what the SDK drops. What a client sends under them is deleted.
const (
	// CaptureKey holds the members of initialize that MCP does not know.
	CaptureKey = "dev.blue/initialize"

	// DeclaredKey holds the capabilities as the client sent them: the SDK drops those that it
	// does not know, and adds an empty member roots.
	DeclaredKey = "dev.blue/capabilities"
)

const (
	maxCapture = 16 << 10 // bytes of one captured member as sent
	maxEntries = 32       // of a captured list
)

// Captured lists the members of initialize that clients send outside the schema to name
// their directory, the first ones first.
func Captured() []string { return []string{"roots", "workspaceFolders", "rootUri", "rootPath"} }

// prepareParams reads the protocol version from the members of params and encodes them anew:
// without the keys above, and for initialize with them set. Params of another shape than an
// object are left as they are.
//
// Params with a _meta are encoded anew in any case, so that the SDK, which reads the version
// from there again, cannot find another one.
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
	f.version = meta[mcp.MetaKeyProtocolVersion]
	version, _ := stringOf(f.version)
	f.modern = version >= FirstModern
	switch {
	case f.modern:
		nameClient(meta)
	case f.method == initialize:
		meta = captureMembers(params, meta)
		settleVersion(params)
	}
	if meta != nil {
		params["_meta"] = EncodeObject(meta)
	}
}

// nameClient sets an empty client for a request that names none: the SDK would take the
// client of an earlier request, and a modern reply may depend on its own request alone.
func nameClient(meta map[string]json.RawMessage) {
	if _, named := meta[mcp.MetaKeyClientInfo]; !named {
		meta[mcp.MetaKeyClientInfo] = json.RawMessage(`{}`)
	}
}

// settleVersion makes the SDK record the version that it is going to negotiate. It keeps
// the one asked for, whatever that is, and treats a session opened with a modern one as
// modern ever after.
func settleVersion(params map[string]json.RawMessage) {
	if _, ok := stringOf(params["protocolVersion"]); ok {
		params["protocolVersion"] = json.RawMessage(`"` + negotiated(params["protocolVersion"]) + `"`)
	}
}

// captureMembers returns meta with the members of params that the SDK drops. It leaves out
// a member over maxCapture and cuts a list to maxEntries.
func captureMembers(params, meta map[string]json.RawMessage) map[string]json.RawMessage {
	captured := map[string]json.RawMessage{}
	for _, name := range Captured() {
		if value, ok := params[name]; ok && string(value) != "null" && len(value) <= maxCapture {
			captured[name] = firstEntries(value)
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

func firstEntries(value json.RawMessage) json.RawMessage {
	var entries []json.RawMessage
	if json.Unmarshal(value, &entries) != nil || len(entries) <= maxEntries {
		return value
	}
	shorter, _ := json.Marshal(entries[:maxEntries])
	return shorter
}
