package hook

import "encoding/json"

// answerShape is how a client wants its answers.
type answerShape struct {
	write  func(e event, text string) []byte
	always bool // the client wants JSON, and gets an empty object for nothing
	late   bool // what is said before a tool runs does not reach the model: it is said after
	keeps  bool // what a subagent is asked is no prompt of its own: it is kept until it begins
	deaf   bool // what is said when a subagent begins does not reach it: it is said after its first tool
}

// shapes are those of the clients, by the names of `blue setup`; docs/agents.md says with
// which version of each it was tried.
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

// nested is the shape of Claude Code, which most have taken over. At the end of a turn
// only a reason for going on is read.
func nested(e event, text string) []byte {
	switch {
	case e.Moment == stop:
		return line(map[string]any{"decision": "block", "reason": text})
	case e.Task != "": // Gemini CLI has no event for a subagent, but lets a hook add to what it is asked
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
