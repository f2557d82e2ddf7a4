package message

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Methods that have rules of their own.
const (
	Initialize = "initialize"
	Discover   = "server/discover"
	Cancelled  = "notifications/cancelled" // the one notification whose receiver is named by an id
	CallTool   = "tools/call"
)

// Method says what this server does with one method of the protocol.
type Method struct {
	Legacy    bool       // sessions know it: versions up to 2025-11-25
	Modern    bool       // requests that stand alone know it: versions since 2026-07-28
	Handshake bool       // a session knows it only when its handshake is over
	Notice    bool       // a notification that changes something here
	Endless   bool       // it stays open until it is cancelled, so that its answer is never owed
	Project   bool       // it works on a project: its calls keep their order, and are limited
	params    func() any // of a method with a project, as the SDK decodes them
}

// methods are all that mean something here.
var methods = map[string]Method{
	Initialize:                         {Legacy: true},
	"ping":                             {Legacy: true},
	"logging/setLevel":                 {Legacy: true},
	Discover:                           {Modern: true},
	"subscriptions/listen":             {Modern: true, Endless: true},
	"notifications/initialized":        {Legacy: true, Notice: true},
	"notifications/roots/list_changed": {Legacy: true, Notice: true},
	Cancelled:                          {Legacy: true, Modern: true, Notice: true},
	"tools/list":                       {Legacy: true, Modern: true, Handshake: true},
	CallTool:                           {Legacy: true, Modern: true, Handshake: true, Project: true, params: func() any { return new(mcp.CallToolParamsRaw) }},
	"prompts/list":                     {Legacy: true, Modern: true, Handshake: true},
	"prompts/get":                      {Legacy: true, Modern: true, Handshake: true, Project: true, params: func() any { return new(mcp.GetPromptParams) }},
	"completion/complete":              {Legacy: true, Modern: true, Handshake: true, Project: true, params: func() any { return new(mcp.CompleteParams) }},
	"resources/list":                   {Legacy: true, Modern: true, Handshake: true, Project: true, params: func() any { return new(mcp.ListResourcesParams) }},
	"resources/read":                   {Legacy: true, Modern: true, Handshake: true, Project: true, params: func() any { return new(mcp.ReadResourceParams) }},
	"resources/templates/list":         {Legacy: true, Modern: true, Handshake: true},
}

// Known is what is known of a method, the zero Method for one that means nothing here.
func Known(name string) Method { return methods[name] }

// Ignored reports whether f is a notification that means nothing to this server. Those are
// taken without an answer.
func (f *Frame) Ignored() bool {
	if f.Answer != nil || f.ID != nil {
		return false
	}
	_, names := CancelledID(f.Params)
	return !Known(f.Method).Notice || f.Method == Cancelled && !names
}

// Decodable reports whether the SDK can decode the params of a method that works on a
// project. What it cannot decode it refuses before anything of ours sees the call; and over
// HTTP it would say of a call with a header Mcp-Name that the header does not match.
func (f *Frame) Decodable() bool {
	params := Known(f.Method).params
	return params == nil || f.Params == nil || json.Unmarshal(f.Params, params()) == nil
}

// CancelledID is the request that the params of a cancellation name.
func CancelledID(params json.RawMessage) (id jsonrpc.ID, ok bool) {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil {
		return id, false
	}
	return requestID(p["requestId"])
}

// Versions of the protocol. One is legacy when a handshake opens a session, and modern when
// each request stands alone.
const (
	FirstModern = "2026-07-28"
	LastLegacy  = "2025-11-25"
)

// Negotiated is the version that the SDK answers a handshake with: the one asked for, or
// the last one that has sessions.
func Negotiated(asked json.RawMessage) string {
	version, _ := Text(asked)
	if version < FirstModern && slices.Contains(mcp.SupportedProtocolVersions(), version) {
		return version
	}
	return LastLegacy
}

// StandsAlone reports whether a request is one of a modern version.
func StandsAlone(req mcp.Request) bool {
	r, ok := req.(interface{ ProtocolVersion() string })
	return ok && r.ProtocolVersion() >= FirstModern
}
