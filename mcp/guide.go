package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/blue"
	"blue/errors"
)

// textLimit caps what a failure says;
// the current body of a conflict is beyond it.
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

// failureText is a failure with its hints, and the project that it concerns.
func failureText(e *errors.Error) string {
	text := errors.Cut(e.Text(), textLimit)
	if e.Kind == errors.Conflict {
		text = e.Text()
	}
	ref, found := e.Project.(*blue.Ref)
	if found && e.Kind != errors.SeveralProjects && e.Kind != errors.NotDetected { // those did nothing in any project
		text += "\n" + strings.TrimSpace(blue.About{Project: ref}.Lines())
	}
	for _, h := range e.Hints {
		text += "\nhint: " + hintText(h)
	}
	return text
}

// tools are the verbs that a model can call itself.
const tools = " where use write read search list edit remove "

// longestID is how many bytes an id may have that a hint repeats: it may be a caller's.
const longestID = 200

// hintText spells a hint for a model: as the call of a tool where there is one.
func hintText(h errors.Hint) string {
	verb := h.Verb
	if verb == "history" { // which is no tool; a reading names the earlier revisions
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
