package hook_test

import (
	"bytes"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"blue/blue/hook"
	fixture "blue/fixtures/user"
)

// debug is one run of `blue hook CLIENT --debug`: the answer, and why there is none.
func (d *desk) debug(t testing.TB, client, event string) (answer, why string) {
	t.Helper()
	var told bytes.Buffer
	h := &hook.Hook{Blue: d.Blue(t), Client: client, Log: slog.New(slog.DiscardHandler), Now: time.Now, Debug: &told}
	text, _ := h.Answer(t.Context(), strings.NewReader(event))
	return string(text), told.String()
}

// Whenever nothing is said, one line says why; when something is said there is none.
func TestWhyNothingIsSaid(t *testing.T) {
	d := newDesk(t)
	ask := func(prompt string) string { return d.event("UserPromptSubmit", `,"prompt":"`+prompt+`"`) }
	edit := func(file string) string {
		return d.event("PreToolUse", `,"tool_name":"Edit","tool_input":{"file_path":"`+file+`"}`)
	}
	question := "how do the webhook retries back off after the bank blocks us"
	const claude = "claude-code"
	row := func(client, event, want string) {
		t.Helper()
		answer, why := d.debug(t, client, event)
		if said := strings.TrimPrefix(answer, "{}\n") != ""; said != (want == "") || said != (why == "") {
			t.Errorf("%s, %s: said %q, why %q, want %q", client, event, answer, why, want)
		}
		if want != "" && (!strings.HasPrefix(why, "blue: nothing said: ") || !strings.Contains(why, want) || strings.Count(why, "\n") != 1) {
			t.Errorf("%s, %s: %q, want %q", client, event, why, want)
		}
	}
	row(claude, ask(question), "the project has no notes")
	id := d.write(t, "Webhook retries back off", "The webhook retries back off exponentially, for the bank blocks us after the fourth.", "pay/retry.go")
	row(claude, ask(question), "")
	row(claude, d.event("SessionStart", `,"source":"startup"`), "")
	row(claude, ask(question), "seen already in this session: "+id)
	row(claude, ask("run all tests once more after the merge"), id+" scores ")
	row(claude, ask("zebras"), "holds a word of the question")
	row(claude, ask(" "), "the prompt is empty")
	row(claude, ask("If this session settled something that someone will need again, write it with blue_write now; if not, finish."), "the question that Blue itself asked")
	row(claude, edit("pay/retry.go"), "seen already in this session: "+id)
	row(claude, edit("pay/retry.go"), "told of the file already")
	row(claude, edit("other.go"), "no note that may be told is about the file")
	row(claude, edit(""), "the event names no file")
	row("gemini", edit("pay/retry.go"), "after a tool has run")
	row(claude, strings.Replace(edit("pay/retry.go"), "PreToolUse", "PostToolUse", 1), "only remembers")
	row(claude, d.event("PreCompact", ""), "only remembers")
	row(claude, d.event("Stop", `,"stop_hook_active":true`), "asked for a note already")
	fixture.Put(t, d.dir, ".blue/notes/other.md", "---\ntitle: Calendar of the deploys\n---\nThe calendar of the deploys has no Fridays.\n")
	_, err := d.Blue(t).Distrust(t.Context(), d.dir)
	must(t, err)
	row(claude, ask("what does the calendar of the deploys say of fridays"), "the project is not trusted")
	row(claude, d.event("Stop", ""), "a note was written or changed")
	row(claude, strings.Replace(d.event("Stop", ""), `"s"`, `"t"`, 1), "changed no file")
	row(claude, d.event("Teatime", ""), `the event "Teatime"`)
	row(claude, `{"hook_event_name":"SessionStart"}`, "names no directory")
	row("gemini", d.elsewhere(d.event("SessionStart", ""), d.Home), "Blue not detected in")
	row("gemini", "hello", "not a JSON object")
	row("gemini", `{"prompt":"`+strings.Repeat("x", 2<<20)+`"}`, "more than 1048576 bytes")
	row("nobody", ask(question), `"nobody" is no client with hooks`)
	if runtime.GOOS == "windows" {
		return // no mode says who may write
	}
	must(t, os.Chmod(filepath.Join(d.dir), 0o777))
	row(claude, d.event("SessionStart", ""), "writable by everyone")
}

// That there was no answer in time is a reason too.
func TestNoAnswerInTime(t *testing.T) {
	d := newDesk(t)
	event, never := io.Pipe()
	defer never.Close()
	var told bytes.Buffer
	h := &hook.Hook{Blue: d.Blue(t), Client: "codex", Log: slog.New(slog.DiscardHandler), Now: time.Now, Debug: &told}
	if answer, inTime := h.Answer(t.Context(), event); inTime || len(answer) > 0 || told.String() != "blue: nothing said: no answer in time\n" {
		t.Errorf("in time: %v, %q, %q", inTime, answer, told.String())
	}
}
