package hook_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/blue"
)

// recorded are the lines of all ledgers of the user without time, session and bytes.
func (d *desk) recorded(t testing.TB) (lines []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.Home, "state", "blue", "ledger", "*.told"))
	must(t, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		must(t, err)
		for line := range strings.Lines(string(data)) {
			words := strings.Split(line, "\t")
			lines = append(lines, strings.TrimSpace(strings.Join(append([]string{words[1]}, words[5:]...), " ")))
		}
	}
	return lines
}

// What a hook tells at each moment, and what the session does with it, is recorded
// without a word of the prompt.
func TestHookRecords(t *testing.T) {
	d := newDesk(t)
	d.tellTitles(t)
	id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	other := d.write(t, "Refused ledger migrations", "The checksum of the settlement table differs after a restore.")
	edit := fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go"))
	for _, step := range []struct{ name, more, want string }{
		{"SessionStart", `,"source":"startup"`, "start " + other + " " + id},
		{"UserPromptSubmit", `,"prompt":"say QUARTZ"`, "prompt"},
		{"PostToolUse", edit, ""}, // nothing was told of it before
		{"UserPromptSubmit", `,"prompt":"how do webhook retries back off?"`, "prompt " + id},
		{"UserPromptSubmit", `,"prompt":"how do webhook retries back off, QUARTZ?"`, "prompt " + id}, // told before
		{"PostToolUseFailure", `,"tool_name":"Bash","tool_input":{},"error":"checksum of the settlement table differs"`, "failure " + other},
		{"PostToolUse", strings.Replace(edit, "retry.go", "other.go", 1), ""},
		{"SubagentStart", `,"agent_id":"a1"`, "subagent " + other + " " + id},
		{"PreToolUse", edit + `,"agent_id":"a1"`, "file " + id},
		{"PostToolUse", edit, ""}, // it was changed before already
		{"PostToolUse", `,"tool_name":"mcp__blue__blue_read","tool_input":{"id":"` + id + `"},"tool_response":"x"`, "called"},
		{"PostToolUse", `,"tool_name":"Bash","tool_input":{"command":"cd x; blue search QUARTZ"},"tool_response":"x"`, "called"},
		{"PostToolUse", `,"tool_name":"Bash","tool_input":{"command":"make blueprint search"},"tool_response":"x"`, ""},
		{"PreCompact", "", ""},
	} {
		before := len(d.recorded(t))
		d.fire(t, "claude-code", d.event(step.name, step.more))
		got := d.recorded(t)[before:]
		if fmt.Sprint(got) != fmt.Sprint(strings.FieldsFunc(step.want, func(r rune) bool { return r == '\n' })) {
			t.Errorf("%s%s: recorded %q, want %q", step.name, step.more, got, step.want)
		}
	}
	if all := strings.Join(d.recorded(t), "\n"); strings.Contains(strings.ToUpper(all), "QUARTZ") {
		t.Errorf("a prompt is recorded:\n%s", all)
	}
}

// A file that a note cites counts when it is changed after the note was told.
func TestChangedAfterwards(t *testing.T) {
	d := newDesk(t)
	id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	edit := fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go"))
	for _, name := range []string{"PreToolUse", "PostToolUse", "PostToolUse", "Stop"} {
		d.fire(t, "claude-code", d.event(name, edit))
	}
	if got := d.recorded(t); fmt.Sprint(got) != fmt.Sprint([]string{"file " + id, "changed " + id, "stop"}) {
		t.Errorf("%q", got)
	}
	s, err := d.Open(t, d.dir).Stats(t.Context(), "")
	must(t, err)
	if s.Sessions != 1 || s.Told != 1 || s.Used != 1 || s.Bytes < 100 || len(s.Useful) != 1 || s.Useful[0].ID != id {
		t.Errorf("%+v", s)
	}
}

// Nothing is recorded without a session, in a project that is not trusted, or outside of
// projects; a ledger that cannot be written stands in nobody's way.
func TestNotRecorded(t *testing.T) {
	d := newDesk(t)
	d.write(t, "Webhook retries", "They back off exponentially.")
	ask := d.event("UserPromptSubmit", `,"prompt":"how do webhook retries back off?"`)
	d.fire(t, "claude-code", strings.Replace(ask, `"session_id":"s"`, `"session_id":""`, 1))
	d.fire(t, "claude-code", d.elsewhere(ask, t.TempDir()))
	must(t, os.Rename(d.dir, d.dir+"-copy"))
	must(t, os.MkdirAll(d.dir, 0o755))
	must(t, os.CopyFS(d.dir, os.DirFS(d.dir+"-copy")))
	p := d.Open(t, d.dir)
	if p.Trusted() {
		t.Fatal("a copy is trusted")
	}
	d.fire(t, "claude-code", ask)
	_, err := p.Search(t.Context(), blue.Query{Text: "webhook"})
	must(t, err)
	if got := d.recorded(t); len(got) > 0 {
		t.Errorf("recorded: %q", got)
	}
	if s, err := p.Stats(t.Context(), ""); err != nil || !strings.Contains(s.Text(), "not trusted") {
		t.Errorf("%v: %s", err, s.Text())
	}
	must(t, p.Trust())
	state := filepath.Join(d.Home, "state", "blue", "ledger")
	must(t, os.RemoveAll(state))
	must(t, os.WriteFile(state, nil, 0o600)) // no directory can be made
	if got := said(t, d.fire(t, "claude-code", strings.Replace(ask, `"s"`, `"another"`, 1))); !strings.Contains(got, "Webhook retries") {
		t.Errorf("%q", got)
	}
	p = d.Open(t, d.dir)
	_, err = p.Read(t.Context(), blue.Reading{ID: "webhook"})
	must(t, err)
	if _, err := p.Stats(t.Context(), ""); runtime.GOOS != "windows" && (err == nil || !strings.Contains(err.Error(), state)) { // there it counts as missing
		t.Errorf("a ledger that cannot be read: %v", err)
	}
}
