package setup_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/blue/setup"
)

var hookClients = strings.Fields("claude-code codex gemini qwen-code copilot-cli cursor opencode antigravity")

// hears is a program that keeps its arguments and the event in files beside itself and
// answers like the hook of a client.
func (m *machine) hears(answer string) {
	dir := filepath.Dir(m.self)
	m.write(m.self, fmt.Sprintf("#!/bin/sh\necho \"$@\" >%s/args\nread -r line\necho \"$line\" >%s/event\nprintf '%%s' '%s'\n", dir, dir, answer), 0o755)
}

// For every client that has hooks, in each scope, setup ends with a run of the hook
// that it wrote, on the client's own event, and shows what the model reads. Twice the same;
// a dry run, --print and --remove run nothing.
func TestSetupTriesTheHook(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the program of this test is a shell script")
	}
	answers := map[string]string{
		"copilot-cli": `{"additionalContext":"Notes of shop\nTwo lines"}`,
		"cursor":      `{"additional_context":"Notes of shop\nTwo lines"}`,
		"antigravity": `{"injectSteps":[{"userMessage":"Notes of shop\nTwo lines"}]}`,
		"opencode":    "Notes of shop\nTwo lines",
	}
	for _, client := range hookClients {
		for _, scope := range []string{"project", "user"} {
			m := newMachine(t)
			answer := answers[client]
			if answer == "" {
				answer = `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"Notes of shop\nTwo lines"}}`
			}
			m.hears(answer)
			event := filepath.Join(filepath.Dir(m.self), "event")
			for _, quiet := range []setup.Registration{{DryRun: true}, {Print: true}, {Remove: true}} {
				quiet.Client, quiet.Scope = client, scope
				done, err := m.setup(quiet)
				if _, ran := os.Stat(event); err != nil || ran == nil || len(done.Tried) > 0 {
					t.Fatalf("%+v ran the hook: %v, %v", quiet, done.Tried, err)
				}
			}
			for range 2 {
				done, err := m.setup(setup.Registration{Client: client, Scope: scope})
				if err != nil || !done.Sound() || len(done.Tried) != 1 {
					t.Fatalf("%s, %s: %+v, %v", client, scope, done.Tried, err)
				}
				text := done.Text()
				if !strings.HasSuffix(text, "The hooks ran. At the start of a session the agent reads 23 bytes:\n  Notes of shop\n  Two lines\n") {
					t.Errorf("%s, %s:\n%s", client, scope, text)
				}
			}
			if args := m.read(filepath.Join(filepath.Dir(m.self), "args")); args != "hook "+client+"\n" {
				t.Errorf("%s, %s: ran with %q", client, scope, args)
			}
			var sent map[string]any
			must(t, json.Unmarshal([]byte(m.read(event)), &sent))
			members := map[string][]string{"copilot-cli": {"cwd", "initialPrompt", "source"}, "cursor": {"hook_event_name", "workspace_roots"}, "antigravity": {"initialNumSteps", "invocationNum", "workspacePaths"}}[client]
			if members == nil {
				members = []string{"cwd", "hook_event_name", "source"}
			}
			for name := range sent {
				if !slices.Contains(members, name) || len(sent) != len(members) {
					t.Errorf("%s: the event has the members %v", client, sent)
				}
			}
			if !strings.Contains(fmt.Sprint(sent), m.project) {
				t.Errorf("%s: the event does not name the project: %v", client, sent)
			}
		}
	}
}

// Setup runs what it has written, and nothing that stands in the file or in the
// project. A hook that a person has changed is written anew first; a file with others'
// hooks keeps them, and they are not run.
func TestSetupRunsOnlyItsOwn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the program of this test is a shell script")
	}
	m := newMachine(t)
	m.hears("Notes of shop")
	ran := filepath.Join(m.root, "ran")
	m.write(filepath.Join(m.project, "blue"), "#!/bin/sh\n: >"+ran+"\n", 0o755)
	m.env["PATH"] = "." + string(filepath.ListSeparator) + string(filepath.ListSeparator) + m.env["PATH"]
	m.write(filepath.Join(m.project, ".claude", "settings.json"), `{"hooks": {"SessionStart": [
		{"hooks": [{"type": "command", "command": ": >`+ran+`"}]},
		{"hooks": [{"type": "command", "command": ": >`+ran+`; blue hook claude-code"}]}
	]}}`, 0o644)
	done, err := m.setup(setup.Registration{Client: "claude-code"})
	if _, missing := os.Stat(ran); err != nil || missing == nil || !strings.Contains(done.Text(), "the agent reads 13 bytes:\n  Notes of shop\n") {
		t.Errorf("%v: something else ran: %v\n%s", err, missing == nil, done.Text())
	}
}

// A hook that fails, and a program that is gone, are no success; the line of the
// hook itself hides them. Silence is none, and has a reason.
func TestSetupSaysWhatFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the program of this test is a shell script")
	}
	for name, row := range map[string]struct {
		program, scope string
		sound          bool
		text           string
	}{
		"too old": {"echo 'there is no command hook' >&2\nexit 2", "project", false, "mend  gemini: its hook (project scope) fails after "},
		"silent":  {"[ \"$3\" = --debug ] && echo 'blue: nothing said: it is Sunday' >&2\nprintf '{}'", "project", true, "says nothing at the start of a session: it is Sunday\n"},
		"gone":    {"", "user", false, "mend  gemini: its hook (user scope) fails after "},
	} {
		m := newMachine(t)
		m.write(m.self, "#!/bin/sh\n"+row.program+"\n", 0o755)
		if row.program == "" {
			must(t, os.Remove(m.self))
		}
		done, err := m.setup(setup.Registration{Client: "gemini", Scope: row.scope})
		if err != nil || done.Sound() != row.sound || !strings.Contains(done.Text(), row.text) {
			t.Errorf("%s: %v\n%s", name, err, done.Text())
		}
		if done, err = m.setup(setup.Registration{Client: "gemini", Scope: row.scope, Force: true}); err != nil || !done.Sound() || !strings.Contains(done.Text(), row.text) {
			t.Errorf("%s, forced: %v\n%s", name, err, done.Text())
		}
	}
}
