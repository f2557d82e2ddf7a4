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
)

// moment is what an event means, whatever the client calls it.
type moment int

const (
	other moment = iota // nothing that Blue has anything to say to
	start
	subagent // begins
	prompt
	before // a file is read or changed
	after  // it was
	compact
	stop
)

// moments are the names of the events, in lower case.
var moments = map[string]moment{
	"sessionstart":     start,
	"subagentstart":    subagent,
	"userpromptsubmit": prompt, "userpromptsubmitted": prompt, "beforesubmitprompt": prompt, "beforeagent": prompt,
	"pretooluse": before, "beforetool": before,
	"posttooluse": after, "aftertool": after, "afterfileedit": after, "posttoolusefailure": after,
	"precompact": compact, "precompress": compact,
	"stop": stop, "agentstop": stop, "afteragent": stop,
}

// event is what a client says has happened.
type event struct {
	Name     string // as the client spells it
	Moment   moment
	Session  string // id of the client's, empty when it says none
	Cwd      string
	Source   string // of a start: startup, resume, clear, compact
	Prompt   string
	Agent    string         // id of the subagent in which it happened, empty for the main agent
	Task     string         // what a subagent that is about to begin is asked
	TaskCall map[string]any // the call of the tool that starts it
	Failure  string         // end of what a command wrote that failed
	Stopping bool           // the end was held up once already
	Working  bool           // a subagent still works
	Files    []string       // absolute paths that a tool is about to read or change, or has
	Edited   []string       // those of them that it has changed
	Read     []string       // ids of notes that were read
	Wrote    []string       // ids of notes that were written or edited
	Called   bool           // a tool of Blue's, or `blue` in a shell, was called
}

// sent is an event as the clients spell it; each uses some of the members.
type sent struct {
	Name         string          `json:"hook_event_name"`
	CamelName    string          `json:"hookEventName"`
	Session      string          `json:"session_id"`
	CamelSession string          `json:"sessionId"`
	Conversation string          `json:"conversation_id"` // Cursor
	Cwd          string          `json:"cwd"`
	Workspaces   []string        `json:"workspace_roots"` // Cursor
	Source       string          `json:"source"`
	Prompt       string          `json:"prompt"`
	Stopping     bool            `json:"stop_hook_active"`
	Tool         string          `json:"tool_name"`
	CamelTool    string          `json:"toolName"` // Copilot, as Args and Result
	Input        json.RawMessage `json:"tool_input"`
	Args         json.RawMessage `json:"toolArgs"`
	Response     json.RawMessage `json:"tool_response"`
	Error        json.RawMessage `json:"error"`
	Interrupted  bool            `json:"is_interrupt"`
	Agent        string          `json:"agent_id"`
	CamelAgent   string          `json:"agentId"`       // Copilot
	Parent       string          `json:"parentAgentId"` // Copilot: a subagent has a session of its own, this is the one that it belongs to
	AgentName    string          `json:"agentName"`     // Copilot, of a subagent that begins
	Background   []backgroundJob `json:"background_tasks"`
	Result       json.RawMessage `json:"toolResult"`
	File         string          `json:"file_path"`     // Cursor, after an edit
	First        *string         `json:"initialPrompt"` // Copilot, as StopReason and Reason
	StopReason   *string         `json:"stopReason"`
	Reason       *string         `json:"reason"`
}

// backgroundJob is what works on when an agent stops; one of a subagent has its type.
type backgroundJob struct {
	Status    string `json:"status"`
	AgentType string `json:"agent_type"`
}

// readEvent reads an event. A member of another type than is expected counts as absent.
func readEvent(text []byte) (event, error) {
	var s sent
	err := json.Unmarshal(text, &s)
	if _, other := errors.AsType[*json.UnmarshalTypeError](err); err != nil && (!other || bytes.TrimSpace(text)[0] != '{') {
		return event{}, err
	}
	e := event{
		Name: cmp.Or(s.Name, s.CamelName), Session: cmp.Or(s.Parent, s.Session, s.CamelSession, s.Conversation),
		Cwd: s.Cwd, Source: s.Source, Agent: cmp.Or(s.Agent, s.CamelAgent), Prompt: wrapped.ReplaceAllString(s.Prompt, ""), Stopping: s.Stopping,
	}
	if e.Cwd == "" && len(s.Workspaces) > 0 {
		e.Cwd = s.Workspaces[0]
	}
	if e.Name == "" {
		e.Name = s.unnamed()
	}
	e.Working = slices.ContainsFunc(s.Background, func(job backgroundJob) bool { return job.AgentType != "" && job.Status == "running" })
	e.Moment = moments[strings.ToLower(e.Name)]
	tool, response := cmp.Or(s.Tool, s.CamelTool), first(s.Response, s.Result)
	e.readTool(tool, first(s.Input, s.Args), response, s.File)
	if e.Moment == after && !s.Interrupted {
		e.Failure = readFailure(tool, response, s.Error)
	}
	return e, nil
}

// wrapped is what clients put before a prompt, or send as one, that no person has typed. Copilot
// puts there what a subagent was told when it began.
var wrapped = regexp.MustCompile(`(?s)^\s*(?:(?:<hook_context>.*?</hook_context>|<system-reminder>.*?</system-reminder>|<task-notification>.*?</task-notification>|` +
	`Notes of the project "[^\n]*, kept by Blue .*?\n\s*\n)\s*)+`)

// unnamed is the name of an event that does not say it, as those of Copilot do not.
func (s sent) unnamed() string {
	switch {
	case s.CamelTool != "" && s.Result != nil:
		return "postToolUse"
	case s.CamelTool != "":
		return "preToolUse"
	case s.AgentName != "":
		return "subagentStart"
	case s.Source != "" || s.First != nil:
		return "sessionStart"
	case s.StopReason != nil:
		return "agentStop"
	case s.Reason != nil:
		return "sessionEnd"
	case s.Prompt != "":
		return "userPromptSubmitted"
	}
	return ""
}

func first(a, b json.RawMessage) json.RawMessage {
	if a != nil {
		return a
	}
	return b
}

// readers are tools that change no file.
var readers = []string{"read", "read_file", "read_many_files", "view", "glob", "grep", "ls", "list_directory", "search_file_content", "grep_search"}

// delegates are tools that start a subagent.
var delegates = []string{"agent", "task", "invoke_agent"}

// readTool fills in what a tool was called with.
func (e *event) readTool(tool string, input, response json.RawMessage, file string) {
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
	for _, path := range append(inputPaths(input), file) {
		if path == "" {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(e.Cwd, path)
		}
		e.Files = append(e.Files, filepath.Clean(path))
	}
	if !slices.Contains(readers, strings.ToLower(tool)) {
		e.Edited = e.Files
	}
}

// calledBlue matches the command of a shell that finds, reads or writes notes.
var calledBlue = regexp.MustCompile(`\bblue(?: -C \S+)? (?:search|read|write|edit)\b`)

// wroteNote finds the note in what blue_write answers, as text or as an object.
var wroteNote = regexp.MustCompile(`(?:\bWrote |\.blue/(?:notebook/)?(?:notes|private)/)([a-z0-9][a-z0-9-]*)`)

// readNotes fills in the note that a tool of Blue's own was called for.
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

// patched is a line of a patch that names a file (Codex, apply_patch).
var patched = regexp.MustCompile(`(?m)^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$`)

// inputPaths are the files that the input of a tool names: by a member of its own, or in
// a patch.
func inputPaths(input json.RawMessage) (paths []string) {
	var members map[string]any
	if json.Unmarshal(unquoted(input), &members) != nil {
		return nil
	}
	for _, key := range []string{"file_path", "filePath", "path", "absolute_path", "notebook_path"} {
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
