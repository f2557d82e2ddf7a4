package mcp

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

// textLimit caps what a failure says;
// the current body of a conflict is beyond it.
const textLimit = 2 << 10

// failure renders an error for a model: message, hints, trace as text, and the
// whole object beside it.
func failure(err error) *mcp.CallToolResult {
	e := errors.Of(err)
	r := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: failureText(e)}}}
	if data, err := json.Marshal(e); err == nil {
		r.StructuredContent = json.RawMessage(data)
	}
	return r
}

// failureText is a failure with its hints.
func failureText(e *errors.Error) string {
	text := errors.Cut(e.Text(), textLimit)
	if e.Kind == errors.Conflict {
		text = e.Text()
	}
	for _, h := range e.Hints {
		text += "\nhint: " + hintText(h)
	}
	return text
}

// tools are the verbs that a model can call itself.
const tools = " where use write read search list edit remove "

// hintText spells a hint for a model.
func hintText(h errors.Hint) string {
	if h.Verb != "" && strings.Contains(tools, " "+h.Verb+" ") {
		return h.Text + " (blue_" + h.Verb + ")"
	}
	return h.ForModel()
}
