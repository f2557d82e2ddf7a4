package hook_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// The events of Cursor, with the members that its page on hooks gives them: what the model reads, and by
// which member.
func TestCursor(t *testing.T) {
	d := newDesk(t)
	d.tellTitles(t)
	id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	cause := d.write(t, "Refused ledger migrations", "The checksum of the settlement table differs after a restore; run make rehash first.")
	retry, elsewhere := filepath.Join(d.dir, "pay/retry.go"), t.TempDir()
	event := func(name, more string) string {
		return fmt.Sprintf(`{"conversation_id":"c","generation_id":"g","model":"m","hook_event_name":%q,"cursor_version":"2.1","workspace_roots":[%q,%q],"user_email":null,"transcript_path":null%s}`, name, elsewhere, d.dir, more)
	}
	tool := func(name, input, output string) string {
		return fmt.Sprintf(`,"tool_name":%q,"tool_input":%s,"tool_output":%q,"tool_use_id":"t","cwd":%q,"duration":12`, name, input, output, d.dir)
	}
	failed := fmt.Sprintf(`,"tool_name":"Shell","tool_input":{"command":"make migrate"},"tool_use_id":"t","cwd":%q,"error_message":"FATAL: ledger migration refused: checksum of the settlement table differs","failure_type":"error","duration":9,"is_interrupt":false`, d.dir)
	for _, step := range []struct{ name, more, want string }{
		{"afterFileEdit", fmt.Sprintf(`,"file_path":%q,"edits":[{"old_string":"a","new_string":"b"}]`, retry), ""},
		{"sessionStart", `,"session_id":"c","is_background_agent":false,"composer_mode":"agent"`, `{"additional_context":"Notes of the project`},
		{"beforeSubmitPrompt", `,"prompt":"run the tests again","attachments":[]`, ""},
		{"postToolUse", tool("Read", fmt.Sprintf(`{"file_path":%q}`, retry), "package pay"), id},
		{"postToolUse", tool("Shell", `{"command":"ls"}`, `{"exitCode":0,"stdout":"pay"}`), ""},
		{"postToolUseFailure", failed, cause},
		{"postToolUse", tool("Write", fmt.Sprintf(`{"file_path":%q,"content":"x"}`, retry), "{}"), ""},
		{"preCompact", `,"trigger":"auto","context_usage_percent":85,"context_tokens":120000,"context_window_size":128000,"message_count":45,"messages_to_compact":30,"is_first_compaction":true`, ""},
		{"postToolUse", tool("Shell", `{"command":"ls"}`, `{"exitCode":0,"stdout":"pay"}`), `{"additional_context":"This session so far: edited pay/retry.go.\nNotes of the project`},
		{"stop", `,"status":"aborted","loop_count":0`, ""},
		{"stop", `,"status":"completed","loop_count":0`, `{"followup_message":"If this session settled something`},
		{"stop", `,"status":"completed","loop_count":1`, ""},
		{"sessionEnd", `,"session_id":"c","reason":"completed","duration_ms":4500,"is_background_agent":false,"final_status":"completed"`, ""},
	} {
		if got := d.fire(t, "cursor", event(step.name, step.more)); !strings.Contains(got, step.want) || step.want == "" && got != "" {
			t.Errorf("%s%s: %s", step.name, step.more, got)
		}
	}
	if got := d.fire(t, "claude-code", event("sessionStart", "")); got != "" {
		t.Errorf("Cursor also runs the hooks of Claude Code: %s", got)
	}
}

// The events of Antigravity, which have no names, with the members that its page on hooks gives them. What
// is told of a file waits for the next invocation.
func TestAntigravity(t *testing.T) {
	d := newDesk(t)
	d.tellTitles(t)
	id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	event := func(more string) string {
		return fmt.Sprintf(`{"conversationId":"c","workspacePaths":[%q],"transcriptPath":"t","artifactDirectoryPath":"a","modelName":"m"%s}`, d.dir, more)
	}
	call := func(name, args string) string {
		return fmt.Sprintf(`,"stepIdx":3,"error":"","toolCall":{"name":%q,"args":%s}`, name, args)
	}
	file := fmt.Sprintf(`{"TargetFile":%q}`, filepath.Join(d.dir, "pay/retry.go"))
	for i, step := range []struct{ more, want string }{
		{`,"invocationNum":0,"initialNumSteps":0`, `{"injectSteps":[{"userMessage":"Notes of the project`},
		{`,"invocationNum":1,"initialNumSteps":2`, "{}"},
		{call("write_to_file", file), "{}"},
		{`,"invocationNum":2,"initialNumSteps":4`, id},
		{`,"invocationNum":3,"initialNumSteps":6`, "{}"},
		{`,"executionNum":1,"terminationReason":"NO_TOOL_CALL","error":"","fullyIdle":false`, "{}"},
		{`,"executionNum":1,"terminationReason":"NO_TOOL_CALL","error":"","fullyIdle":true`, `{"decision":"continue","reason":"If this session settled something`},
		{`,"executionNum":2,"terminationReason":"NO_TOOL_CALL","error":"","fullyIdle":true`, "{}"},
	} {
		if got := d.fire(t, "antigravity", event(step.more)); !strings.Contains(got, step.want) || step.want == "{}" && got != "{}\n" {
			t.Errorf("%d %s: %s", i, step.more, got)
		}
	}
}

// Where no event follows a compaction, the next prompt or tool brings what it has taken, once, before
// what that brings itself.
func TestLostInCompaction(t *testing.T) {
	d := newDesk(t)
	d.tellTitles(t)
	id := d.write(t, "Webhook retries", "They back off exponentially.")
	event := func(more string) string {
		return fmt.Sprintf(`{"sessionId":"s","timestamp":1,"cwd":%q%s}`, d.dir, more)
	}
	prompt := event(`,"prompt":"how do webhook retries back off?"`)
	if got := d.fire(t, "copilot-cli", prompt); !strings.Contains(got, id) || strings.Contains(got, "kept by Blue") {
		t.Errorf("a prompt: %s", got)
	}
	if got := d.fire(t, "copilot-cli", event(`,"transcriptPath":"t","trigger":"auto","customInstructions":""`)); got != "" {
		t.Errorf("before the compaction: %s", got)
	}
	if got := d.fire(t, "copilot-cli", prompt); !strings.HasPrefix(got, `{"additionalContext":"Notes of the project`) || !strings.Contains(got, "They back off") {
		t.Errorf("after it: %s", got)
	}
	if got := d.fire(t, "copilot-cli", prompt); got != "" {
		t.Errorf("again: %s", got)
	}
}
