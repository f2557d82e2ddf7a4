package clients_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/clients"
	"blue/fixtures"
)

// lines returns the commands of the hooks that setup writes in a project.
func lines(t testing.TB, c clients.Client) (all []string) {
	t.Helper()
	f, ok := c.HookFile(place(), clients.Project)
	if !ok || f.Format == clients.Script {
		return nil
	}
	text, err := f.Edit(nil, stdio)
	must(t, err)
	var file struct {
		Hooks map[string][]struct {
			Command, Bash string
			Hooks         []struct{ Command string }
		}
	}
	must(t, json.Unmarshal(text, &file))
	for _, list := range file.Hooks {
		for _, hook := range list {
			for _, inner := range hook.Hooks {
				all = append(all, inner.Command)
			}
			all = append(all, hook.Command+hook.Bash)
		}
	}
	return all
}

// Where blue is missing, or too old to know hooks, or fails in
// whatever way, each hook ends with 0 and writes nothing; where it is there it gets the
// event, and what it answers comes back.
func TestHookWithoutBlue(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("SKIPPED: there is no sh")
	}
	programs := map[string]struct{ script, want string }{
		"missing":   {"", ""},
		"too old":   {"echo 'blue: error: there is no command \"hook\"' >&2; exit 2", ""},
		"failing":   {"echo panic >&2; exit 2", ""},
		"there":     {`[ "$1" = hook ] && read -r line && echo "$2 $line"`, "NAME {}\n"},
		"forbidden": {"none", ""},
	}
	for name, program := range programs {
		dir := t.TempDir()
		if program.script != "" {
			mode := os.FileMode(0o755)
			if name == "forbidden" {
				mode = 0o644
			}
			must(t, os.WriteFile(filepath.Join(dir, "blue"), []byte("#!/bin/sh\n"+program.script+"\n"), mode))
		}
		tried := 0
		for _, c := range clients.All() {
			for _, line := range lines(t, c) {
				if line == "" {
					continue
				}
				for _, shell := range []string{"sh", "dash", "bash", "zsh"}[:fixtures.Size(1, 4, 4)] {
					path, err := exec.LookPath(shell)
					if err != nil {
						continue
					}
					tried++
					var out, errs bytes.Buffer
					run := exec.Command(path, "-c", line)
					run.Env, run.Stdin, run.Stdout, run.Stderr = []string{"PATH=" + dir}, strings.NewReader("{}\n"), &out, &errs
					want := strings.ReplaceAll(program.want, "NAME", c.Name)
					if err := run.Run(); err != nil || errs.Len() > 0 || out.String() != want {
						t.Errorf("%s, %s, %s: %v, %q, %q", name, c.Name, shell, err, out.String(), errs.String())
					}
				}
			}
		}
		if tried < 20 {
			t.Errorf("%s: only %d were tried", name, tried)
		}
	}
}

// TestHookPath: a program with a blank or a quote in its path is found, and known again.
func TestHookPath(t *testing.T) {
	for _, program := range []string{"/opt/my tools/blue", "/it's/blue", `C:\tools\blue.exe`} {
		for _, c := range clients.All() {
			f, ok := c.HookFile(place(), clients.User)
			if !ok {
				continue
			}
			text, err := f.Edit(nil, clients.Entry{Command: program})
			must(t, err)
			if found, current := f.HasHooks(text, program); !found || !current {
				t.Errorf("%s, %s: found %v, current %v:\n%s", c.Name, program, found, current, text)
			}
			if found, current := f.HasHooks(text, "/elsewhere/blue"); !found || current {
				t.Errorf("%s, %s: found %v, current %v with another program", c.Name, program, found, current)
			}
			if back, err := f.Remove(text); err != nil || back != nil {
				t.Errorf("%s, %s: %v %s", c.Name, program, err, back)
			}
		}
	}
}

// TestScript: the plugin of opencode, run with what opencode gives it, asks Blue at the
// start, when a subagent begins, at a prompt, after an edit and after a command that failed, and adds what it
// answers.
func TestScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("SKIPPED: there is no node")
	}
	dir := t.TempDir()
	c, _ := clients.Named("opencode")
	f, _ := c.HookFile(place(), clients.Project)
	text, err := f.Edit(nil, stdio)
	must(t, err)
	const use = `import { Blue } from "./blue.mjs"
const hooks = await Blue({ directory: process.cwd() })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s" } } } })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "child", parentID: "s" } } } })
const system = [], parts = [{ id: "p1", type: "text", text: "why retry?" }], context = []
for (const i of [1, 2]) await hooks["experimental.chat.system.transform"]({ sessionID: "s" }, { system })
await hooks["chat.message"]({ sessionID: "s" }, { message: { id: "m" }, parts })
await hooks["tool.execute.after"]({ tool: "edit", sessionID: "s", args: { filePath: "/a" } }, {})
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", args: {} }, {})
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", args: {} }, { output: "ok", metadata: { exit: 0 } })
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "s", args: {} }, { output: "it broke", metadata: { exit: 2 } })
await hooks["experimental.session.compacting"]({ sessionID: "s" }, { context })
for (const sessionID of ["child", "old"]) await hooks["experimental.chat.system.transform"]({ sessionID }, { system: [] })
console.log(JSON.stringify({ system, parts, context }))
`
	blue := "#!/bin/sh\nread -r event || true\necho \"$event\" >>log\ncase $event in *PostTool*) ;; *) echo \"said: $1 $2\" ;; esac\n"
	for name, data := range map[string]string{"blue.mjs": string(text), "use.mjs": use, "blue": blue} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o755))
	}
	for with, want := range map[string]string{
		dir:               `{"system":["said: hook opencode","said: hook opencode"],"parts":[{"id":"p1","type":"text","text":"why retry?"},{"id":"p1b","sessionID":"s","messageID":"m","type":"text","synthetic":true,"text":"said: hook opencode"}],"context":["Keep the ids`,
		"/nowhere/at/all": `{"system":[],"parts":[{"id":"p1","type":"text","text":"why retry?"}],"context":[]}`,
	} {
		run := exec.Command(node, "use.mjs")
		run.Dir, run.Env = dir, []string{"PATH=" + with + ":/bin"}
		out, err := run.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", with, err, out, want)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if asked := strings.Count(string(log), "\n"); err != nil || asked != 7 || !strings.Contains(string(log), `"hook_event_name":"SubagentStart","session_id":"child"`) || !strings.Contains(string(log), `"session_id":"old","cwd":"`+dir+`","source":"resume"`) || !strings.Contains(string(log), `"prompt":"why retry?"`) || !strings.Contains(string(log), `"tool_response":{"exit":2,"output":"it broke"}`) || !strings.Contains(string(log), `"source":"compact"`) {
		t.Errorf("%v: asked %d times:\n%s", err, asked, log)
	}
}

// The sample of every client with hooks runs the very line that stands in its file, or
// what its script starts.
func TestSampleHook(t *testing.T) {
	tried := 0
	for _, c := range clients.All() {
		f, ok := c.HookFile(place(), clients.Project)
		if !ok {
			continue
		}
		tried++
		command, event := f.SampleHook("blue", "/shop", "linux")
		text, err := f.Edit(nil, stdio)
		if err != nil || !json.Valid(event) || !bytes.Contains(event, []byte("/shop")) {
			t.Errorf("%s: %v, %s", c.Name, err, event)
		}
		switch {
		case f.Format == clients.Script:
			if want := `spawn("blue", ["hook", "opencode"]`; !slices.Equal(command, []string{"blue", "hook", "opencode"}) || !bytes.Contains(text, []byte(want)) {
				t.Errorf("%s: %q", c.Name, command)
			}
		case c.Name == "antigravity":
			if want := `"command": "blue hook antigravity"`; !slices.Equal(command, []string{"blue", "hook", "antigravity"}) || !bytes.Contains(text, []byte(want)) {
				t.Errorf("%s: %q", c.Name, command)
			}
		case len(command) != 3 || command[0] != "sh" || command[1] != "-c" || !slices.Contains(lines(t, c), command[2]):
			t.Errorf("%s: %q does not stand in\n%s", c.Name, command, text)
		}
	}
	if tried != 8 {
		t.Errorf("%d clients have hooks", tried)
	}
}

// The command lines of the user's own files on Windows, for paths with blanks, quotes and percent signs,
// and what runs them.
func TestHooksOnWindows(t *testing.T) {
	const powershell = `if (Get-Command 'PATH' -ErrorAction SilentlyContinue) { $OutputEncoding = [Console]::InputEncoding; $input | & 'PATH' hook NAME 2>$null }; exit 0`
	place := place()
	place.OS = "windows"
	for path, quoted := range map[string]string{
		`C:\tools\blue.exe`:              `C:\tools\blue.exe`,
		`C:\Program Files\blue\blue.exe`: `C:\Program Files\blue\blue.exe`,
		`C:\it's\50%\blue.exe`:           `C:\it''s\50%\blue.exe`,
	} {
		whole := path // without a shell a blank ends the path
		if strings.Contains(path, " ") {
			whole = "blue"
		}
		for client, want := range map[string][]string{
			"claude-code": {path, "hook", "claude-code"},
			"codex":       {"powershell", "-NoProfile", "-Command", powershell},
			"gemini":      {"powershell", "-NoProfile", "-Command", powershell},
			"qwen-code":   {"powershell", "-NoProfile", "-Command", powershell},
			"copilot-cli": {"powershell", "-NoProfile", "-Command", powershell},
			"cursor":      {"powershell", "-NoProfile", "-Command", "& 'PATH' hook cursor"},
			"antigravity": {whole, "hook", "antigravity"},
		} {
			c, _ := clients.Named(client)
			f, _ := c.HookFile(place, clients.User)
			for i := range want {
				want[i] = strings.NewReplacer("PATH", quoted, "NAME", client).Replace(want[i])
			}
			text, err := f.Edit(nil, clients.Entry{Command: path})
			if command, _ := f.SampleHook(path, `C:\shop`, "windows"); err != nil || !slices.Equal(command, want) {
				t.Errorf("%s: %v\n%q\n%q", client, err, command, want)
			}
			line, _ := json.Marshal(strings.TrimPrefix(want[len(want)-1], "& "))
			switch client {
			case "claude-code":
				program, _ := json.Marshal(path)
				line = []byte(`"command": ` + string(program) + `, "args": ["hook", "claude-code"]`)
			case "qwen-code":
				line = []byte(`"shell": "powershell", "command": ` + string(line))
			case "codex":
				line = []byte(`"commandWindows": ` + string(line))
			case "antigravity":
				line, _ = json.Marshal(strings.Join(want, " "))
			}
			line = []byte(strings.NewReplacer(`\u0026`, "&", `\u003e`, ">").Replace(string(line)))
			if !bytes.Contains(text, line) {
				t.Errorf("%s: there is no %s in\n%s", client, line, text)
			}
			if found, current := f.HasHooks(text, path); !found || !current {
				t.Errorf("%s: found %v, current %v:\n%s", client, found, current, text)
			}
		}
	}
}

// Setup writes hooks for a command that failed and a subagent that begins, where
// the client has such events; Codex does not know the one of a failure.
func TestHooksOfMoments(t *testing.T) {
	for name, want := range map[string]string{
		"claude-code": "SubagentStart PostToolUseFailure PreToolUse:Agent", "qwen-code": "SubagentStart PostToolUseFailure PreToolUse:agent", "codex": "SubagentStart",
		"gemini": "BeforeTool:invoke_agent", "copilot-cli": "subagentStart",
	} {
		c, _ := clients.Named(name)
		f, _ := c.HookFile(place(), clients.Project)
		text, err := f.Edit(nil, stdio)
		must(t, err)
		var file struct {
			Hooks map[string][]struct{ Matcher string }
		}
		must(t, json.Unmarshal(text, &file))
		for _, event := range []string{"SubagentStart", "subagentStart", "PostToolUseFailure", "PreToolUse:Agent", "PreToolUse:agent", "BeforeTool:invoke_agent"} {
			event, tool, _ := strings.Cut(event, ":")
			got := slices.ContainsFunc(file.Hooks[event], func(group struct{ Matcher string }) bool {
				return tool == "" || slices.Contains(strings.Split(group.Matcher, "|"), tool)
			})
			if event += strings.TrimSuffix(":"+tool, ":"); got != strings.Contains(want, event) {
				t.Errorf("%s, %s: %v", name, event, got)
			}
		}
		after := append(file.Hooks["PostToolUse"], file.Hooks["AfterTool"]...)
		if name == "copilot-cli" { // its hooks have no matchers
			continue
		}
		if len(after) != 1 || !strings.Contains(after[0].Matcher, "Bash") && !strings.Contains(after[0].Matcher, "run_shell_command") {
			t.Errorf("%s: no hook after a command: %+v", name, after)
		}
	}
}
