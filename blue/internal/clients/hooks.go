package clients

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"blue/errors"
)

// Tools of Blue that a session remembers, as clients name them.
const blueTools = "mcp_.*blue_(read|write|edit)"

// codexEvents are those of Codex, and of Claude Code with its many tools for files.
var codexEvents = []event{
	{name: "SessionStart"},
	{name: "SubagentStart"},
	{name: "UserPromptSubmit"},
	{name: "PreToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit|Read|apply_patch"},
	{name: "PostToolUse", matcher: "Bash|Edit|Write|MultiEdit|NotebookEdit|apply_patch|" + blueTools},
	{name: "PreCompact"},
	{name: "Stop", nudge: true},
}

// forClaude adds what a subagent is to be asked, which is a prompt in Codex, and a command
// that failed, which Codex does not tell.
func forClaude(events []event) []event {
	events = append(slices.Clone(events), event{name: "PostToolUseFailure", matcher: "Bash"})
	events[3].matcher += "|Agent|Task"
	return events
}

var claudeEvents = forClaude(codexEvents)

// Qwen and Gemini give the model what is said after a tool, not before it. Gemini also
// says before each request that it may compress.
var (
	qwenEvents = []event{
		{name: "SessionStart"},
		{name: "SubagentStart"},
		{name: "UserPromptSubmit"},
		{name: "PreToolUse", matcher: "agent"},
		{name: "PostToolUse", matcher: "read_file|edit|write_file|run_shell_command|" + blueTools},
		{name: "PostToolUseFailure", matcher: "run_shell_command"},
		{name: "PreCompact"},
		{name: "Stop", nudge: true},
	}
	geminiEvents = []event{
		{name: "SessionStart"},
		{name: "BeforeAgent"},
		{name: "BeforeTool", matcher: "invoke_agent"},
		{name: "AfterTool", matcher: "read_file|replace|write_file|run_shell_command|" + blueTools},
		{name: "AfterAgent", nudge: true},
	}
)

var copilotEvents = []event{
	{name: "sessionStart"}, {name: "subagentStart"}, {name: "userPromptSubmitted"}, {name: "preToolUse"}, {name: "postToolUse"}, {name: "agentStop", nudge: true},
}

var cursorEvents = []event{{name: "sessionStart"}, {name: "beforeSubmitPrompt"}, {name: "afterFileEdit"}}

// hookCommand is a line for sh. It looks for the program first and ends with 0
// whatever happens, so that a person without Blue, or with one that is too old to
// know hooks, sees no error.
func hookCommand(program, client string) string {
	word := shell(program)
	return "command -v " + word + " >/dev/null && " + word + " hook " + client + " 2>/dev/null || true"
}

// SampleHook is what a client does with a hook of the program in the file when a session
// begins in a directory: the words of the command that it runs, and the event that it writes
// to it. The command is the one that Edit writes, never one that stands in the file; a script
// runs the program without a shell.
func (f File) SampleHook(program, dir, system string) (command []string, event []byte) {
	start := claudeStart
	if f.client.hooks.start != nil {
		start = f.client.hooks.start
	}
	event = []byte(oneLine(start(dir)) + "\n")
	if f.Format == Script {
		return []string{program, "hook", f.client.Name}, event
	}
	program = f.completed(Entry{Command: program}).Command
	hook, _ := f.client.hooks.form(program, f.client.Name, f.client.hooks.events[0]).(object)
	if line, ok := hook.find("powershell"); ok && system == "windows" {
		return []string{"powershell", "-NoProfile", "-Command", line.(string)}, event
	}
	return []string{"sh", "-c", hookCommand(program, f.client.Name)}, event
}

// claudeStart is the event with which a session begins in Claude Code, Codex, Gemini and
// Qwen, and which the script of opencode sends. It names no session, so that nothing is
// remembered of it.
func claudeStart(dir string) object {
	return object{{Key: "hook_event_name", Value: "SessionStart"}, {Key: "cwd", Value: dir}, {Key: "source", Value: "startup"}}
}

func copilotStart(dir string) object {
	return object{{Key: "cwd", Value: dir}, {Key: "source", Value: "new"}, {Key: "initialPrompt", Value: ""}}
}

func cursorStart(dir string) object {
	return object{{Key: "hook_event_name", Value: "sessionStart"}, {Key: "workspace_roots", Value: []string{dir}}}
}

// groupedHook is the form of Claude Code, which Codex, Qwen and Gemini take.
func groupedHook(command, client string, e event) any {
	group := object{{Key: "hooks", Value: []any{object{{Key: "type", Value: "command"}, {Key: "command", Value: hookCommand(command, client)}}}}}
	if e.matcher != "" {
		group = append(object{{Key: "matcher", Value: e.matcher}}, group...)
	}
	return group
}

// bareHook is the form of Cursor.
func bareHook(command, client string, _ event) any {
	return object{{Key: "command", Value: hookCommand(command, client)}}
}

// shellsHook is the form of Copilot, which has one command for each shell.
func shellsHook(command, client string, _ event) any {
	word := "'" + strings.ReplaceAll(command, "'", "''") + "'"
	return object{
		{Key: "type", Value: "command"},
		{Key: "bash", Value: hookCommand(command, client)},
		{Key: "powershell", Value: "if (Get-Command " + word + " -ErrorAction SilentlyContinue) { $input | & " + word + " hook " + client + " 2>$null }; exit 0"},
		{Key: "timeoutSec", Value: 10},
	}
}

// hookLine matches the part of a hook's command by which it is known as Blue's, and
// hookTest its beginning, which names the program.
var (
	hookLine = regexp.MustCompile(`(?i)\bblue(\.exe)?['"]* hook [a-z]`)
	hookTest = regexp.MustCompile(`^command -v '?(.+?)'? >/dev/null `)
)

// isHook reports whether a decoded hook, or each one of a group, runs Blue's. One
// that a person has put into a group with others is the person's.
func isHook(v any) bool {
	members, _ := v.(map[string]any)
	if group, ok := members["hooks"].([]any); ok {
		return len(group) > 0 && !slices.ContainsFunc(group, func(v any) bool { return !isHook(v) })
	}
	return hookLine.MatchString(lineOf(members))
}

// lineOf is the command of a decoded hook.
func lineOf(members map[string]any) string {
	for _, key := range []string{"command", "bash"} {
		if line, ok := members[key].(string); ok {
			return line
		}
	}
	return ""
}

// hookIn is the command of the first hook of Blue in a decoded list, "" without one.
func hookIn(v any) string {
	values, _ := v.([]any)
	for _, v := range values {
		members, _ := v.(map[string]any)
		if !isHook(v) {
			continue
		}
		if group, ok := members["hooks"].([]any); ok {
			return hookIn(group)
		}
		return lineOf(members)
	}
	return ""
}

func hookProgram(line string) string {
	if found := hookTest.FindStringSubmatch(line); found != nil {
		return found[1]
	}
	return ""
}

// HasHooks reports whether a text holds hooks of Blue's, and whether they are those
// that setup writes for the program, with the question for a note or without.
func (f File) HasHooks(text []byte, program string) (found, current bool) {
	without, err := f.Remove(text)
	if err != nil || text == nil || bytes.Equal(without, text) {
		return false, false
	}
	for _, quiet := range []bool{false, true} {
		same, err := f.Edit(text, Entry{Command: program, Quiet: quiet})
		current = current || err == nil && bytes.Equal(same, text)
	}
	return true, current
}

// putScript writes the plugin, unless the file is somebody else's.
func (f File) putScript(before []byte, e Entry) ([]byte, error) {
	if len(before) > 0 && !bytes.HasPrefix(before, []byte(scriptMark)) {
		return nil, errors.BadConfig(f.Path, 0, "it is a script that `blue setup` did not write")
	}
	if text := []byte(script(f.completed(e).Command)); !bytes.Equal(before, text) {
		return text, nil
	}
	return before, nil
}

func (f File) dropScript(before []byte) ([]byte, error) {
	if !bytes.HasPrefix(before, []byte(scriptMark)) {
		return before, nil
	}
	return nil, nil
}

// scriptMark begins a script that is Blue's.
const scriptMark = "// Kept by `blue setup`"

// opencode is the plugin of opencode. The text of the start stays the same for the
// session, so that the model's cache holds, until the session is compacted.
//
//go:embed opencode.js
var opencode string

func script(program string) string {
	name, _ := json.Marshal(program) // a text always encodes
	return strings.Replace(opencode, `spawn("blue"`, "spawn("+string(name), 1)
}
