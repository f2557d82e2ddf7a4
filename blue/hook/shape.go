package hook

import "encoding/json"

// answerShape describes the answers that a client expects.
type answerShape struct {
	write  func(e event, text string) []byte
	always bool // an empty answer is an empty JSON object
	late   bool // answers before a tool do not reach the model; tell after it
	keeps  bool // a subagent's prompt is no event; remember it from the tool call
	deaf   bool // answers at a subagent's start do not reach it; tell after its first tool
}

// shapes maps clients, named as in `blue setup`, to their answer shapes. docs/agents.md lists the
// tested versions.
var shapes = map[string]answerShape{
	"claude-code": {write: nested, keeps: true},
	"codex":       {write: nested},
	"qwen-code":   {write: nested, always: true, late: true, keeps: true, deaf: true},
	"gemini":      {write: nested, always: true, late: true},
	"copilot-cli": {write: func(e event, text string) []byte {
		if e.Moment == stop {
			return nested(e, text)
		}
		return line(map[string]any{"additionalContext": text})
	}},
	"cursor": {write: func(e event, text string) []byte {
		if e.Moment == stop {
			return nil
		}
		return line(map[string]any{"additional_context": text})
	}},
	"opencode": {write: func(_ event, text string) []byte { return []byte(text) }, late: true},
}

// nested formats answers for Claude Code and the clients that follow it. At the end of a turn they
// read only a reason to continue.
func nested(e event, text string) []byte {
	switch {
	case e.Moment == stop:
		return line(map[string]any{"decision": "block", "reason": text})
	case e.Task != "": // Gemini CLI has no subagent event, but hooks may extend the subagent's prompt
		e.TaskCall["prompt"] = e.Task + "\n\n" + text
		return line(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": e.Name, "tool_input": e.TaskCall}})
	}
	return line(map[string]any{"hookSpecificOutput": map[string]any{"hookEventName": e.Name, "additionalContext": text}})
}

func line(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	return append(text, '\n')
}
