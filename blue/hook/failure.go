package hook

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// shells are tools that run a command.
var shells = []string{"bash", "shell", "local_shell", "exec_command", "run_shell_command", "powershell"}

// exitCode is how the output of a command says that it failed, where the answer of the tool
// is a text.
var exitCode = regexp.MustCompile(`(?i)\bexit(?:ed with)?(?: code)?:? *-?[1-9]\d*\b`)

// errorRoom is how many bytes of an error's text are looked at: the end, where most tools
// say what went wrong.
const errorRoom = 2000

// readFailure returns the error of a command that failed, which a client tells as such or in
// the answer of the tool; empty for none.
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

// hasFailed reports whether the answer of a tool says so by a member of its own.
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
	_ = json.Unmarshal(answer, &a) // a member of another type says nothing
	return a.IsError || a.SnakeError || a.ExitCode != 0 || a.SnakeCode != 0 || a.Exit != 0 || a.Type == "failure" || len(a.Metadata) > 0 && hasFailed(a.Metadata)
}

// texts are the texts of a value of JSON, one below the other: the errors are the last.
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

// unquoted is the object that a string of JSON holds (Copilot), or the value as it is.
func unquoted(value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return json.RawMessage(text)
	}
	return value
}
