package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/hook"
	"blue/fixtures"
	fixture "blue/fixtures/user"
)

// desk is a user with a project, whose agent runs hooks.
type desk struct {
	*fixture.User
	dir string
}

var must = fixtures.Must

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{User: fixture.New(t)}
	d.dir = d.Project(t)
	fixture.Put(t, d.dir, "pay/retry.go", "package pay\n")
	return d
}

func (d *desk) write(t testing.TB, title, body string, files ...string) string {
	t.Helper()
	w, err := d.Open(t, d.dir).Write(t.Context(), blue.Draft{Type: "decision", Title: title, Body: body, Files: files})
	must(t, err)
	return w.ID
}

// tellTitles makes the start of a session tell titles alone.
func (d *desk) tellTitles(t testing.TB) {
	t.Helper()
	settings, err := os.ReadFile(filepath.Join(d.dir, ".blue", "project.yaml"))
	must(t, err)
	fixture.Put(t, d.dir, ".blue/project.yaml", string(settings)+"start_bytes: 0\n")
}

// fire is one run of `blue hook CLIENT`.
func (d *desk) fire(t testing.TB, client, event string) string {
	t.Helper()
	h := &hook.Hook{Blue: d.Blue(t), Client: client, Log: slog.New(slog.NewTextHandler(&d.Log, nil)), Now: time.Now}
	answer, _ := h.Answer(t.Context(), strings.NewReader(event))
	return string(answer)
}

// event is the JSON of an event of the session s in the project; more are members of it.
func (d *desk) event(name, more string) string {
	return fmt.Sprintf(`{"hook_event_name":%q,"session_id":"s","cwd":%q%s}`, name, d.dir, more)
}

// elsewhere is the event in another directory.
func (d *desk) elsewhere(event, dir string) string {
	return strings.Replace(event, strconv.Quote(d.dir), strconv.Quote(dir), 1)
}

// said is the text that a nested answer gives to the model.
func said(t testing.TB, answer string) string {
	t.Helper()
	var a struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if answer == "" {
		return ""
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%q: %v", answer, err)
	}
	return a.HookSpecificOutput.AdditionalContext
}

// Whatever comes, the answer is nothing, or the empty object of a client that
// wants JSON.
func TestSilence(t *testing.T) {
	d := newDesk(t)
	good := d.event("SessionStart", `,"source":"startup"`)
	for name, event := range map[string]string{
		"not JSON": "hello", "empty": "", "an array": "[]", "a number": "7", "null": "null", "a half": good[:40],
		"2 MiB":         `{"prompt":"` + strings.Repeat("x", 2<<20) + `",` + good[1:],
		"unknown event": d.event("Teatime", ""), "no event": fmt.Sprintf(`{"cwd":%q}`, d.dir),
		"no cwd":            `{"hook_event_name":"SessionStart","session_id":"s"}`,
		"cwd gone":          `{"hook_event_name":"SessionStart","cwd":"/gone/away"}`,
		"cwd relative":      `{"hook_event_name":"SessionStart","cwd":"shop"}`,
		"cwd not a string":  `{"hook_event_name":"SessionStart","cwd":7}`,
		"cwd of no project": fmt.Sprintf(`{"hook_event_name":"SessionStart","cwd":%q}`, d.Home),
	} {
		for client, want := range map[string]string{"claude-code": "", "codex": "", "gemini": "{}\n", "qwen-code": "{}\n", "copilot-cli": "", "cursor": "", "opencode": ""} {
			if got := d.fire(t, client, event); got != want {
				t.Errorf("%s, %s: %q", client, name, got)
			}
		}
	}
	for _, client := range []string{"", "nobody", "../claude-code"} {
		if got := d.fire(t, client, good); got != "" {
			t.Errorf("client %q: %q", client, got)
		}
	}
	if said(t, d.fire(t, "claude-code", good)) == "" {
		t.Error("a good event says nothing: the test shows nothing")
	}
}

// A project that others can write to, a store that cannot be read.
func TestProjectOutOfReach(t *testing.T) {
	if os.Getuid() == 0 {
		t.Log("as root every file can be read: the case of an unreadable store is a broken one")
	}
	d := newDesk(t)
	d.write(t, "Webhook retries", "They back off exponentially.")
	notes := filepath.Join(d.dir, ".blue", "notes")
	must(t, os.Rename(notes, notes+".away"))
	must(t, os.WriteFile(notes, nil, 0o644)) // in place of the directory
	if got := d.fire(t, "claude-code", d.event("UserPromptSubmit", `,"prompt":"how do webhook retries back off"`)); got != "" {
		t.Errorf("with an unusable store: %q", got)
	}
	must(t, os.Remove(notes))
	must(t, os.Rename(notes+".away", notes))
	if runtime.GOOS == "windows" {
		return // no mode says who may write
	}
	must(t, os.Chmod(d.dir, 0o777))
	if got := d.fire(t, "claude-code", d.event("SessionStart", "")); got != "" {
		t.Errorf("in a directory open to all: %q", got)
	}
}

// Without a state directory notes are shown, and nothing is remembered.
func TestStateNotWritable(t *testing.T) {
	d := newDesk(t)
	d.write(t, "Webhook retries", "They back off exponentially.")
	must(t, os.RemoveAll(filepath.Join(d.Home, "state", "blue", "hooks")))
	must(t, os.WriteFile(filepath.Join(d.Home, "state", "blue", "hooks"), nil, 0o600)) // no directory can be made
	for range 2 {
		if got := said(t, d.fire(t, "claude-code", d.event("UserPromptSubmit", `,"prompt":"how do webhook retries back off"`))); !strings.Contains(got, "Webhook retries") {
			t.Errorf("%q", got)
		}
	}
	d.fire(t, "claude-code", d.event("PostToolUse", fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "x"))))
	if got := d.fire(t, "claude-code", d.event("Stop", "")); got != "" {
		t.Errorf("what cannot be remembered is asked again and again: %q", got)
	}
}

// A note is shown once in a session, and again when it has changed.
func TestShownOnce(t *testing.T) {
	d := newDesk(t)
	id := d.write(t, "Webhook retries", "They back off exponentially.", "pay/retry.go")
	prompt := d.event("UserPromptSubmit", `,"prompt":"how do webhook retries back off?"`)
	read := d.event("PreToolUse", fmt.Sprintf(`,"tool_name":"Read","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go")))
	if got := said(t, d.fire(t, "claude-code", prompt)); !strings.Contains(got, id) {
		t.Fatalf("first: %q", got)
	}
	for name, event := range map[string]string{"the same prompt": prompt, "the file it is about": read} {
		if got := d.fire(t, "claude-code", event); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
	other := strings.ReplaceAll(prompt, `"session_id":"s"`, `"session_id":"t"`)
	if got := said(t, d.fire(t, "claude-code", other)); !strings.Contains(got, id) {
		t.Errorf("another session: %q", got)
	}
	body := "They back off exponentially, at most five times."
	_, err := d.Open(t, d.dir).Edit(t.Context(), blue.Change{ID: id, Body: &body})
	must(t, err)
	if got := said(t, d.fire(t, "claude-code", prompt)); !strings.Contains(got, "five times") {
		t.Errorf("after an edit: %q", got)
	}
}

// Hooks of one session that run at once answer well, and leave its file whole.
func TestAtOnce(t *testing.T) {
	fixtures.Slow(t)
	d := newDesk(t)
	d.write(t, "Webhook retries", "They back off exponentially.")
	rounds := 200
	hooks := make([]*blue.Blue, 8)
	for i := range hooks {
		hooks[i] = d.Blue(t)
	}
	for round := range rounds {
		var all sync.WaitGroup
		for i, b := range hooks {
			all.Go(func() {
				event := d.event("PostToolUse", fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":"f%d"}`, i))
				if i%2 == 0 {
					event = d.event("UserPromptSubmit", fmt.Sprintf(`,"prompt":"how do webhook retries back off %d"`, round))
				}
				h := &hook.Hook{Blue: b, Client: "gemini", Log: slog.New(slog.DiscardHandler), Now: time.Now}
				answer, _ := h.Answer(context.Background(), strings.NewReader(event))
				if !json.Valid(answer) {
					t.Errorf("%q", answer)
				}
			})
		}
		all.Wait()
	}
	files, err := filepath.Glob(filepath.Join(d.Home, "state", "blue", "hooks", "*"))
	must(t, err)
	if len(files) != 1 {
		t.Fatalf("%q", files)
	}
	text, err := os.ReadFile(files[0])
	must(t, err)
	if !json.Valid(text) || !bytes.Contains(text, []byte("f1")) {
		t.Errorf("the file of the session: %q", text)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// A nudge once, and only when files were changed and no note was.
func TestNudge(t *testing.T) {
	edit := func(d *desk) string {
		return d.event("PostToolUse", fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go")))
	}
	for name, test := range map[string]struct {
		before func(t *testing.T, d *desk)
		stop   string
		want   bool
	}{
		"no file changed": {func(t *testing.T, d *desk) {
			d.fire(t, "claude-code", d.event("PreToolUse", `,"tool_name":"Read","tool_input":{"file_path":"pay/retry.go"}`))
			d.fire(t, "claude-code", d.event("PostToolUse", `,"tool_name":"Read","tool_input":{"file_path":"pay/retry.go"}`))
		}, "", false},
		"a file changed": {func(t *testing.T, d *desk) { d.fire(t, "claude-code", edit(d)) }, "", true},
		"a note written": {func(t *testing.T, d *desk) {
			d.fire(t, "claude-code", edit(d))
			time.Sleep(20 * time.Millisecond) // a file's time has the step of the kernel's clock
			d.write(t, "Settled", "It is settled.")
		}, "", false},
		"held up already": {func(t *testing.T, d *desk) { d.fire(t, "claude-code", edit(d)) }, `,"stop_hook_active":true`, false},
		"a patch": {func(t *testing.T, d *desk) {
			d.fire(t, "claude-code", d.event("PostToolUse", `,"tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: pay/retry.go\n*** End Patch"}`))
		}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.write(t, "Before", "Written before the session.")
			time.Sleep(20 * time.Millisecond) // a file's time has the step of the kernel's clock
			d.fire(t, "claude-code", d.event("SessionStart", `,"source":"startup"`))
			test.before(t, d)
			got := d.fire(t, "claude-code", d.event("Stop", test.stop))
			if nudged := strings.Contains(got, `"decision":"block"`) && strings.Contains(got, "blue_write"); nudged != test.want || !test.want && got != "" {
				t.Errorf("%q", got)
			}
			if second := d.fire(t, "claude-code", d.event("Stop", "")); test.stop == "" && second != "" {
				t.Errorf("a second time: %q", second)
			}
		})
	}
}

// After a compaction the session is told what it had.
func TestAfterCompaction(t *testing.T) {
	d := newDesk(t)
	must(t, os.MkdirAll(filepath.Join(d.dir, ".git"), 0o755))
	must(t, os.WriteFile(filepath.Join(d.dir, ".git", "HEAD"), []byte("ref: refs/heads/feature/retry\n"), 0o644))
	read := d.write(t, "Webhook retries", "They back off exponentially.")
	prompt := d.event("UserPromptSubmit", `,"prompt":"how do webhook retries back off?"`)
	for _, event := range []string{
		d.event("SessionStart", `,"source":"startup"`), prompt,
		d.event("PostToolUse", fmt.Sprintf(`,"tool_name":"Edit","tool_input":{"file_path":%q}`, filepath.Join(d.dir, "pay/retry.go"))),
		d.event("PostToolUse", fmt.Sprintf(`,"tool_name":"mcp__blue__blue_read","tool_input":{"id":%q}`, read)),
		d.event("PostToolUse", `,"tool_name":"mcp__blue__blue_write","tool_input":{"body":"x"},"tool_response":[{"type":"text","text":"Wrote limits-of-retries-ab12 (.blue/notes/limits-of-retries-ab12.md)"}]`),
		d.event("PreCompact", `,"trigger":"auto"`),
	} {
		d.fire(t, "claude-code", event)
	}
	for _, source := range []string{"compact", "resume"} {
		got := said(t, d.fire(t, "claude-code", d.event("SessionStart", `,"source":"`+source+`"`)))
		first, rest, _ := strings.Cut(got, "\n")
		for _, want := range []string{`branch "feature/retry"`, "pay/retry.go", read, "limits-of-retries-ab12"} {
			if !strings.Contains(first, want) {
				t.Errorf("%s: %q is missing in %q", source, want, first)
			}
		}
		if told := strings.Contains(rest, "back off exponentially"); !strings.HasPrefix(rest, `Notes of the project "shop"`) || told != (source == "compact") {
			t.Errorf("%s: the digest that follows: %q", source, rest)
		}
	}
	if got := d.fire(t, "claude-code", prompt); got != "" {
		t.Errorf("what was told after the compaction is told again: %q", got)
	}
}

// The state directory keeps the files of 200 sessions, whatever their first event is.
func TestSessionsKept(t *testing.T) {
	d := newDesk(t)
	d.write(t, "Webhook retries", "They back off exponentially.")
	dir := filepath.Join(d.Home, "state", "blue", "hooks")
	must(t, os.MkdirAll(dir, 0o700), d.Blue(t).SwitchSessions(true)) // a choice of the user, which is no such file
	choice := filepath.Join(d.Home, "state", "blue", "sessions", "on")
	must(t, os.Chtimes(choice, time.Now(), time.Now().AddDate(0, 0, -30)))
	for i := range 230 {
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("old-%d", i)), []byte("{}"), 0o600))
	}
	for _, event := range []string{d.event("UserPromptSubmit", `,"prompt":"how do webhook retries back off"`), d.event("SessionStart", `,"source":"startup"`)} {
		var files []os.DirEntry
		for range 10 { // on a busy machine a hook may run out of time, and says nothing
			d.fire(t, "claude-code", event)
			var err error
			if files, err = os.ReadDir(dir); err != nil || len(files) == 200 {
				break
			}
		}
		if len(files) != 200 {
			t.Errorf("%d files", len(files))
		}
	}
	if !d.Blue(t).SessionsOn() {
		t.Error("past sessions are off")
	}
}
