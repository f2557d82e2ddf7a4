package hook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"blue/errors"
	"blue/marker"
)

// moment is the meaning of an event, independent of the client's name for it.
type moment int

const (
	other moment = iota // an event that Blue ignores
	start
	subagent // a subagent starts
	prompt
	before // before a tool reads or changes a file
	after  // after a tool has run
	compact
	stop
	invocation // before each request to the model (Antigravity)
)

// moments maps event names in lower case to their meaning.
var moments = map[string]moment{
	"sessionstart":     start,
	"subagentstart":    subagent,
	"userpromptsubmit": prompt, "userpromptsubmitted": prompt, "beforesubmitprompt": prompt, "beforeagent": prompt,
	"pretooluse": before, "beforetool": before,
	"posttooluse": after, "aftertool": after, "posttoolusefailure": after,
	"precompact": compact, "precompress": compact,
	"stop": stop, "agentstop": stop, "afteragent": stop,
	"preinvocation": invocation,
}

// event is one event of a client.
type event struct {
	Name     string         `json:"hook_event_name"` // in the client's spelling
	Session  string         `json:"session_id"`      // empty if the client gives none
	Cwd      string         `json:"cwd"`
	Source   string         `json:"source"` // cause of a start: startup, resume, clear or compact
	Prompt   string         `json:"prompt"`
	Agent    string         `json:"agent_id"`         // of the subagent, empty for the main agent
	Stopping bool           `json:"stop_hook_active"` // a stop hook has already delayed this end
	Moment   moment         `json:"-"`
	Task     string         `json:"-"` // prompt of a subagent that is about to start
	TaskCall map[string]any `json:"-"` // input of the tool that starts the subagent
	Failure  string         `json:"-"` // tail of the output of a failed command
	Working  bool           `json:"-"` // a subagent is still running
	Files    []string       `json:"-"` // absolute paths that the tool reads or changes
	Edited   []string       `json:"-"` // those of Files that were changed
	Read     []string       `json:"-"` // ids of notes read
	Wrote    []string       `json:"-"` // ids of notes written or edited
	Called   bool           `json:"-"` // a Blue tool or the blue command was called
	Roots    []string       `json:"-"` // Cwd, and other directories that the client has open
	Cursor   bool           `json:"-"` // Cursor sent the event, whatever client its hook is for
}

// sent is the JSON of an event: the union of the members that the clients use.
type sent struct {
	event
	CamelName    string          `json:"hookEventName"`
	CamelSession string          `json:"sessionId"`
	Conversation string          `json:"conversation_id"` // Cursor
	Workspaces   []string        `json:"workspace_roots"` // Cursor, as the next five
	Version      string          `json:"cursor_version"`
	Output       json.RawMessage `json:"tool_output"`
	ErrorMessage json.RawMessage `json:"error_message"`
	Loops        int             `json:"loop_count"` // ends that a hook has delayed
	Status       string          `json:"status"`     // of the turn that ends
	Tool         string          `json:"tool_name"`
	CamelTool    string          `json:"toolName"` // Copilot, as Args and Result
	Input        json.RawMessage `json:"tool_input"`
	Args         json.RawMessage `json:"toolArgs"`
	Response     json.RawMessage `json:"tool_response"`
	Error        json.RawMessage `json:"error"`
	Interrupted  bool            `json:"is_interrupt"`
	CamelAgent   string          `json:"agentId"`       // Copilot
	Parent       string          `json:"parentAgentId"` // Copilot: subagents have their own session; this is the parent's
	AgentName    string          `json:"agentName"`     // Copilot, name of a subagent that starts
	Background   []backgroundJob `json:"background_tasks"`
	Result       json.RawMessage `json:"toolResult"`
	First        *string         `json:"initialPrompt"` // Copilot, as the next three
	Trigger      *string         `json:"trigger"`
	StopReason   *string         `json:"stopReason"`
	Reason       *string         `json:"reason"`

	ConversationID string   `json:"conversationId"` // Antigravity, as the next six
	WorkspacePaths []string `json:"workspacePaths"`
	Invocation     *int     `json:"invocationNum"`
	Step           *int     `json:"stepIdx"`
	Ended          *string  `json:"terminationReason"`
	Idle           *bool    `json:"fullyIdle"`
	Call           struct {
		Name string
		Args json.RawMessage
	} `json:"toolCall"`
}

// backgroundJob is a task that keeps running when an agent stops. A subagent's task has its type.
type backgroundJob struct {
	Status    string `json:"status"`
	AgentType string `json:"agent_type"`
}

// readEvent decodes an event. Members of unexpected types count as absent.
func readEvent(text []byte) (event, error) {
	var s sent
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // PowerShell may add it
	err := json.Unmarshal(text, &s)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); err != nil && (!other || bytes.TrimSpace(text)[0] != '{') {
		return event{}, err
	}
	e := s.event
	e.Name, e.Agent = cmp.Or(s.Name, s.CamelName, s.unnamed()), cmp.Or(s.Agent, s.CamelAgent)
	e.Session = cmp.Or(s.Parent, s.Session, s.CamelSession, s.Conversation, s.ConversationID)
	e.Roots = slices.DeleteFunc(slices.Concat([]string{s.Cwd}, s.Workspaces, s.WorkspacePaths), func(dir string) bool { return dir == "" })
	e.Cwd = cmp.Or(e.Roots...)
	e.Prompt = wrapped.ReplaceAllString(s.Prompt, "")
	e.Cursor, e.Stopping = s.Version != "", e.Stopping || s.Loops > 0 || s.Status == "aborted" || s.Status == "error"
	e.Working = s.Idle != nil && !*s.Idle || slices.ContainsFunc(s.Background, func(job backgroundJob) bool { return job.AgentType != "" && job.Status == "running" })
	e.Moment = moments[strings.ToLower(e.Name)]
	tool, response := cmp.Or(s.Tool, s.CamelTool, s.Call.Name), first(s.Response, s.Result, s.Output)
	e.readTool(tool, first(s.Input, s.Args, s.Call.Args), response)
	if e.Moment == after && !s.Interrupted {
		e.Failure = readFailure(tool, response, first(s.Error, s.ErrorMessage))
	}
	return e, nil
}

// wrapped matches text that clients add to a prompt, or send as one, that the person did not type.
// Copilot adds what the subagent was told at its start.
var wrapped = regexp.MustCompile(`(?s)^\s*(?:(?:<hook_context>.*?</hook_context>|<system-reminder>.*?</system-reminder>|<task-notification>.*?</task-notification>|` +
	`Notes of the project "[^\n]*, kept by Blue .*?\n\s*\n)\s*)+`)

// unnamed infers the name of an event that lacks one, as those of Copilot and Antigravity do.
func (s sent) unnamed() string {
	switch {
	case s.Invocation != nil:
		return "PreInvocation"
	case s.Ended != nil:
		return "Stop"
	case s.Step != nil:
		return "PostToolUse"
	case s.CamelTool != "" && s.Result != nil:
		return "postToolUse"
	case s.CamelTool != "":
		return "preToolUse"
	case s.AgentName != "":
		return "subagentStart"
	case s.Source != "" || s.First != nil:
		return "sessionStart"
	case s.Trigger != nil:
		return "preCompact"
	case s.StopReason != nil:
		return "agentStop"
	case s.Reason != nil:
		return "sessionEnd"
	case s.Prompt != "":
		return "userPromptSubmitted"
	}
	return ""
}

// first returns the first value that is there.
func first(values ...json.RawMessage) json.RawMessage {
	for _, value := range values {
		if value != nil {
			return value
		}
	}
	return nil
}

// readers lists tools that change no file.
var readers = []string{"read", "read_file", "read_many_files", "view", "glob", "grep", "ls", "list_directory", "search_file_content", "grep_search", "view_file", "list_dir", "find_by_name"}

// delegates lists tools that start a subagent.
var delegates = []string{"agent", "task", "invoke_agent"}

// readTool fills in the fields that come from a tool call.
func (e *event) readTool(tool string, input, response json.RawMessage) {
	if slices.Contains(delegates, strings.ToLower(tool)) {
		_ = json.Unmarshal(unquoted(input), &e.TaskCall)
		e.Task, _ = e.TaskCall["prompt"].(string)
		return
	}
	if at := strings.LastIndex(tool, "blue_"); at >= 0 {
		e.Called = true
		e.readNotes(tool[at+len("blue_"):], input, response)
		return
	}
	e.Called = slices.Contains(shells, strings.ToLower(tool)) && calledBlue.Match(input)
	for _, path := range inputPaths(input) {
		if path == "" {
			continue
		}
		if path = marker.Native(path); !filepath.IsAbs(path) {
			path = filepath.Join(marker.Native(e.Cwd), path)
		}
		e.Files = append(e.Files, filepath.Clean(path))
	}
	if !slices.Contains(readers, strings.ToLower(tool)) {
		e.Edited = e.Files
	}
}

// calledBlue matches shell commands that search, read or write notes.
var calledBlue = regexp.MustCompile(`\bblue(?: -C \S+)? (?:search|read|write|edit)\b`)

// wroteNote matches the note's id in the result of blue_write, as text or JSON.
var wroteNote = regexp.MustCompile(`(?:\bWrote |\.blue/(?:notebook/)?(?:notes|private)/)([a-z0-9][a-z0-9-]*)`)

// readNotes fills in the notes that a Blue tool was called for.
func (e *event) readNotes(verb string, input, response json.RawMessage) {
	var named struct{ ID string }
	_ = json.Unmarshal(unquoted(input), &named)
	switch id := named.ID; {
	case verb == "read" && id != "":
		e.Read = []string{id}
	case verb == "edit" && id != "":
		e.Wrote = []string{id}
	case verb == "write":
		if found := wroteNote.FindSubmatch(response); found != nil {
			e.Wrote = []string{string(found[1])}
		}
	}
}

// patched matches a line of a patch that names a file (Codex, apply_patch).
var patched = regexp.MustCompile(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$`)

// inputPaths returns the files that a tool's input names, in a member or in a patch.
func inputPaths(input json.RawMessage) (paths []string) {
	var members map[string]any
	if json.Unmarshal(unquoted(input), &members) != nil {
		return nil
	}
	for _, key := range []string{"file_path", "filePath", "path", "absolute_path", "notebook_path", "AbsolutePath", "TargetFile"} {
		if path, ok := members[key].(string); ok {
			paths = append(paths, path)
		}
	}
	for _, key := range []string{"command", "input", "patch", "patchText"} {
		text, _ := members[key].(string)
		if words, ok := members[key].([]any); ok && len(words) > 0 {
			text, _ = words[len(words)-1].(string)
		}
		for _, found := range patched.FindAllStringSubmatch(text, -1) {
			paths = append(paths, found[1])
		}
	}
	return paths
}

// shells lists tools that run a shell command.
var shells = []string{"bash", "shell", "local_shell", "exec_command", "run_shell_command", "run_command", "powershell"}

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
