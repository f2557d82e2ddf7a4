package message

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Keys of params._meta under which a reader of messages tells the one who answers a request
// what that cannot know. What a client sends under them is deleted.
const (
	// CaptureKey holds, in an initialize request and in the session's InitializeParams, the
	// members that MCP does not know.
	CaptureKey = "dev.blue/initialize"

	// DeclaredKey holds, at the same places, the capabilities as the client sent them: the
	// SDK drops those that it does not know, and adds an empty member roots.
	DeclaredKey = "dev.blue/capabilities"

	// TurnKey names the turn of a call over HTTP: the answer may travel on another
	// response, so that nothing else tells when the call has ended.
	TurnKey = "dev.blue/turn"

	// UseFailedKey says that the blue_use before the call has failed.
	UseFailedKey = "dev.blue/spoiled"
)

// CodeNotAsked is of a question to the client that was not sent, or that it cannot answer
// any more. The SDK takes it for one message that was not sent while the connection is well;
// after any other error of a write it gives the connection up.
const CodeNotAsked = -32005

const (
	maxCapture = 16 << 10 // bytes of one captured member as sent
	maxEntries = 32       // of a captured list
)

// Captured are the members of initialize that clients send beside the schema to name their
// directory, the first ones first.
func Captured() []string { return []string{"roots", "workspaceFolders", "rootUri", "rootPath"} }

// prepareParams reads the protocol version of the message from its params and rewrites
// them: the keys of ours are deleted, and those of an initialize request set. Params of
// another shape than an object are left for the SDK to refuse.
//
// Whatever holds a _meta is encoded anew, so that the SDK, which reads the version from
// there a second time, cannot find another one.
func (f *Frame) prepareParams() {
	var params map[string]json.RawMessage
	if json.Unmarshal(f.Params, &params) != nil || params == nil {
		return
	}
	raw, found := params["_meta"]
	if !found && f.Method != Initialize {
		return
	}
	defer func() { f.Params = EncodeObject(params) }()
	var meta map[string]json.RawMessage
	if found && json.Unmarshal(raw, &meta) != nil {
		return
	}
	for _, key := range [...]string{CaptureKey, DeclaredKey, TurnKey, UseFailedKey} {
		delete(meta, key)
	}
	f.Version = meta[mcp.MetaKeyProtocolVersion]
	version, _ := Text(f.Version)
	f.Modern = version >= FirstModern
	switch {
	case f.Modern:
		nameClient(meta)
	case f.Method == Initialize:
		meta = captureMembers(params, meta)
		settleVersion(params)
	}
	if meta != nil {
		params["_meta"] = EncodeObject(meta)
	}
}

// nameClient fills in an empty client for a request that names none: the SDK would answer
// with the client of an earlier request, and a modern reply may depend on its own request
// alone.
func nameClient(meta map[string]json.RawMessage) {
	if _, named := meta[mcp.MetaKeyClientInfo]; !named {
		meta[mcp.MetaKeyClientInfo] = json.RawMessage(`{}`)
	}
}

// settleVersion makes the SDK record the version that it is going to negotiate. It keeps
// the one asked for, whatever that is, and treats a session opened with a modern one as
// modern ever after.
func settleVersion(params map[string]json.RawMessage) {
	if _, ok := Text(params["protocolVersion"]); ok {
		params["protocolVersion"] = json.RawMessage(`"` + Negotiated(params["protocolVersion"]) + `"`)
	}
}

// captureMembers returns meta with the members of params that the SDK drops. One over
// maxCapture is left out, a list cut to maxEntries.
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

// WithMeta returns params with one more member of _meta; nil when they have no such shape.
func WithMeta(raw json.RawMessage, key string, value any) json.RawMessage {
	params, meta := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if raw != nil && json.Unmarshal(raw, &params) != nil {
		return nil
	}
	if params["_meta"] != nil && json.Unmarshal(params["_meta"], &meta) != nil || params == nil || meta == nil {
		return nil
	}
	meta[key], _ = json.Marshal(value)
	params["_meta"] = EncodeObject(meta)
	return EncodeObject(params)
}
