package setup_test

import (
	"context"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/setup"
	"blue/errors"
	"blue/marker"
)

// machine is a home, the user's directories and a project, for tests of setup and
// doctor.
type machine struct {
	t       *testing.T
	root    string
	home    string
	project string
	self    string
	env     map[string]string
	b       *blue.Blue
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	root, err := filepath.EvalSymlinks(temporary(t))
	must(t, err)
	m := &machine{t: t, root: root, home: filepath.Join(root, "home"), project: filepath.Join(root, "shop")}
	m.self = filepath.Join(root, "bin", "blue")
	if runtime.GOOS == "windows" {
		m.self += ".exe"
	}
	m.env = map[string]string{"PATH": filepath.Join(root, "bin")}
	m.b = blue.New(blue.Options{
		Home: m.home, Config: m.in("config"), State: m.in("state"), Cache: m.in("cache"),
		Env: func(name string) string { return m.env[name] },
	})
	m.write(m.self, "#!/bin/sh\n", 0o755) // its hook says nothing
	m.write(m.in(".cursor", "x"), "", 0o600)
	m.write(filepath.Join(m.project, marker.Name, "notes", "a.md"), "# A\n", 0o644)
	return m
}

// temporary makes a directory that is removed after the test: on Windows as far as that works, where
// a program that has run may be in use for a while.
func temporary(t testing.TB) string {
	t.Helper()
	if runtime.GOOS != "windows" {
		return t.TempDir()
	}
	dir, err := os.MkdirTemp("", "blue-setup-*")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// in is a path below the home.
func (m *machine) in(names ...string) string {
	return filepath.Join(append([]string{m.home}, names...)...)
}

// at is a path in the project.
func (m *machine) at(name string) string { return filepath.Join(m.project, name) }

func (m *machine) write(path, text string, mode fs.FileMode) {
	m.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode), os.Chmod(path, mode)); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) read(path string) string {
	m.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	return string(data)
}

// change replaces a text in a file of the project.
func (m *machine) change(name, old, by string) {
	text := m.read(m.at(name))
	if !strings.Contains(text, old) {
		m.t.Fatalf("%s has no %q:\n%s", name, old, text)
	}
	m.write(m.at(name), strings.Replace(text, old, by, 1), 0o644)
}

func (m *machine) call(dir string) blue.Call {
	return blue.Call{Cwd: dir, From: func(yield func(marker.Candidate) bool) {
		_ = yield(marker.Candidate{Source: marker.Env, Value: m.env["BLUE_PROJECT"]}) && yield(m.b.Process(dir))
	}}
}

// verbs are setup and doctor of the binary of this machine.
func (m *machine) verbs() setup.Machine { return setup.Machine{Blue: m.b, Self: m.self} }

func (m *machine) setup(r setup.Registration) (setup.Configured, error) {
	return m.verbs().Setup(context.Background(), m.call(m.project), r)
}

// tree is everything below the machine's root: names, modes, times, texts.
func (m *machine) tree() map[string]string {
	m.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(m.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String() + " " + info.ModTime().String()
		if info.Mode().IsRegular() {
			all[path] += " " + m.read(path)
		}
		return nil
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return all
}

// server listens on a free port and leaves a runtime file, as `blue mcp --http`
// does; it returns the URL.
func (m *machine) server(pid string) string {
	m.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = l.Close() })
	url := "http://" + l.Addr().String() + "/mcp"
	m.write(m.in("state", "blue", "http", pid), url+"\n", 0o600)
	return url
}

var everyClient = strings.Fields("claude-code cursor vscode codex gemini qwen-code zed opencode crush windsurf cline goose copilot-cli kiro junie lm-studio claude-desktop")

// userOnly are the clients that read no file of a project.
var userOnly = strings.Fields("windsurf cline goose lm-studio claude-desktop")

func TestSetupWritesOnceAndRemovesItsOwn(t *testing.T) {
	for _, client := range everyClient {
		for _, scope := range []string{"project", "user"} {
			t.Run(client+"/"+scope, func(t *testing.T) { writeOnceAndRemove(t, client, scope) })
		}
	}
}

// writeOnceAndRemove runs setup as a whole.
func writeOnceAndRemove(t *testing.T, client, scope string) {
	m := newMachine(t)
	before := m.tree()
	planned, err := m.setup(setup.Registration{Client: client, Scope: scope, DryRun: true})
	if scope == "project" && slices.Contains(userOnly, client) {
		if !errors.Is(err, errors.Invalid) || !same(before, m.tree()) {
			t.Errorf("%s has no file in a project: %v", client, err)
		}
		return
	}
	if err != nil || !same(before, m.tree()) {
		t.Fatalf("a dry run: %v, changed %v", err, !same(before, m.tree()))
	}
	if client == "claude-code" && scope == "user" { // it rewrites that file at will
		if len(planned.Files) != 2 || planned.Files[0].Holds != "hooks" || planned.Files[1].Holds != "skill" || !strings.Contains(planned.Command, m.self) {
			t.Errorf("%+v", planned)
		}
	}
	for _, want := range []string{"written", "unchanged"} {
		done, err := m.setup(setup.Registration{Client: client, Scope: scope})
		if err != nil || len(done.Files) != len(planned.Files) || done.Source == "" {
			t.Fatalf("want %s: %+v, %v", want, done, err)
		}
		for i, f := range done.Files {
			if f.Outcome != want || planned.Files[i].Outcome != "planned" || !strings.Contains(planned.Files[i].Diff, "+") {
				t.Errorf("want %s: %+v, planned %+v", want, f, planned.Files[i])
			}
		}
	}
	for _, f := range planned.Files {
		if inProject := strings.HasPrefix(f.Path, m.project); inProject != (scope == "project" || f.Holds == "context block") {
			t.Errorf("wrote %s", f.Path)
		}
		if holds := strings.Contains(m.read(f.Path), filepath.ToSlash(m.self)); runtime.GOOS != "windows" && holds != (scope == "user" && f.Holds != "context block" && f.Holds != "skill") {
			t.Errorf("the path of the binary in %s:\n%s", f.Path, m.read(f.Path))
		}
	}
	for _, want := range []string{"removed", "unchanged"} {
		done, err := m.setup(setup.Registration{Client: client, Scope: scope, Remove: true})
		if err != nil || done.Files[0].Outcome != want {
			t.Fatalf("want %s: %+v, %v", want, done, err)
		}
	}
	for path := range m.tree() {
		if _, there := before[path]; !there && strings.Contains(m.tree()[path], "blue") {
			t.Errorf("left behind: %s", path)
		}
	}
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for path, text := range a {
		if b[path] != text {
			return false
		}
	}
	return true
}

// TestSetupLeavesBrokenFilesAlone is the core's part of promise 29.
func TestSetupLeavesBrokenFilesAlone(t *testing.T) {
	for _, r := range []setup.Registration{{}, {Remove: true}, {DryRun: true}, {AgentsMD: true}} {
		m := newMachine(t)
		m.write(filepath.Join(m.project, ".cursor", "mcp.json"), "{\"mcpServers\": {\n", 0o644)
		before := m.tree()
		r.Client = "cursor"
		if _, err := m.setup(r); !errors.Is(err, errors.Untouched) || !strings.Contains(err.Error(), "untouched") {
			t.Errorf("%+v: %v", r, err)
		}
		if !same(before, m.tree()) {
			t.Errorf("%+v changed something", r)
		}
	}
}

// TestBrokenFileIsNoSuccess: a file that does not parse fails setup, also one that Blue would leave to
// the client or the user, and doctor names each that holds an entry or hooks.
func TestBrokenFileIsNoSuccess(t *testing.T) {
	for _, test := range []struct{ client, scope, path, text, at string }{
		{"claude-code", "user", "home/.claude.json", "{\n\"a\" 1}", "line 2"},
		{"goose", "user", "home/.config/goose/config.yaml", "a: 1\nb: [\n", "line "},
		{"claude-code", "project", "shop/.claude/settings.json", "{\n\"a\" 1}", "line 2"},
		{"cursor", "project", "shop/.cursor/hooks.json", "{\n\"a\" 1}", "line 2"},
		{"gemini", "project", "shop/.gemini/settings.json", "{\n\"a\" 1}", "line 2"},
	} {
		if runtime.GOOS == "windows" && test.client == "goose" { // whose file is elsewhere there
			continue
		}
		m := newMachine(t)
		path := filepath.Join(m.root, filepath.FromSlash(test.path))
		m.write(path, test.text, 0o644)
		_, err := m.setup(setup.Registration{Client: test.client, Scope: test.scope})
		if e := errors.Of(err); err == nil || e.Kind != errors.Untouched || !strings.Contains(e.Message, path) || !strings.Contains(e.Message, test.at) {
			t.Errorf("setup of %s with a broken %s: %v", test.client, test.path, err)
		}
		if d := m.doctor(test.client); d.Sound() || strings.Count(d.Text(), path+`" untouched: `) != 1 {
			t.Errorf("doctor with a broken %s:\n%s", test.path, d.Text())
		}
	}
}

func TestSetupWithoutAProject(t *testing.T) {
	m := newMachine(t)
	ctx, elsewhere := context.Background(), m.call(m.root)
	_, err := m.verbs().Setup(ctx, elsewhere, setup.Registration{Client: "cursor"})
	if !errors.Is(err, errors.NoProject) || !slices.ContainsFunc(errors.Of(err).Hints, func(h errors.Hint) bool { return h.Args == "cursor --scope user" }) {
		t.Errorf("project scope: %v", err)
	}
	if _, err = m.verbs().Setup(ctx, elsewhere, setup.Registration{Client: "cursor", Scope: "user", AgentsMD: true}); !errors.Is(err, errors.NoProject) {
		t.Errorf("AGENTS.md: %v", err)
	}
	before := m.tree()
	done, err := m.verbs().Setup(ctx, elsewhere, setup.Registration{Client: "claude-code", Print: true, AgentsMD: true})
	if err != nil || len(done.Prints) != 4 || done.Project != nil || !strings.Contains(done.Text(), "claude mcp add --scope project blue -- blue mcp") {
		t.Errorf("printed: %+v, %v", done, err)
	}
	if !same(before, m.tree()) {
		t.Error("printing wrote something")
	}
	if done, err = m.verbs().Setup(ctx, elsewhere, setup.Registration{Client: "cursor", Scope: "user"}); err != nil || done.Files[0].Outcome != "written" {
		t.Errorf("user scope: %+v, %v", done, err)
	}
}

func TestSetupRefuses(t *testing.T) {
	m := newMachine(t)
	for name, test := range map[string]struct {
		r    setup.Registration
		kind errors.Kind
		text string
	}{
		"unknown client":     {setup.Registration{Client: "curser"}, errors.Invalid, "no client"},
		"unknown scope":      {setup.Registration{Client: "cursor", Scope: "local"}, errors.Invalid, "scope"},
		"no project file":    {setup.Registration{Client: "windsurf", Scope: "project"}, errors.Invalid, "scope"},
		"print and remove":   {setup.Registration{Client: "cursor", Print: true, Remove: true}, errors.Invalid, "only one"},
		"print and dry run":  {setup.Registration{Client: "cursor", Print: true, DryRun: true}, errors.Invalid, "only one"},
		"unknown part":       {setup.Registration{Client: "cursor", Only: "hooks,skills"}, errors.Invalid, "only"},
		"allow no entry":     {setup.Registration{Client: "cursor", Only: "hooks", Allow: true}, errors.Invalid, "only one"},
		"no server":          {setup.Registration{Client: "cursor", HTTP: setup.Running}, errors.Invalid, "no server"},
		"no URL":             {setup.Registration{Client: "cursor", HTTP: "--"}, errors.Invalid, "http"},
		"another scheme":     {setup.Registration{Client: "cursor", HTTP: "file:///x"}, errors.Invalid, "http"},
		"no HTTP there":      {setup.Registration{Client: "claude-desktop", HTTP: "http://127.0.0.1:1/mcp"}, errors.Invalid, "takes no HTTP"},
		"URL without a host": {setup.Registration{Client: "cursor", HTTP: "http:///mcp"}, errors.Invalid, "http"},
	} {
		before := m.tree()
		if _, err := m.setup(test.r); !errors.Is(err, test.kind) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
		if !same(before, m.tree()) {
			t.Errorf("%s changed something", name)
		}
	}
}

// TestSetupHTTP: the real port of the server
// that runs.
func TestSetupHTTP(t *testing.T) {
	m := newMachine(t)
	url := m.server("4711")
	const token = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"
	m.write(m.in("config", "blue", "token"), "# mine\n"+token+"\n", 0o600)

	known, err := m.verbs().Clients(context.Background(), m.call(m.project))
	if err != nil || !slices.Equal(known.Servers, []string{url}) || !strings.Contains(known.Text(), url) {
		t.Errorf("%+v, %v", known, err)
	}
	done, err := m.setup(setup.Registration{Client: "cursor", HTTP: setup.Running})
	must(t, err)
	if text := m.read(done.Files[0].Path); !strings.Contains(text, url) || !strings.Contains(text, "BLUE_TOKEN") || strings.Contains(text, token) {
		t.Errorf("a committed file:\n%s", text)
	}
	// Zed expands no variables: the token goes into the person's own file and nowhere else.
	if _, err := m.setup(setup.Registration{Client: "zed", HTTP: setup.Running}); !errors.Is(err, errors.SecretDetected) {
		t.Errorf("a token to be committed: %v", err)
	}
	for _, r := range []setup.Registration{{Print: true}, {DryRun: true}, {}, {DryRun: true, Remove: true}} {
		r.Client, r.Scope = "zed", "user"
		if !r.Remove {
			r.HTTP = setup.Running
		}
		if done, err = m.setup(r); err != nil || strings.Contains(done.Text(), token) {
			t.Errorf("%+v: shows the token, or %v", r, err)
		}
	}
	if text := m.read(done.Files[0].Path); !strings.Contains(text, "Bearer "+token) {
		t.Errorf("no token in %s:\n%s", done.Files[0].Path, text)
	}
	done, err = m.setup(setup.Registration{Client: "zed", Scope: "user", HTTP: "https://notes.example/mcp"})
	if text := m.read(done.Files[0].Path); err != nil || !strings.Contains(text, "https://notes.example/mcp") || strings.Contains(text, token) {
		t.Errorf("a server elsewhere: %v\n%s", err, text)
	}
	second := m.server("4712")
	if _, err := m.setup(setup.Registration{Client: "cursor", HTTP: setup.Running}); !errors.Is(err, errors.Invalid) || !strings.Contains(errors.Of(err).Hints[0].Text, second) {
		t.Errorf("two servers: %v", err)
	}
}

func TestSetupAgents(t *testing.T) {
	m := newMachine(t)
	path := filepath.Join(m.project, "AGENTS.md")
	m.write(path, "# House rules\n", 0o644)
	for _, want := range []string{"written", "unchanged"} {
		done, err := m.setup(setup.Registration{AgentsMD: true})
		if err != nil || len(done.Files) != 1 || done.Files[0] != (setup.Rewritten{Path: path, Holds: "context block", Outcome: want}) {
			t.Fatalf("%+v, %v", done.Files, err)
		}
	}
	if text := m.read(path); !strings.HasPrefix(text, "# House rules\n\n") || strings.Count(text, "blue_search") != 1 {
		t.Errorf("%s", text)
	}
	if _, err := m.setup(setup.Registration{AgentsMD: true, Remove: true}); err != nil || m.read(path) != "# House rules\n" {
		t.Errorf("removed: %v\n%s", err, m.read(path))
	}
}

// TestSetupContextFile: the block goes into the file that the client reads. Claude Code
// reads no AGENTS.md beside a CLAUDE.md, unless that imports it.
func TestSetupContextFile(t *testing.T) {
	for name, row := range map[string]struct{ client, file, settings, want string }{
		"claude":         {"claude-code", "", "", "AGENTS.md"},
		"claude, own":    {"claude-code", "CLAUDE.md", "# Rules\n", "CLAUDE.md"},
		"claude, hidden": {"claude-code", ".claude/CLAUDE.md", "# Rules, not `@AGENTS.md`\n", ".claude/CLAUDE.md"},
		"claude, import": {"claude-code", "CLAUDE.md", "# Rules\n\n@AGENTS.md\n", "AGENTS.md"},
		"claude, words":  {"claude-code", ".claude/CLAUDE.md", "See @../AGENTS.md.\n", "AGENTS.md"},
		"claude, block":  {"claude-code", "CLAUDE.md", "@AGENTS.md\n<!-- blue:begin -->\n<!-- blue:end -->\n", "CLAUDE.md"},
		"codex, beside":  {"codex", "CLAUDE.md", "# Rules\n", "AGENTS.md"},
		"codex":          {"codex", "", "", "AGENTS.md"},
		"gemini":         {"gemini", ".gemini/settings.json", "{}", "GEMINI.md"},
		"gemini, named":  {"gemini", ".gemini/settings.json", `{"context": {"fileName": "NOTES.md"}}`, "NOTES.md"},
		"gemini, agents": {"gemini", ".gemini/settings.json", `{"context": {"fileName": ["GEMINI.md", "AGENTS.md"]}}`, "AGENTS.md"},
		"gemini, path":   {"gemini", ".gemini/settings.json", `{"context": {"fileName": "../../x.md"}}`, "GEMINI.md"},
		"qwen":           {"qwen-code", "", "", "AGENTS.md"},
		"qwen, named":    {"qwen-code", ".qwen/settings.json", `{"context": {"fileName": "QWEN.md"}}`, "QWEN.md"},
	} {
		m := newMachine(t)
		if row.file != "" {
			m.write(filepath.Join(m.project, row.file), row.settings, 0o644)
		}
		done, err := m.setup(setup.Registration{Client: row.client, Only: "instructions"})
		want := filepath.Join(m.project, filepath.FromSlash(row.want))
		if err != nil || len(done.Files) != 1 || done.Files[0].Path != want || !strings.Contains(m.read(want), "blue_search") {
			t.Errorf("%s: %+v, %v", name, done.Files, err)
		}
		if _, err := m.setup(setup.Registration{Client: row.client, Remove: true}); row.want == row.file && !strings.Contains(row.settings, "blue:") && (err != nil || m.read(want) != row.settings) {
			t.Errorf("%s: removed: %v\n%s", name, err, m.read(want))
		}
	}
}

// TestSetupParts: each part alone, without the nudge, and with the permission.
func TestSetupParts(t *testing.T) {
	m := newMachine(t)
	settings, entry := filepath.Join(m.project, ".claude", "settings.json"), filepath.Join(m.project, ".mcp.json")
	const theirs = "{\"model\": \"opus\", \"permissions\": {\"deny\": []}}\n"
	m.write(settings, theirs, 0o644)
	steps := []struct {
		r           setup.Registration
		has, hasNot string
	}{
		{setup.Registration{Only: "hooks", NoNudge: true}, `"SessionStart"`, `"Stop"`},
		{setup.Registration{}, `"Stop"`, "mcp__blue"},
		{setup.Registration{Allow: true}, `"allow": ["mcp__blue"]`, ""},
		{setup.Registration{NoNudge: true}, `"mcp__blue"`, `"Stop"`},
		{setup.Registration{Only: "hooks", Remove: true}, `"mcp__blue"`, "blue hook"},
		{setup.Registration{Remove: true}, theirs, "mcp__blue"},
	}
	for i, step := range steps {
		step.r.Client = "claude-code"
		done, err := m.setup(step.r)
		must(t, err)
		text := m.read(settings)
		if !strings.Contains(text, step.has) || step.hasNot != "" && strings.Contains(text, step.hasNot) {
			t.Errorf("step %d: %s\n%s", i, done.Text(), text)
		}
	}
	if _, err := os.Stat(entry); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is left: %v", entry, err)
	}
}

// TestSetupAllow: what each client calls the permission.
func TestSetupAllow(t *testing.T) {
	for client, row := range map[string]struct{ file, has string }{
		"claude-code": {".claude/settings.json", `"mcp__blue"`},
		"codex":       {".codex/config.toml", "[mcp_servers.blue.tools.blue_edit]\napproval_mode = \"approve\"\n"},
		"gemini":      {".gemini/settings.json", `"trust": true`},
		"qwen-code":   {".qwen/settings.json", `"trust": true`},
	} {
		m := newMachine(t)
		for _, allow := range []bool{false, true} {
			done, err := m.setup(setup.Registration{Client: client, Allow: allow})
			if text := m.read(filepath.Join(m.project, row.file)); err != nil || strings.Contains(text, row.has) != allow || strings.Contains(done.Text(), "permission") != allow {
				t.Errorf("%s, %v: %v\n%s\n%s", client, allow, err, done.Text(), text)
			}
		}
	}
	done, err := newMachine(t).setup(setup.Registration{Client: "cursor", Allow: true})
	if err != nil || !strings.Contains(done.Text(), "no permission entry of Cursor") {
		t.Errorf("%v\n%s", err, done.Text())
	}
}

// TestSetupFindsPrograms: a client counts as found when PATH has its program.
func TestSetupFindsPrograms(t *testing.T) {
	m := newMachine(t)
	program := filepath.Join(m.root, "bin", "qwen")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	m.write(program, "#!/bin/sh\n", 0o755)
	known, err := m.verbs().Clients(context.Background(), m.call(m.project))
	if err != nil || !slices.ContainsFunc(known.Clients, func(c setup.ClientState) bool { return c.Client == "qwen-code" }) || slices.Contains(known.Others, "qwen-code") {
		t.Errorf("%v\n%s", err, known.Text())
	}
}

func TestSetupMentionsOtherEntries(t *testing.T) {
	m := newMachine(t)
	if _, err := m.setup(setup.Registration{Client: "cursor", Scope: "user"}); err != nil {
		t.Fatal(err)
	}
	done, err := m.setup(setup.Registration{Client: "cursor"})
	if err != nil || !strings.Contains(done.Text(), m.in(".cursor", "mcp.json")+" also has an entry, for the scope user") || !strings.Contains(done.Text(), "also has hooks, for the scope user") {
		t.Errorf("%v\n%s", err, done.Text())
	}
}

// TestSetupWarns names the clients that tell a server no project.
func TestSetupWarns(t *testing.T) {
	m := newMachine(t)
	for client, warns := range map[string]bool{"claude-desktop": true, "cline": true, "cursor": false, "zed": false, "codex": false} {
		done, err := m.setup(setup.Registration{Client: client, Scope: "user", Print: true})
		if err != nil || (len(done.Warnings) > 0) != warns || warns != strings.Contains(done.Text(), "Warning: ") {
			t.Errorf("%s: %v, %v", client, done.Warnings, err)
		}
	}
}

// What setup made is gone with it, empty objects too, and only what was there is said
// to be removed.
func TestRemoveLeavesNoFile(t *testing.T) {
	t.Parallel()
	for client, words := range map[string][]string{
		"claude-code": {"removed: hooks in", "removed: hooks, permission in"}, "qwen-code": {"removed: MCP entry, hooks in", "removed: MCP entry, hooks, permission in"},
		"cursor": {"removed: MCP entry in", "removed: MCP entry in"}, "codex": {"removed: MCP entry in", "removed: MCP entry, permission in"},
	} {
		for i, allow := range []bool{false, client != "cursor"} {
			m := newMachine(t)
			before := m.tree()
			_, err := m.setup(setup.Registration{Client: client, Allow: allow})
			must(t, err)
			done, err := m.setup(setup.Registration{Client: client, Remove: true})
			must(t, err)
			if !strings.Contains(done.Text(), words[i]) {
				t.Errorf("%s, allow %v: want %q:\n%s", client, allow, words[i], done.Text())
			}
			for name, text := range m.tree() {
				if _, was := before[name]; !was && !strings.HasPrefix(text, "d") {
					t.Errorf("%s leaves %s", client, name)
				}
			}
		}
	}
}

// What one client gives back is not taken from the others, and nothing of Blue's stays: no
// copy, no directory, no word about what was never there.
func TestRemoveLeavesNothing(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.project, "AGENTS.md"), "# Rules\n", 0o644)
	for _, client := range []string{"cursor", "codex"} {
		if _, err := m.setup(setup.Registration{Client: client}); err != nil {
			t.Fatal(err)
		}
	}
	_, err := m.setup(setup.Registration{Client: "windsurf"}) // has files of the user alone
	must(t, err)
	done, err := m.setup(setup.Registration{Client: "windsurf", Remove: true})
	if err != nil || !strings.Contains(m.read(filepath.Join(m.project, "AGENTS.md")), "blue:begin") {
		t.Errorf("%s %v", done.Text(), err)
	}
	_, err = m.setup(setup.Registration{Client: "windsurf"})
	must(t, err)
	done, err = m.setup(setup.Registration{Client: "cursor", Remove: true})
	if err != nil || !strings.Contains(done.Text(), "keeps the context block, which Codex reads too") || !strings.Contains(m.read(filepath.Join(m.project, "AGENTS.md")), "blue:begin") {
		t.Errorf("%s %v", done.Text(), err)
	}
	done, err = m.setup(setup.Registration{Client: "codex", Remove: true})
	if err != nil || !strings.Contains(done.Text(), "keeps the context block, which Windsurf reads too") {
		t.Errorf("%s %v", done.Text(), err)
	}
	_, err = m.setup(setup.Registration{Client: "windsurf", Remove: true})
	must(t, err)
	for path := range m.tree() {
		if strings.HasPrefix(path, m.project) && strings.Contains(path, ".c") {
			t.Errorf("left behind: %s", path)
		}
	}
	if again, err := m.setup(setup.Registration{Client: "codex", Remove: true}); err != nil || again.Text() != "Codex, project scope\nNothing to remove\n" {
		t.Errorf("%s %v", again.Text(), err)
	}
}

// What setup wrote is taken out whatever the client, or a person, has done to the files since.
func TestRemoveAfterChanges(t *testing.T) {
	t.Parallel()
	team := "https://notes.example.com/mcp?project=shop"
	for name, row := range map[string]struct {
		r     setup.Registration
		since func(m *machine)
		stays bool
		left  string
		file  string
	}{
		"a server of a team":         {r: setup.Registration{Client: "claude-code", HTTP: team}, file: ".mcp.json"},
		"its project is another one": {r: setup.Registration{Client: "claude-code", HTTP: team}, since: func(m *machine) { m.change(".mcp.json", "=shop", "=bakery") }, file: ".mcp.json"},
		"Codex adds a server": {r: setup.Registration{Client: "codex"}, since: func(m *machine) {
			m.change(".codex/config.toml", "# Kept by `blue setup`\n", "[mcp_servers.alpha]\ncommand = \"alpha\"\n\n")
		}, stays: true, left: "[mcp_servers.alpha]\ncommand = \"alpha\"\n", file: ".codex/config.toml"},
		"the person takes CLAUDE.md": {r: setup.Registration{Client: "claude-code"}, since: func(m *machine) { m.write(m.at("CLAUDE.md"), "# Rules\n", 0o644) }, file: "AGENTS.md"},
		"the person empties a file": {r: setup.Registration{Client: "codex", Only: "instructions"}, since: func(m *machine) { m.write(m.at("AGENTS.md"), "", 0o644) },
			stays: true, file: "AGENTS.md"},
	} {
		m := newMachine(t)
		_, err := m.setup(row.r)
		must(t, err)
		if row.since != nil {
			row.since(m)
		}
		done, err := m.setup(setup.Registration{Client: row.r.Client, Remove: true})
		if text, gone := os.ReadFile(m.at(row.file)); err != nil || string(text) != row.left || (gone == nil) != row.stays {
			t.Errorf("%s: %v\n%s\n%s", name, err, done.Text(), text)
		}
	}
}

// Blocks that another client reads are kept, by whatever name it reads them.
func TestRemoveThroughLink(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write(m.at("AGENTS.md"), "# Rules\n", 0o644)
	m.link("AGENTS.md", m.at("CLAUDE.md"))
	for _, client := range []string{"claude-code", "codex"} {
		_, err := m.setup(setup.Registration{Client: client})
		must(t, err)
	}
	done, err := m.setup(setup.Registration{Client: "claude-code", Remove: true})
	if err != nil || !strings.Contains(done.Text(), "which Codex reads too") || !strings.Contains(m.read(m.at("AGENTS.md")), "blue:begin") {
		t.Errorf("%s %v", done.Text(), err)
	}
}

// What the client or a person adds to Blue's table is kept.
func TestSetupKeepsAdditions(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	_, err := m.setup(setup.Registration{Client: "codex"})
	must(t, err)
	added := "enabled = false\nstartup_timeout_sec = 60\n\n[mcp_servers.blue.tools.\"blue search\"]\napproval_mode = \"approve\"\n"
	file := m.at(".codex/config.toml")
	m.write(file, m.read(file)+added, 0o644)
	for _, r := range []setup.Registration{{Client: "codex"}, {Client: "codex", Allow: true}, {Client: "codex", HTTP: "http://127.0.0.1:7865/mcp"}} {
		before := m.read(file)
		_, err := m.setup(r)
		must(t, err)
		text := m.read(file)
		if !strings.Contains(text, added[:strings.Index(added, "\n\n")]) || !strings.Contains(text, added[strings.Index(added, "[mcp"):]) {
			t.Errorf("%+v:\n%s", r, text)
		}
		if (text == before) != (!r.Allow && r.HTTP == "") {
			t.Errorf("%+v: is written although nothing changes, or the reverse:\n%s", r, text)
		}
	}
}

// Clients that read skills at one place share the skill: it stays while one of them has an entry in
// the scope. A skill that Blue did not write is left alone.
func TestSkillIsShared(t *testing.T) {
	for _, scope := range []string{"project", "user"} {
		m := newMachine(t)
		dir := map[string]string{"project": m.project, "user": m.home}[scope]
		skill := filepath.Join(dir, ".agents", "skills", "blue", "SKILL.md")
		for _, client := range []string{"codex", "gemini"} {
			if _, err := m.setup(setup.Registration{Client: client, Scope: scope}); err != nil || !strings.Contains(m.read(skill), "blue_search") {
				t.Fatalf("%s: %v", client, err)
			}
		}
		done, err := m.setup(setup.Registration{Client: "gemini", Scope: scope, Remove: true})
		if err != nil || !strings.Contains(done.Text(), skill+" keeps the skill, which Codex reads too") || m.read(skill) == "" {
			t.Errorf("%s: %v\n%s", scope, err, done.Text())
		}
		if _, err := m.setup(setup.Registration{Client: "codex", Scope: scope, Remove: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, ".agents")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: left behind: %v", scope, err)
		}
		m.write(skill, "---\nname: blue\n---\nThe colour.\n", 0o644)
		if _, err := m.setup(setup.Registration{Client: "codex", Scope: scope}); !errors.Is(err, errors.Untouched) || !strings.Contains(err.Error(), skill) {
			t.Errorf("%s: %v", scope, err)
		}
		if done, err := m.setup(setup.Registration{Client: "codex", Scope: scope, Remove: true}); err != nil || m.read(skill) == "" {
			t.Errorf("%s: %v\n%s", scope, err, done.Text())
		}
	}
}

// A client that has Blue as a plugin is set up, and is told so when it gets the files as well. One that has
// only the entry of another client is not: its hooks are missing.
func TestPluginAndEntryOfAnother(t *testing.T) {
	m := newMachine(t)
	plugin := filepath.Join(m.home, ".claude", "settings.json")
	m.write(plugin, `{"enabledPlugins": {"other@blue": true, "blue@blue": true}}`, 0o600)
	m.write(filepath.Join(m.home, ".copilot", "config.json"), "{}", 0o600)
	states := func() (text string) {
		list, err := m.verbs().Clients(t.Context(), m.call(m.project))
		must(t, err)
		for _, c := range list.Clients {
			text += fmt.Sprintf("%s %d ", c.Client, len(c.Files))
		}
		return text
	}
	if got := states(); got != "claude-code 1 cursor 0 copilot-cli 0 " {
		t.Error(got)
	}
	for _, dir := range []string{m.project, m.home} { // in a project or not
		d, err := m.verbs().Doctor(t.Context(), m.call(dir), "claude-code")
		if must(t, err); !strings.Contains(d.Text(), "ok    claude-code: it has Blue as a plugin") {
			t.Error(d.Text())
		}
	}
	m.write(plugin, `{"enabledPlugins": {"blue@blue": false}, "outputStyle": {"name": "blue"}}`, 0o600)
	m.write(filepath.Join(m.home, ".codex", "config.toml"), "[plugins.\"blue@blue\"]\nenabled = false\n", 0o600)
	if got := states(); got != "claude-code 0 cursor 0 codex 0 copilot-cli 0 " {
		t.Error(got)
	}
	m.write(plugin, `{"enabledPlugins": {"blue@blue": true}}`, 0o600)
	m.write(filepath.Join(m.home, ".codex", "config.toml"), "[plugins.\"blue@blue\"]\nenabled = true\n", 0o600)
	done, err := m.setup(setup.Registration{Client: "claude-code"})
	if err != nil || !strings.Contains(done.Text(), plugin+" has Blue as a plugin too") {
		t.Errorf("%v\n%s", err, done.Text())
	}
	if got := states(); got != "claude-code 2 cursor 0 codex 1 copilot-cli 0 " {
		t.Error(got)
	}
	for client, want := range map[string]string{"claude-code": "it has Blue also as a plugin", "copilot-cli": "it has no hooks"} {
		if d := m.doctor(client); !strings.Contains(d.Text(), want) {
			t.Error(d.Text())
		}
	}
}
