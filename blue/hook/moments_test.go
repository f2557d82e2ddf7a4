package hook_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
	fixture "blue/fixtures/user"
)

// The text of an error brings the note that answers it, once a session, in the shape of
// each client; a command that went well, another tool's error and an interrupted command bring
// nothing.
func TestFailedCommand(t *testing.T) {
	const text = `FATAL: ledger migration 0042 refused: checksum of the settlement table differs`
	for name, test := range map[string]struct {
		client, event, more string
		told                bool
	}{
		"Claude Code":         {"claude-code", "PostToolUseFailure", `,"tool_name":"Bash","tool_input":{"command":"make migrate"},"error":"Exit code 1\n` + text + `"`, true},
		"Claude Code, before": {"claude-code", "PostToolUse", `,"tool_name":"Bash","tool_input":{"command":"make migrate"},"tool_response":{"stdout":"","stderr":"` + text + `","is_error":true}`, true},
		"Codex says not that": {"codex", "PostToolUse", `,"tool_name":"Bash","tool_input":{"command":"make migrate"},"tool_response":"` + text + `"`, false},
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

// A fix answers an error with a lower score than a note of another type.
func TestFixCountsMore(t *testing.T) {
	d := newDesk(t)
	for _, kind := range []string{"note", "fix"} {
		_, err := d.Open(t, d.dir).Write(t.Context(), blue.Draft{Type: kind, Title: "Kerning of the " + kind, Body: "The glyphs of the ligature collide in the " + kind + "."})
		must(t, err)
	}
	thresholds := map[string]float64{}
	for _, kind := range []string{"note", "fix"} {
		c, err := d.Open(t, d.dir).Context(t.Context(), blue.Moment{For: "glyphs of the ligature collide in the " + kind, Failed: true})
		must(t, err)
		if c.Best == nil {
			t.Fatal("nothing judged")
		}
		thresholds[kind] = c.Best.Threshold
	}
	if thresholds["fix"] >= thresholds["note"] {
		t.Errorf("%v", thresholds)
	}
}

// A subagent begins with a digest of at most 600 bytes where not all notes fit, and is told a note that the
// main agent was told before.
func TestSubagent(t *testing.T) {
	d := newDesk(t)
	begin := d.event("SubagentStart", `,"agent_id":"a1","agent_type":"Explore"`)
	if got := d.fire(t, "claude-code", begin); got != "" {
		t.Errorf("without notes: %q", got)
	}
	id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	for i := range 30 {
		d.write(t, fmt.Sprintf("Decision number %02d of the ledger", i), "We decided it with care, and after a week.")
	}
	for _, client := range []string{"claude-code", "codex", "qwen-code"} {
		answer, event := d.fire(t, client, begin), "SubagentStart"
		if client == "qwen-code" { // whose model does not read it then
			answer, event = d.fire(t, client, d.event("PostToolUse", `,"agent_id":"a1","tool_name":"run_shell_command","tool_input":{}`)), "PostToolUse"
		}
		got := said(t, answer)
		if !strings.HasPrefix(got, `Notes of the project "shop"`) || !strings.Contains(got, "of the ledger") || len(got) > 600 || !strings.Contains(answer, `"hookEventName":"`+event+`"`) {
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

// What a subagent is asked is answered when it begins, by the way that each client has: the
// main agent is not told it by that, and the subagent not again.
func TestTask(t *testing.T) {
	const task = `,"tool_input":{"description":"look","prompt":"how do webhook retries back off?"}`
	for client, test := range map[string]struct{ asked, begun string }{
		"claude-code": {`PreToolUse,"tool_name":"Agent"`, `SubagentStart,"agent_id":"a1"`},
		"qwen-code":   {`PreToolUse,"tool_name":"agent"`, `PostToolUse,"agent_id":"a1","tool_name":"run_shell_command","tool_input":{}`},
		"gemini":      {`BeforeTool,"tool_name":"invoke_agent"`, ""},
	} {
		d := newDesk(t)
		id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
		fire := func(what, more string) string {
			name, rest, _ := strings.Cut(what, ",")
			return d.fire(t, client, d.event(name, ","+rest+more))
		}
		got := fire(test.asked, task)
		if client == "qwen-code" {
			fire(`SubagentStart,"agent_id":"a1"`, "")
		}
		if test.begun != "" {
			if strings.Contains(got, id) {
				t.Errorf("%s: said before it begins: %s", client, got)
			}
			got = fire(test.begun, "")
		} else if !strings.Contains(got, `"tool_input":{"description":"look","prompt":"how do webhook retries back off?\n\nNotes`) {
			t.Errorf("%s: %s", client, got)
		}
		if !strings.Contains(got, "kept by Blue") || strings.Count(got, "They back off") != 1 {
			t.Errorf("%s: %s", client, got)
		}
		file := fmt.Sprintf(`"tool_name":"read_file","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go"))
		if test.begun != "" {
			if got := fire(test.begun, ""); strings.Contains(got, "They back off") {
				t.Errorf("%s: told again: %s", client, got)
			}
			if got := fire(`PostToolUse,"agent_id":"a1",`+file, "") + fire(`PreToolUse,"agent_id":"a1",`+file, ""); strings.Contains(got, id) {
				t.Errorf("%s: told again at the file: %s", client, got)
			}
		}
		if got := fire(`BeforeAgent,"prompt":"how do webhook retries back off?"`, ""); !strings.Contains(got, id) {
			t.Errorf("%s: the main agent is not told: %s", client, got)
		}
	}
}

// The question for a note waits until the last subagent is done, and is put to the main agent.
func TestNudgeAfterSubagents(t *testing.T) {
	d := newDesk(t)
	d.fire(t, "claude-code", d.event("PostToolUse", fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go"))))
	for _, test := range []struct {
		more  string
		asked bool
	}{
		{`,"background_tasks":[{"type":"subagent","status":"running","agent_type":"Explore"}]`, false},
		{`,"agent_id":"a1"`, false},
		{`,"background_tasks":[{"type":"shell","status":"running"},{"type":"subagent","status":"completed","agent_type":"Explore"}]`, true},
	} {
		if got := d.fire(t, "claude-code", d.event("Stop", test.more)); (got != "") != test.asked {
			t.Errorf("%s: %q", test.more, got)
		}
	}
}

// A note that nearly answers a prompt is told when a file is read or changed next, once;
// one that is far from it is not.
func TestNearAtFile(t *testing.T) {
	d := newDesk(t)
	id := d.write(t, "Webhook retries", "They back off exponentially, and stop after the third: the bank blocks us at the fourth try within an hour.")
	d.write(t, "Sizes of pictures", "Pictures of products are stored as WebP, in two sizes.")
	read := func(session, file string) string {
		return d.fire(t, "claude-code", strings.Replace(d.event("PreToolUse", fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, file))), `"s"`, `"`+session+`"`, 1))
	}
	for prompt, near := range map[string]bool{"raise the number of retries of the export to 10": true, "write the report to the other file": false} {
		c, err := d.Open(t, d.dir).Context(t.Context(), blue.Moment{For: prompt})
		must(t, err)
		if len(c.Answers) > 0 || (len(c.Nearly) > 0) != near {
			t.Fatalf("%q: %v, near: %q", prompt, c.Best, c.Nearly)
		}
		if got := d.fire(t, "claude-code", strings.Replace(d.event("UserPromptSubmit", fmt.Sprintf(`,"prompt":%q`, prompt)), `"s"`, `"`+prompt[:5]+`"`, 1)); got != "" {
			t.Errorf("%q is answered: %s", prompt, got)
		}
		if got := read(prompt[:5], "pay/retry.go"); strings.Contains(got, id) != near || near && !strings.Contains(got, "fourth try within an hour") {
			t.Errorf("%q: the file brings %q", prompt, got)
		}
		if got := read(prompt[:5], "pay/other.go"); got != "" {
			t.Errorf("%q: the next file brings %q", prompt, got)
		}
	}
}

// What has been decided often stands at the end: an answer is told whole where there is
// room, in a block of at most 2,200 bytes.
func TestWholeAnswer(t *testing.T) {
	d := newDesk(t)
	why := strings.Repeat("The bank looks at each webhook retry of the hour before, and at those of the day. ", 4)
	d.write(t, "Webhook retries", why+"Three tries are the most.")
	for _, title := range []string{"Webhook addresses", "Webhook keys"} {
		d.write(t, title, "A webhook retry has them too. "+strings.Repeat("They are kept for each customer. ", 20))
	}
	got := said(t, d.fire(t, "claude-code", d.event("UserPromptSubmit", `,"prompt":"how often is a webhook retried by the bank in an hour?"`)))
	if !strings.Contains(got, why+"Three tries are the most.") || len(got) > 2200 {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}

// A subagent whose events do not name it is told what only its parent was told, and nothing twice.
func TestUnnamedSubagent(t *testing.T) {
	d := newDesk(t)
	d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	d.write(t, "Ledger", strings.Repeat("It is closed at night. ", 150)) // which a subagent has no room for
	file := d.event("AfterTool", fmt.Sprintf(`,"tool_name":"read_file","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go")))
	if got := d.fire(t, "gemini", d.event("SessionStart", `,"source":"startup"`)); !strings.Contains(got, "They back off") {
		t.Errorf("the start: %s", got)
	}
	if got := d.fire(t, "gemini", file); strings.Contains(got, "They back off") {
		t.Errorf("told again: %s", got)
	}
	ask := func(task string) string {
		return d.fire(t, "gemini", d.event("BeforeTool", `,"tool_name":"invoke_agent","tool_input":{"prompt":"`+task+`"}`))
	}
	if got := ask("how do the webhook retries back off?") + d.fire(t, "gemini", file); strings.Count(got, "They back off") != 1 {
		t.Errorf("asked of it, the subagent is told: %s", got)
	}
	if got := ask("look around") + d.fire(t, "gemini", file); strings.Count(got, "They back off") != 1 {
		t.Errorf("the subagent is told: %s", got)
	}
}

// A note that was told whole is not told again until it changes; one that was told in part is told
// again at a file and at a failure.
func TestToldAgain(t *testing.T) {
	d := newDesk(t)
	d.tellTitles(t)
	short := d.write(t, "Webhook retries", "They back off exponentially, after the bank has blocked us.", "pay/retry.go")
	long := strings.Repeat("Ledger snapshots are written each hour, and the oldest is removed. ", 40)
	d.write(t, "Ledger snapshots", long+"The end of it.", "pay/ledger.go")
	fixture.Put(t, d.dir, "pay/ledger.go", "package pay\n")
	ask := func(prompt string) string {
		t.Helper()
		return said(t, d.fire(t, "claude-code", d.event("UserPromptSubmit", `,"prompt":"`+prompt+`"`)))
	}
	edit := func(file string) string {
		t.Helper()
		return said(t, d.fire(t, "claude-code", d.event("PreToolUse", fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, file)))))
	}
	fail := func(text string) string {
		t.Helper()
		return said(t, d.fire(t, "claude-code", d.event("PostToolUseFailure", `,"tool_name":"Bash","tool_input":{},"error":"`+text+`"`)))
	}
	said(t, d.fire(t, "claude-code", d.event("SessionStart", `,"source":"startup"`)))
	if got := ask("how do webhook retries back off after the bank has blocked us?"); !strings.Contains(got, "after the bank has blocked us.\n") {
		t.Errorf("after a start with titles alone: %q", got)
	}
	if got := edit("pay/retry.go") + fail("webhook retries: the bank has blocked us, back off"); got != "" {
		t.Errorf("told whole, and told again: %q", got)
	}
	if got := ask("when are ledger snapshots written, and the oldest removed?"); !strings.Contains(got, "…\n") || len(got) > 2200 {
		t.Errorf("a long note: %d bytes: %q", len(got), got)
	}
	if got := ask("are ledger snapshots written each hour, and the oldest removed?"); got != "" {
		t.Errorf("a prompt brings a note again: %q", got)
	}
	if got := edit("pay/ledger.go"); !strings.Contains(got, "Ledger snapshots are written") {
		t.Errorf("told in part, and not told at the file: %q", got)
	}
	if got := fail("ledger snapshots: written each hour, the oldest is removed"); !strings.Contains(got, "Ledger snapshots are written") {
		t.Errorf("told in part, and not told at the failure: %q", got)
	}
	_, err := d.Open(t, d.dir).Edit(t.Context(), blue.Change{ID: short, Body: new("They back off exponentially, after the bank has blocked us twice.")})
	must(t, err)
	if got := fail("webhook retries: the bank has blocked us, back off"); !strings.Contains(got, "blocked us twice") {
		t.Errorf("changed, and not told: %q", got)
	}
}

// A start tells every note whole while that fits, and then they are known; subagents have a smaller
// size limit. No text is longer than what the clients take.
func TestStartTellsWhole(t *testing.T) {
	d := newDesk(t)
	ask := func(agent string) string {
		t.Helper()
		return said(t, d.fire(t, "claude-code", d.event("UserPromptSubmit", `,"prompt":"how does rule 07 of the ledger round its amounts?"`+agent)))
	}
	start := func(name, more string) string {
		t.Helper()
		return said(t, d.fire(t, "claude-code", d.event(name, more)))
	}
	write := func(from, to int) {
		for i := from; i < to; i++ {
			d.write(t, fmt.Sprintf("Rule %02d of the ledger", i), fmt.Sprintf("Rule %02d of the ledger rounds its amounts to %d cents. ", i, i)+strings.Repeat("It was so. ", 10))
		}
	}
	const agent = `,"agent_id":"a1"`
	write(0, 10)
	if got := start("SessionStart", `,"source":"startup"`); !strings.Contains(got, "10 notes, told whole") || !strings.Contains(got, "to 7 cents") {
		t.Errorf("the start: %q", got)
	}
	if got := d.recorded(t); len(got) != 2 || strings.Count(got[1], "rule-") != 10 || !strings.HasPrefix(got[1], "digest ") {
		t.Errorf("recorded %q", got)
	}
	if got := start("SubagentStart", agent); len(got) > 3000 || !strings.Contains(got, "to 7 cents") {
		t.Errorf("the start of a subagent: %d bytes: %q", len(got), got)
	}
	if got := ask("") + ask(agent); got != "" {
		t.Errorf("told again: %q", got)
	}
	write(10, 25)
	if got := start("SubagentStart", `,"agent_id":"a2"`); len(got) > 600 || strings.Contains(got, "cents") {
		t.Errorf("the start of another subagent: %d bytes: %q", len(got), got)
	}
	if got := start("SessionStart", `,"source":"clear"`); len(got) > 6000 || !strings.Contains(got, "25 notes, told whole") {
		t.Errorf("the start: %d bytes: %q", len(got), got)
	}
	write(25, 50)
	if got := start("SessionStart", `,"source":"clear"`); len(got) > 1500 || len(got) < 1400 || strings.Contains(got, "cents") {
		t.Errorf("the start: %d bytes: %q", len(got), got)
	}
	if got := ask(""); !strings.Contains(got, "to 7 cents") {
		t.Errorf("after titles alone: %q", got)
	}
}

// A session that is resumed is told by title what it knows; a rejected note stays marked.
func TestResumedStart(t *testing.T) {
	d := newDesk(t)
	fixture.Put(t, d.dir, ".blue/notes/kafka.md", "---\ntype: decision\ntitle: Kafka\nstatus: rejected\n---\nToo costly.\n")
	must(t, d.Open(t, d.dir).Trust())
	for _, test := range [][2]string{{"startup", `Set aside (rejected): "Kafka" (kafka): Too costly.`}, {"resume", `Set aside (rejected): "Kafka" (kafka)` + "\n"}} {
		source, want := test[0], test[1]
		if got := said(t, d.fire(t, "claude-code", d.event("SessionStart", `,"source":"`+source+`"`))); !strings.Contains(got, want) {
			t.Errorf("%s: %q", source, got)
		}
	}
}
