package setup_test

import (
	"context"
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
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
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
	m.write(m.self, "#!/bin/sh\n", 0o755)
	m.write(m.in(".cursor", "x"), "", 0o600)
	m.write(filepath.Join(m.project, marker.Name, "notes", "a.md"), "# A\n", 0o644)
	return m
}

// in is a path below the home.
func (m *machine) in(names ...string) string {
	return filepath.Join(append([]string{m.home}, names...)...)
}

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

// call is made in a directory.
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

var everyClient = strings.Fields("claude-code cursor vscode codex gemini zed opencode crush windsurf cline goose copilot-cli kiro junie lm-studio claude-desktop")

// userOnly are the clients that read no file of a project.
var userOnly = strings.Fields("windsurf cline goose lm-studio claude-desktop")

func TestSetupWritesOnceAndRemovesItsOwn(t *testing.T) {
	for _, client := range everyClient {
		for _, scope := range []string{"project", "user"} {
			t.Run(client+"/"+scope, func(t *testing.T) { writeOnceAndRemove(t, client, scope) })
		}
	}
}

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
		if len(planned.Files) != 0 || planned.Command == "" || !strings.Contains(planned.Command, m.self) {
			t.Errorf("%+v", planned)
		}
		return
	}
	if planned.Files[0].Outcome != "planned" || !strings.Contains(planned.Files[0].Diff, "+") {
		t.Errorf("dry run: %+v", planned.Files)
	}
	for _, want := range []string{"written", "unchanged"} {
		done, err := m.setup(setup.Registration{Client: client, Scope: scope})
		if err != nil || len(done.Files) != 1 || done.Files[0].Outcome != want || done.Source == "" {
			t.Fatalf("want %s: %+v, %v", want, done, err)
		}
	}
	path := planned.Files[0].Path
	if inProject := strings.HasPrefix(path, m.project); inProject != (scope == "project") {
		t.Errorf("wrote %s", path)
	}
	if holds := strings.Contains(m.read(path), filepath.ToSlash(m.self)); runtime.GOOS != "windows" && holds != (scope == "user") {
		t.Errorf("the path of the binary in %s:\n%s", path, m.read(path))
	}
	for _, want := range []string{"removed", "unchanged"} {
		done, err := m.setup(setup.Registration{Client: client, Scope: scope, Remove: true})
		if err != nil || done.Files[0].Outcome != want {
			t.Fatalf("want %s: %+v, %v", want, done, err)
		}
	}
	if strings.Contains(m.read(path), "blue") {
		t.Errorf("left behind:\n%s", m.read(path))
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
		if _, err := m.setup(r); !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), "untouched") {
			t.Errorf("%+v: %v", r, err)
		}
		if !same(before, m.tree()) {
			t.Errorf("%+v changed something", r)
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
	if err != nil || len(done.Prints) != 2 || done.Project != nil || !strings.Contains(done.Text(), "claude mcp add --scope project blue -- blue mcp") {
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
		"remove and agents":  {setup.Registration{Client: "cursor", Remove: true, AgentsMD: true}, errors.Invalid, "only one"},
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

// TestSetupHTTPX081 is the part of X081 that is setup's: the real port of the server
// that runs.
func TestSetupHTTPX081(t *testing.T) {
	m := newMachine(t)
	url := m.server("4711")
	const token = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I"
	m.write(m.in("config", "blue", "token"), "# mine\n"+token+"\n", 0o600)

	known, err := m.verbs().Clients(context.Background(), m.call(m.project))
	if err != nil || !slices.Equal(known.Servers, []string{url}) || !strings.Contains(known.Text(), url) {
		t.Errorf("X081: %+v, %v", known, err)
	}
	done, err := m.setup(setup.Registration{Client: "cursor", HTTP: setup.Running})
	if err != nil {
		t.Fatal(err)
	}
	if text := m.read(done.Files[0].Path); !strings.Contains(text, url) || !strings.Contains(text, "BLUE_TOKEN") || strings.Contains(text, token) {
		t.Errorf("X081: a committed file:\n%s", text)
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
		done, err := m.setup(setup.Registration{Client: "claude-code", Scope: "user", AgentsMD: true})
		if err != nil || len(done.Files) != 1 || done.Files[0] != (setup.Rewritten{Path: path, Outcome: want}) {
			t.Fatalf("%+v, %v", done.Files, err)
		}
	}
	if text := m.read(path); !strings.HasPrefix(text, "# House rules\n\n") || strings.Count(text, "blue_search") != 1 {
		t.Errorf("%s", text)
	}
}

func TestSetupMentionsOtherEntries(t *testing.T) {
	m := newMachine(t)
	if _, err := m.setup(setup.Registration{Client: "cursor", Scope: "user"}); err != nil {
		t.Fatal(err)
	}
	done, err := m.setup(setup.Registration{Client: "cursor"})
	if err != nil || !strings.Contains(done.Text(), m.in(".cursor", "mcp.json")+" also has an entry, for the scope user") {
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
