package transport

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
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

// repeatedHeader returns the name of a checked header that came more than once: a proxy may
// have checked another of its values than the one read here.
func repeatedHeader(h http.Header) string {
	for _, name := range [...]string{
		"Authorization", sessionHeader, versionHeader, "Content-Type", "Mcp-Method", "Mcp-Name", projectHeader,
	} {
		if len(h[name]) > 1 {
			return name
		}
	}
	return ""
}

// isModern reports whether a header names a version without sessions.
func isModern(version string) bool {
	_, err := time.Parse(time.DateOnly, version)
	return err == nil && version >= FirstModern
}

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

// modernPost reports whether a POST is of a modern version. The version of its header and that
// of the message must agree.
func modernPost(header string, f frame) (modern bool, fault *jsonrpc.Error) {
	named := f.version != nil
	version, _ := stringOf(f.version)
	switch {
	case named && version != header:
		return false, rpcError(mcp.CodeHeaderMismatch, "header MCP-Protocol-Version and _meta name different revisions")
	case header != "" && !slices.Contains(mcp.SupportedProtocolVersions(), header), named && header < FirstModern:
		return false, unsupported(header)
	}
	return header >= FirstModern, nil
}

// unsupported returns the error for a protocol version that the server does not support.
func unsupported(requested string) *jsonrpc.Error {
	known := mcp.SupportedProtocolVersions()
	detail, _ := json.Marshal(mcp.UnsupportedProtocolVersionData{Supported: known, Requested: requested})
	return &jsonrpc.Error{Code: mcp.CodeUnsupportedProtocolVersion, Message: "unsupported protocol version", Data: detail}
}

// plainName decodes a Base64 header value (2026-07-28, "=?base64?…?="), which the SDK does not.
func plainName(value string) string {
	inner, begins := strings.CutPrefix(value, "=?base64?")
	inner, ends := strings.CutSuffix(inner, "?=")
	if name, err := base64.StdEncoding.DecodeString(inner); begins && ends && err == nil {
		return string(name)
	}
	return value
}
