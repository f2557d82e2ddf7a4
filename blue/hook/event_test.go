package hook

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/fixtures"
)

const recorded = "../../fixtures/clients/hooks"

// What each client sends, recorded, is understood.
func TestEventsOfClients(t *testing.T) {
	retry := fixtures.Abs("/work/shop/pay/retry.go")
	for _, test := range []struct {
		files string // a pattern
		want  event
	}{
		{"*-SessionStart.json", event{Moment: start}},
		{"*-sessionStart.json", event{Moment: start}},
		{"*-SessionStart-resume.json", event{Moment: start, Source: "resume"}},
		{"*-SessionStart-compact.json", event{Moment: start, Source: "compact"}},
		{"*-UserPromptSubmit.json", event{Moment: prompt}},
		{"*-userPromptSubmitted.json", event{Moment: prompt}},
		{"*-BeforeAgent.json", event{Moment: prompt}},
		{"*-PreToolUse-Edit.json", event{Moment: before, Files: []string{retry}, Edited: []string{retry}}},
		{"*-PreToolUse-Read.json", event{Moment: before, Files: []string{retry}}},
		{"*-PreToolUse-apply_patch.json", event{Moment: before, Files: []string{retry}, Edited: []string{retry}}},
		{"*-PreToolUse-Bash.json", event{Moment: before}},
		{"*-preToolUse-edit.json", event{Moment: before, Files: []string{retry}, Edited: []string{retry}}},
		{"*-preToolUse-view.json", event{Moment: before, Files: []string{retry}}},
		{"*-BeforeTool-read_file.json", event{Moment: before, Files: []string{retry}}},
		{"*-PostToolUse-[Ee]dit.json", event{Moment: after, Files: []string{retry}, Edited: []string{retry}}},
		{"*-PostToolUse-[Rr]ead*.json", event{Moment: after, Files: []string{retry}}},
		{"*-PostToolUse-apply_patch.json", event{Moment: after, Files: []string{retry}, Edited: []string{retry}}},
		{"*-postToolUse-edit.json", event{Moment: after, Files: []string{retry}, Edited: []string{retry}}},
		{"*-postToolUse-view.json", event{Moment: after, Files: []string{retry}}},
		{"*-AfterTool-replace.json", event{Moment: after, Files: []string{retry}, Edited: []string{retry}}},
		{"*-AfterTool-read_file.json", event{Moment: after, Files: []string{retry}}},
		{"*-PreCompact.json", event{Moment: compact}},
		{"*-PreCompress.json", event{Moment: compact}},
		{"*-Stop.json", event{Moment: stop}},
		{"*-Stop-active.json", event{Moment: stop, Stopping: true}},
		{"*-AfterAgent.json", event{Moment: stop}},
		{"*-AfterAgent-active.json", event{Moment: stop, Stopping: true}},
		{"*-agentStop.json", event{Moment: stop}},
		{"*-agentStop-active.json", event{Moment: stop, Stopping: true}},
		{"*-SessionEnd.json", event{Moment: other}},
		{"*-sessionEnd.json", event{Moment: other}},
		{"*-SubagentStop.json", event{Moment: other}},
	} {
		files, err := filepath.Glob(filepath.Join(recorded, test.files))
		if err != nil || len(files) == 0 {
			t.Errorf("%s: nothing recorded, %v", test.files, err)
		}
		for _, file := range files {
			e := readRecorded(t, file)
			if e.Moment != test.want.Moment || e.Stopping != test.want.Stopping || test.want.Source != "" && e.Source != test.want.Source {
				t.Errorf("%s: %+v", filepath.Base(file), e)
			}
			if test.want.Moment == before || test.want.Moment == after {
				if !slices.Equal(e.Files, test.want.Files) || test.want.Edited != nil && !slices.Equal(e.Edited, test.want.Edited) || test.want.Edited == nil && e.Moment == after && len(e.Edited) > 0 {
					t.Errorf("%s: files %q, edited %q", filepath.Base(file), e.Files, e.Edited)
				}
			}
			if filepath.Clean(e.Cwd) != fixtures.Abs("/work/shop") || e.Session == "" {
				t.Errorf("%s: directory %q, session %q", filepath.Base(file), e.Cwd, e.Session)
			}
			if e.Moment == prompt && (e.Prompt == "" || strings.Contains(e.Prompt, "hook_context")) {
				t.Errorf("%s: prompt %q", filepath.Base(file), e.Prompt)
			}
		}
	}
}

func readRecorded(t *testing.T, file string) event {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.ReplaceAll(text, []byte("/work/"), []byte(filepath.ToSlash(fixtures.Abs("/work/"))))
	e, err := readEvent(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e
}

// What clients send when a command has failed and around a subagent, recorded, is
// understood. Codex does not tell that a command failed.
func TestEvents(t *testing.T) {
	const task = "Why do retries of webhooks stop after three tries? Find out."
	for file, want := range map[string]event{
		"claude-code-PostToolUseFailure-Bash":            {Moment: after, Failure: "FATAL"},
		"claude-code-PostToolUseFailure-Bash-subagent":   {Moment: after, Failure: "FATAL", Agent: "a0000000000000001"},
		"codex-PostToolUse-Bash-failed":                  {Moment: after},
		"qwen-code-PostToolUseFailure-run_shell_command": {Moment: after, Failure: "FATAL"},
		"gemini-AfterTool-run_shell_command-failed":      {Moment: after, Failure: "FATAL"},
		"copilot-cli-postToolUse-bash-failed":            {Moment: after, Failure: "FATAL"},

		"claude-code-PreToolUse-Agent":   {Moment: before, Task: task},
		"qwen-code-PreToolUse-agent":     {Moment: before, Task: task},
		"gemini-BeforeTool-invoke_agent": {Moment: before, Task: task},

		"claude-code-SubagentStart": {Moment: subagent, Agent: "a0000000000000001"},
		"codex-SubagentStart":       {Moment: subagent, Agent: "00000000-0000-4000-8000-000000000003"},
		"qwen-code-SubagentStart":   {Moment: subagent, Agent: "general-purpose-call_4"},
		"copilot-cli-subagentStart": {Moment: subagent, Agent: "00000000-0000-4000-8000-000000000002"},

		"codex-UserPromptSubmit-subagent":           {Moment: prompt, Agent: "00000000-0000-4000-8000-000000000003", Prompt: task},
		"copilot-cli-userPromptSubmitted-subagent":  {Moment: prompt, Agent: "00000000-0000-4000-8000-000000000001", Prompt: task},
		"claude-code-UserPromptSubmit-notification": {Moment: prompt},

		"qwen-code-PostToolUse-read_file-subagent": {Moment: after, Agent: "general-purpose-call_4"},
		"copilot-cli-agentStop-subagent":           {Moment: stop, Agent: "00000000-0000-4000-8000-000000000001"},
		"claude-code-Stop-working":                 {Moment: stop, Working: true},
	} {
		e := readRecorded(t, filepath.Join(recorded, file+".json"))
		if e.Moment != want.Moment || e.Agent != want.Agent || e.Task != want.Task || e.Working != want.Working || e.Moment == prompt && e.Prompt != want.Prompt ||
			(e.Failure == "") != (want.Failure == "") || !strings.Contains(e.Failure, want.Failure) {
			t.Errorf("%s: %+v", file, e)
		}
	}
	child, main := "copilot-cli-userPromptSubmitted-subagent.json", "00000000-0000-4000-8000-000000000002"
	if e := readRecorded(t, filepath.Join(recorded, child)); e.Session != main {
		t.Errorf("a subagent of Copilot belongs to the session %q", e.Session)
	}
}

// TestTypedPrompt: what a client puts before a prompt, or sends as one, is not the prompt.
func TestTypedPrompt(t *testing.T) {
	for sent, want := range map[string]string{
		"continue": "continue",
		"<hook_context>Notes</hook_context>\n\ncontinue":                                        "continue",
		"<system-reminder>\n1 background agent was restored.\n</system-reminder>\n\ncontinue":   "continue",
		"Notes of the project \"shop\", kept by Blue (1 note).\nDecisions: \"A\"\n\n\ncontinue": "continue",
		"<task-notification>\n<result>Done.</result>\n</task-notification>":                     "",
		"What does <system-reminder>x</system-reminder> do?":                                    "What does <system-reminder>x</system-reminder> do?",
		"Notes of the project \"shop\" are where?\n\nSay it.":                                   "Notes of the project \"shop\" are where?\n\nSay it.",
	} {
		text, _ := json.Marshal(map[string]string{"hook_event_name": "UserPromptSubmit", "prompt": sent})
		if e, err := readEvent(text); err != nil || e.Prompt != want {
			t.Errorf("%q: %q, %v", sent, e.Prompt, err)
		}
	}
}

// Notes that the agent read and wrote.
func TestNotes(t *testing.T) {
	if e := readRecorded(t, filepath.Join(recorded, "claude-code-PostToolUse-blue_read.json")); len(e.Read) != 1 || len(e.Files) != 0 {
		t.Errorf("%+v", e)
	}
	for _, client := range []string{"claude-code", "codex"} {
		if e := readRecorded(t, filepath.Join(recorded, client+"-PostToolUse-blue_write.json")); len(e.Wrote) != 1 || len(e.Files) != 0 {
			t.Errorf("%s: %+v", client, e)
		}
	}
}

// The shape in which each client reads an answer.
func TestShapes(t *testing.T) {
	for client, want := range map[string][2]string{
		"claude-code": {`{"hookSpecificOutput":{"additionalContext":"TEXT","hookEventName":"SessionStart"}}`, `{"decision":"block","reason":"TEXT"}`},
		"codex":       {`{"hookSpecificOutput":{"additionalContext":"TEXT","hookEventName":"SessionStart"}}`, `{"decision":"block","reason":"TEXT"}`},
		"qwen-code":   {`{"hookSpecificOutput":{"additionalContext":"TEXT","hookEventName":"SessionStart"}}`, `{"decision":"block","reason":"TEXT"}`},
		"gemini":      {`{"hookSpecificOutput":{"additionalContext":"TEXT","hookEventName":"SessionStart"}}`, `{"decision":"block","reason":"TEXT"}`},
		"copilot-cli": {`{"additionalContext":"TEXT"}`, `{"decision":"block","reason":"TEXT"}`},
		"cursor":      {`{"additional_context":"TEXT"}`, `{"followup_message":"TEXT"}`},
		"antigravity": {`{"injectSteps":[{"userMessage":"TEXT"}]}`, `{"decision":"continue","reason":"TEXT"}`},
		"opencode":    {"TEXT", "TEXT"},
	} {
		for i, e := range []event{{Name: "SessionStart", Moment: start}, {Name: "Stop", Moment: stop}} {
			got := string(shapes[client].write(e, "TEXT"))
			if strings.TrimSuffix(got, "\n") != want[i] {
				t.Errorf("%s at %s: %s", client, e.Name, got)
			}
			if strings.HasPrefix(got, "{") && !json.Valid([]byte(got)) {
				t.Errorf("%s: %s", client, got)
			}
		}
	}
	if len(shapes) != 8 {
		t.Errorf("%d clients, of which 8 are here", len(shapes))
	}
}
