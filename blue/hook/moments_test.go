package hook_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
)

// G008: the text of an error brings the note that answers it, once a session, in the shape of
// each client; a command that went well, another tool's error and an interrupted command bring
// nothing.
func TestG008FailedCommand(t *testing.T) {
	const text = `FATAL: ledger migration 0042 refused: checksum of the settlement table differs`
	for name, test := range map[string]struct {
		client, event, more string
		told                bool
	}{
		"Claude Code":         {"claude-code", "PostToolUseFailure", `,"tool_name":"Bash","tool_input":{"command":"make migrate"},"error":"Exit code 1\n` + text + `"`, true},
		"Claude Code, before": {"claude-code", "PostToolUse", `,"tool_name":"Bash","tool_input":{"command":"make migrate"},"tool_response":{"stdout":"","stderr":"` + text + `","is_error":true}`, true},
		"Codex":               {"codex", "PostToolUse", `,"tool_name":"Bash","tool_input":{"command":"make migrate"},"tool_response":"` + text + `\nProcess exited with code 1"`, true},
		"Qwen Code":           {"qwen-code", "PostToolUseFailure", `,"tool_name":"run_shell_command","tool_input":{},"error":"` + text + `"`, true},
		"Gemini CLI":          {"gemini", "AfterTool", `,"tool_name":"run_shell_command","tool_input":{},"tool_response":{"llmContent":"Output: ` + text + `\nExit Code: 2"}`, true},
		"opencode":            {"opencode", "PostToolUse", `,"tool_name":"bash","tool_input":{},"tool_response":{"exit":1,"output":"` + text + `"}`, true},
		"it went well":        {"claude-code", "PostToolUse", `,"tool_name":"Bash","tool_input":{},"tool_response":{"stdout":"` + text + `","stderr":"","interrupted":false}`, false},
		"another tool":        {"claude-code", "PostToolUseFailure", `,"tool_name":"Grep","tool_input":{},"error":"` + text + `"`, false},
		"interrupted":         {"claude-code", "PostToolUseFailure", `,"tool_name":"Bash","tool_input":{},"is_interrupt":true,"error":"` + text + `"`, false},
		"another error":       {"claude-code", "PostToolUseFailure", `,"tool_name":"Bash","tool_input":{},"error":"Exit code 1\nFAIL: 3 of 40 tests failed"`, false},
	} {
		d := newDesk(t)
		_, err := d.Open(t, d.dir).Write(t.Context(), blue.Draft{Type: "remediation", Title: "Refused ledger migrations", Body: "The checksum of the settlement table differs after a restore; run make rehash first."})
		must(t, err)
		d.write(t, "Deploys happen on Fridays", "The shop is deployed after lunch.")
		event := d.event(test.event, test.more)
		got := d.fire(t, test.client, event)
		if told := strings.Contains(got, "make rehash") && strings.Contains(got, "may say why this command failed"); told != test.told {
			t.Errorf("%s: %q", name, got)
		}
		if again := d.fire(t, test.client, event); strings.Contains(again, "rehash") {
			t.Errorf("%s: told again: %q", name, again)
		}
	}
}

// G008: a remediation answers an error with a lower score than a note of another type.
func TestG008RemediationCountsMore(t *testing.T) {
	d := newDesk(t)
	for _, kind := range []string{"note", "remediation"} {
		_, err := d.Open(t, d.dir).Write(t.Context(), blue.Draft{Type: kind, Title: "Kerning of the " + kind, Body: "The glyphs of the ligature collide in the " + kind + "."})
		must(t, err)
	}
	thresholds := map[string]float64{}
	for _, kind := range []string{"note", "remediation"} {
		c, err := d.Open(t, d.dir).Context(t.Context(), blue.Moment{For: "glyphs of the ligature collide in the " + kind, Failed: true})
		must(t, err)
		if c.Best == nil {
			t.Fatal("nothing judged")
		}
		thresholds[kind] = c.Best.Threshold
	}
	if thresholds["remediation"] >= thresholds["note"] {
		t.Errorf("%v", thresholds)
	}
}

// G009: a subagent begins with a digest of at most 600 bytes, and is told a note that the
// main agent was told before.
func TestG009Subagent(t *testing.T) {
	d := newDesk(t)
	begin := d.event("SubagentStart", `,"agent_id":"a1","agent_type":"Explore"`)
	if got := d.fire(t, "claude-code", begin); got != "" {
		t.Errorf("without notes: %q", got)
	}
	id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	for i := range 30 {
		d.write(t, fmt.Sprintf("Decision number %02d of the ledger", i), "We decided.")
	}
	for _, client := range []string{"claude-code", "codex", "qwen-code"} {
		answer := d.fire(t, client, begin)
		got := said(t, answer)
		if !strings.HasPrefix(got, `Notes of the project "shop"`) || !strings.Contains(got, "of the ledger") || len(got) > 600 || !strings.Contains(answer, `"hookEventName":"SubagentStart"`) {
			t.Errorf("%s: %d bytes: %q", client, len(got), answer)
		}
	}
	prompt := `,"prompt":"how do webhook retries back off?"`
	file := fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go"))
	for _, agent := range []string{"", `,"agent_id":"a1"`, `,"agent_id":"a2"`} {
		event, more := "UserPromptSubmit", prompt
		if agent != "" {
			event, more = "PreToolUse", file
		}
		if got := said(t, d.fire(t, "claude-code", d.event(event, more+agent))); !strings.Contains(got, id) {
			t.Errorf("agent %q: %q", agent, got)
		}
		if got := d.fire(t, "claude-code", d.event(event, more+agent)); got != "" {
			t.Errorf("agent %q, again: %q", agent, got)
		}
	}
}
