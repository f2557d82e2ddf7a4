package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/mcp/internal/message"
)

// lean is the result of a tool, written as the SDK writes it but in half of the time:
// a type that encodes itself, as the SDK's results and texts do, is looked through again
// by each encoder around it.
type lean struct {
	mcp.Result        `json:"-"`
	Content           [1]leanText `json:"content"`
	StructuredContent any         `json:"structuredContent,omitempty"`
	IsError           bool        `json:"isError,omitempty"`
	ResultType        string      `json:"resultType,omitempty"` // of revisions without sessions
}

type leanText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// lean is the way that results of tools take. Any other goes as it is.
func (d *door) lean(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		r, err := next(ctx, method, req)
		whole, ok := r.(*mcp.CallToolResult)
		if err != nil || !ok || len(whole.Content) != 1 || whole.InputRequests != nil || whole.Meta != nil {
			return r, err
		}
		text, ok := whole.Content[0].(*mcp.TextContent)
		if !ok || text.Meta != nil || text.Annotations != nil {
			return r, nil
		}
		l := &lean{Result: r, Content: [1]leanText{{"text", text.Text}}, StructuredContent: whole.StructuredContent, IsError: whole.IsError}
		if message.StandsAlone(req) {
			l.ResultType = "complete"
		}
		return l, nil
	}
}
