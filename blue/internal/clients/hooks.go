package clients

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// blueTools matches the tools of Blue that the session hooks track, as clients name them.
const blueTools = "mcp_.*blue_(read|write|edit)"

// codexEvents are the events of Codex, with the matchers for Claude Code's many file tools.
var codexEvents = []event{
	{name: "SessionStart"},
	{name: "SubagentStart"},
	{name: "UserPromptSubmit"},
	{name: "PreToolUse", matcher: "Edit|Write|MultiEdit|NotebookEdit|Read|apply_patch"},
	{name: "PostToolUse", matcher: "Bash|Edit|Write|MultiEdit|NotebookEdit|apply_patch|" + blueTools},
	{name: "PreCompact"},
	{name: "Stop", nudge: true},
}

// forClaude adds the tools that start subagents, whose tasks Codex reports as prompts, and
// failed commands, which Codex does not report.
func forClaude(events []event) []event {
	events = append(slices.Clone(events), event{name: "PostToolUseFailure", matcher: "Bash"})
	events[3].matcher += "|Agent|Task"
	return events
}

var claudeEvents = forClaude(codexEvents)

// Qwen and Gemini pass hook output to the model after a tool, not before it. Gemini also
// announces before each request that it may compress.
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

// copilotEvents are the events of Copilot CLI. No text of preCompact reaches the model, and what tools
// bring may go too, since it compacts while they run: Blue speaks at the next prompt.
var copilotEvents = []event{
	{name: "sessionStart"}, {name: "subagentStart"}, {name: "userPromptSubmitted"},
	{name: "preToolUse"}, {name: "postToolUse"}, {name: "preCompact"}, {name: "agentStop", nudge: true},
}

// cursorEvents are the events whose text reaches the model of Cursor, and those that say what the
// session has done. Of preToolUse and subagentStart the model reads only the reason of a refusal, and
// of sessionEnd nothing. (cursor.com/docs/hooks, as of 2026-11)
var cursorEvents = []event{
	{name: "sessionStart"}, {name: "beforeSubmitPrompt"},
	{name: "postToolUse", matcher: "Read|Write|Shell|blue_(read|write|edit)"}, {name: "postToolUseFailure", matcher: "Shell"},
	{name: "preCompact"}, {name: "stop", nudge: true},
}

// antigravityEvents are those of Antigravity at which the model reads a text, and the one after a
// tool, whose text waits for the next. (antigravity.google/docs/hooks, as of 2026-07)
var antigravityEvents = []event{
	{name: "PreInvocation"}, {name: "PostToolUse", matcher: "view_file|write_to_file|replace_file_content|multi_replace_file_content|run_command|" + blueTools},
	{name: "Stop", nudge: true},
}

// run is the command of a hook.
type run struct {
	program, client string
	system          string // that runs it, as runtime.GOOS; "" in a file of a project, which goes to all
}

func (r run) windows() bool { return r.system == "windows" }

// posix returns the line for sh. It first looks for the program and always exits with 0, so that
// users without Blue, or with a version too old for hooks, see no error.
func (r run) posix() string {
	word := shell(r.program)
	return "command -v " + word + " >/dev/null && " + word + " hook " + r.client + " 2>/dev/null || true"
}

// powershell returns the same for PowerShell, which decodes and encodes what it passes on: both by the
// code page of the console, so that the bytes stay.
func (r run) powershell() string {
	word := "'" + strings.ReplaceAll(r.program, "'", "''") + "'"
	return "if (Get-Command " + word + " -ErrorAction SilentlyContinue) { $OutputEncoding = [Console]::InputEncoding; " +
		"$input | & " + word + " hook " + r.client + " 2>$null }; exit 0"
}

// grouped returns a hook in the form of Claude Code, which Codex, Gemini, Qwen and Antigravity share.
func grouped(e event, members ...any) any {
	group := obj("hooks", []any{also(obj("type", "command"), members...)})
	if e.matcher != "" {
		group = append(obj("matcher", e.matcher), group...)
	}
	return group
}

// claudeHook starts the program without a shell on Windows, where there may be no Git Bash.
func claudeHook(r run, e event) any {
	if r.windows() {
		return grouped(e, "command", r.program, "args", []string{"hook", r.client})
	}
	return grouped(e, "command", r.posix())
}

func codexHook(r run, e event) any {
	return grouped(e, "command", r.posix(), "commandWindows", r.powershell())
}

// geminiHook returns the only line that Gemini CLI has for all systems; on Windows PowerShell runs it.
func geminiHook(r run, e event) any {
	if r.windows() {
		return grouped(e, "command", r.powershell())
	}
	return grouped(e, "command", r.posix())
}

// qwenHook asks for PowerShell on Windows, in place of cmd.
func qwenHook(r run, e event) any {
	if r.windows() {
		return grouped(e, "shell", "powershell", "command", r.powershell())
	}
	return grouped(e, "command", r.posix())
}

// cursorHook returns one command, for Cursor gives it to the user's shell, and may add a here-document,
// which must reach the program. On Windows it puts a & before a path in quotes.
func cursorHook(r run, e event) any {
	line := shell("/bin/sh", "-c", r.posix())
	if r.windows() {
		line = "'" + strings.ReplaceAll(r.program, "'", "''") + "' hook " + r.client
	}
	hook := obj("command", line)
	if e.matcher != "" {
		hook = also(hook, "matcher", e.matcher)
	}
	return hook
}

// copilotHook returns a hook with one command for each shell.
func copilotHook(r run, _ event) any {
	return obj("type", "command", "bash", r.posix(), "powershell", r.powershell(), "timeoutSec", 10)
}

// antigravityHook returns a line that needs no shell, for Antigravity may split it at blanks: a program
// in a path with blanks is left to PATH. It takes no notice of a program that is not there.
func antigravityHook(r run, e event) any {
	if shell(r.program) != r.program && !r.windows() || strings.ContainsAny(r.program, " \t") {
		r.program = Server
	}
	line := r.program + " hook " + r.client
	if e.name == "PostToolUse" { // only events of tools have groups
		return grouped(e, "command", line, "timeout", 10)
	}
	return obj("type", "command", "command", line, "timeout", 10)
}

// hook returns the hook that the file holds for an event.
func (f ConfigFile) hook(program string, e event) any {
	return f.client.hooks.form(run{f.completed(Entry{Command: program}).Command, f.client.Name, f.system}, e)
}

// hookLists returns the pieces of the client's events, and of other events that hold a hook of
// Blue.
func (f ConfigFile) hookLists(plain any, e Entry) (all []piece) {
	h := f.client.hooks
	key := cmp.Or(h.key, "hooks")
	if h.version > 0 && !has(plain, []string{"version"}) {
		all = []piece{{part: Hooks, path: []string{"version"}, want: h.version}}
	}
	for _, ev := range h.events {
		p := piece{part: Hooks, path: []string{key, ev.name}, ours: isHook}
		if !ev.nudge || !e.Quiet {
			p.want = f.hook(e.Command, ev)
		}
		all = append(all, p)
	}
	present, _ := dig(plain, key).(map[string]any)
	for name, list := range present {
		known := slices.ContainsFunc(h.events, func(ev event) bool { return ev.name == name })
		if values, ok := list.([]any); ok && !known && slices.ContainsFunc(values, isHook) {
			all = append(all, piece{part: Hooks, path: []string{key, name}, ours: isHook})
		}
	}
	return all
}

// SampleHook returns what a client does with a hook of the program when a session begins in
// dir: the command that it runs on the system, and the event that it writes to it. The command is
// always the one that Edit writes, never one read from the file. A script runs the program without
// a shell.
func (f ConfigFile) SampleHook(program, dir, system string) (command []string, event []byte) {
	start := f.client.hooks.start
	if start == nil {
		start = claudeStart
	}
	event = []byte(strings.ReplaceAll(oneLine(start), quote(directory), quote(dir)) + "\n")
	if f.Format == Script {
		return []string{program, "hook", f.client.Name}, event
	}
	hook, _ := f.hook(program, f.client.hooks.events[0]).(object)
	if group, ok := hook.find("hooks"); ok {
		hook, _ = group.([]any)[0].(object)
	}
	member := func(names ...string) string {
		for _, name := range names {
			if text, ok := hook.find(name); ok {
				return text.(string)
			}
		}
		return ""
	}
	line := member("command", "bash")
	if args, ok := hook.find("args"); ok {
		return slices.Concat([]string{line}, args.([]string)), event
	}
	own := member("powershell", "commandWindows")
	if f.client.hooks.key == Server { // Antigravity, which needs no shell
		return strings.Fields(line), event
	}
	if system != "windows" || own == "" && f.system == "" {
		return []string{"sh", "-c", line}, event
	}
	if line = cmp.Or(own, line); strings.HasPrefix(line, "'") {
		line = "& " + line
	}
	return []string{"powershell", "-NoProfile", "-Command", line}, event
}

// claudeStart is the event with which a session begins in Claude Code, Codex, Gemini and Qwen,
// and which the script of opencode sends. It names no session, so Blue stores nothing about it.
var claudeStart = obj("hook_event_name", "SessionStart", "cwd", directory, "source", "startup")

// hookLine matches the part of a hook's command that identifies it as Blue's.
var hookLine = regexp.MustCompile(`(?i)\bblue(\.exe)?['"\\]* hook [a-z]`)

// isHook reports whether a decoded hook, or every hook of a group, runs Blue. A hook that a
// person has grouped with others belongs to the person.
func isHook(v any) bool {
	members, _ := v.(map[string]any)
	if group, ok := members["hooks"].([]any); ok {
		return len(group) > 0 && !slices.ContainsFunc(group, func(v any) bool { return !isHook(v) })
	}
	line, ok := members["command"].(string)
	if !ok {
		line, _ = members["bash"].(string)
	}
	args, _ := members["args"].([]any)
	for _, arg := range args {
		word, _ := arg.(string)
		line += " " + word
	}
	return hookLine.MatchString(line)
}

// HasHooks reports whether a text holds hooks of Blue, and whether they are those that setup
// writes for the program, with or without the reminder to write a note.
func (f ConfigFile) HasHooks(text []byte, program string) (found, current bool) {
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

// The marks of the files that Blue owns: a script begins with its mark, a guide contains it.
const (
	scriptMark = "// Kept by `blue setup`"
	guideMark  = "<!-- Kept by `blue setup`"
)

// isOwn reports whether a text of a file that Blue owns is by Blue.
func (f ConfigFile) isOwn(text []byte) bool {
	return f.Format == Script && bytes.HasPrefix(text, []byte(scriptMark)) || f.Format == Guide && bytes.Contains(text, []byte(guideMark))
}

// opencode is the plugin of opencode. Its text at the start stays the same until the session is
// compacted, so that the model's cache remains valid.
//
//go:embed opencode.js
var opencode string

func script(program string) string {
	name, _ := json.Marshal(program) // encoding a string cannot fail
	return strings.Replace(opencode, `spawn("blue"`, "spawn("+string(name), 1)
}
