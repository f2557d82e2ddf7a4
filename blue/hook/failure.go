package hook

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// shells lists tools that run a shell command.
var shells = []string{"bash", "shell", "local_shell", "exec_command", "run_shell_command", "powershell"}

// exitCode matches the failure status in a textual tool result.
var exitCode = regexp.MustCompile(`(?i)\bexit(?:ed with)?(?: code)?:? *-?[1-9]\d*\b`)

// errorRoom is the number of bytes of an error that are used: its tail, where most tools name the
// cause.
const errorRoom = 2000

// readFailure returns the error text of a failed command, from the event or the tool's result, or
// "" if it succeeded.
func readFailure(tool string, response, failure json.RawMessage) string {
	if !slices.Contains(shells, strings.ToLower(tool)) {
		return ""
	}
	text := texts(failure)
	if text == "" {
		answer := unquoted(response)
		if text = texts(answer); !hasFailed(answer) && !exitCode.MatchString(text) {
			return ""
		}
	}
	return strings.ToValidUTF8(text[max(0, len(text)-errorRoom):], "")
}

// hasFailed reports whether a tool result has a member that marks a failure.
func hasFailed(answer json.RawMessage) bool {
	var a struct {
		IsError    bool    `json:"isError"`
		SnakeError bool    `json:"is_error"`
		ExitCode   float64 `json:"exitCode"`
		SnakeCode  float64 `json:"exit_code"`
		Exit       float64 `json:"exit"`
		Type       string  `json:"resultType"` // Copilot
		Metadata   json.RawMessage
	}
	_ = json.Unmarshal(answer, &a) // ignore members of unexpected types
	return a.IsError || a.SnakeError || a.ExitCode != 0 || a.SnakeCode != 0 || a.Exit != 0 || a.Type == "failure" || len(a.Metadata) > 0 && hasFailed(a.Metadata)
}

// texts joins the strings of a JSON value with newlines, errors last.
func texts(value json.RawMessage) string {
	var whole any
	if json.Unmarshal(value, &whole) != nil {
		return strings.TrimSpace(string(value))
	}
	var found []string
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			found = append(found, v)
		case []any:
			for _, v := range v {
				add(v)
			}
		case map[string]any:
			for _, key := range []string{"stdout", "output", "text", "content", "llmContent", "textResultForLlm", "message", "error", "stderr"} {
				add(v[key])
			}
		}
	}
	add(whole)
	return strings.TrimSpace(strings.Join(found, "\n"))
}

// unquoted decodes JSON inside a JSON string (Copilot), and returns other values unchanged.
func unquoted(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return json.RawMessage(text)
	}
	return value
}
