package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue/result"
	"blue/errors"
)

// textLimit caps the text of a failure. A conflict is exempt: its text holds the current body.
const textLimit = 2 << 10

// failure renders an error for a model: message, project, hints and trace as text, and
// the whole object as structured content.
func failure(err error) *mcp.CallToolResult {
	e := errors.Of(err)
	r := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: failureText(e)}}}
	if data, err := json.Marshal(e); err == nil {
		r.StructuredContent = json.RawMessage(data)
	}
	return r
}

// failureText returns the text of a failure with its project and its hints.
func failureText(e *errors.Error) string {
	text := errors.Cut(e.Text(), textLimit)
	if e.Kind == errors.Conflict {
		text = e.Text()
	}
	ref, found := e.Project.(*result.Ref)
	if found && e.Kind != errors.SeveralProjects && e.Kind != errors.NotDetected { // in no project
		text += "\n" + strings.TrimSpace(result.About{Project: ref}.Lines())
	}
	for _, h := range e.Hints {
		text += "\nhint: " + hintText(h)
	}
	return text
}

// tools are the verbs that a model can call itself.
const tools = " where use write read search list edit remove "

// longestID is the longest id in bytes that a hint repeats: the id may come from a caller.
const longestID = 200

// hintText spells a hint for a model, as a tool call if its verb is a tool.
func hintText(h errors.Hint) string {
	verb := h.Verb
	if verb == "history" { // not a tool; blue_read names the earlier revisions
		verb = "read"
	}
	if verb == "" || !strings.Contains(tools, " "+verb+" ") {
		return h.ForModel()
	}
	if h.Args == "" || len(h.Args) > longestID {
		return h.Text + " (blue_" + verb + ")"
	}
	return fmt.Sprintf("%s (blue_%s {\"id\":%q})", h.Text, verb, h.Args)
}
