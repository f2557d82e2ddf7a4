package setup_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/blue/setup"
	"blue/errors"
	"blue/marker"
)

// doctor asks in the project and wants nothing to change.
func (m *machine) doctor(client string) setup.Diagnosis {
	m.t.Helper()
	before := m.tree()
	d, err := m.verbs().Doctor(context.Background(), m.call(m.project), client)
	if err != nil {
		m.t.Fatal(err)
	}
	if !same(before, m.tree()) {
		m.t.Error("doctor changed something")
	}
	data, err := json.Marshal(d)
	if err != nil || strings.Contains(string(data), "null") {
		m.t.Errorf("JSON: %s, %v", data, err)
	}
	return d
}

// cursor writes an entry for Cursor, of the project or of the user.
func (m *machine) cursor(scope, members string) {
	dir := m.project
	if scope == "user" {
		dir = m.home
	}
	m.write(filepath.Join(dir, ".cursor", "mcp.json"), `{"mcpServers": {`+members+`}}`, 0o600)
}

func TestDoctorFindsNothingWrong(t *testing.T) {
	m := newMachine(t)
	if _, err := m.setup(setup.Registration{Client: "cursor"}); err != nil {
		t.Fatal(err)
	}
	d := m.doctor("")
	if !d.Sound() || d.Project == nil || d.Project.Root != m.project || len(d.Clients) != 1 {
		t.Fatalf("%s", d.Text())
	}
	want := setup.ClientEntry{File: filepath.Join(m.project, ".cursor", "mcp.json"), Scope: "project", Name: "blue", Command: "blue",
		Spawn: d.Clients[0].Entries[0].Spawn, Source: "roots"}
	if d.Clients[0].Client != "cursor" || d.Clients[0].Entries[0] != want || want.Spawn == "" {
		t.Errorf("%+v", d.Clients)
	}
	if text := d.Text(); !strings.Contains(text, "\nok    project: shop at "+m.project+" (source: cwd), marker, notes, index, config, state, cache, token, cursor\nnote  trust: ") || strings.Count(text, "\n") != 5 {
		t.Errorf("%s", text)
	}
	d = m.doctor("cursor")
	for _, line := range []string{"shop at " + m.project, "ok    cursor: starts this binary", "note  cursor: approve the server in Cursor", "Nothing to mend"} {
		if !strings.Contains(d.Text(), line) {
			t.Errorf("no %q in\n%s", line, d.Text())
		}
	}
}

// TestDoctorOnClients has a row for each thing that can be said of an entry. A row
// that begins with mend wants the diagnosis unsound; text and remedy follow.
func TestDoctorOnClients(t *testing.T) {
	for name, test := range map[string]struct {
		scope, members string
		state          string
		text, remedy   string
	}{
		"gone binary":      {"user", `"blue": {"command": "ROOT/nowhere/blue", "args": ["mcp"]}`, "mend", "nowhere/blue", "blue setup cursor --scope user"},
		"not on the PATH":  {"project", `"blue": {"command": "uvblue", "args": ["blue", "mcp"]}`, "mend", `"uvblue" does not exist`, "install Blue"},
		"not told to":      {"project", `"blue": {"command": "blue"}`, "mend", "lack the word mcp", "blue setup cursor --scope project"},
		"empty entry":      {"project", `"blue": {}`, "mend", "neither starts nor calls", "blue setup cursor"},
		"another program":  {"project", `"blue": {"command": "node", "args": ["x.js"]}`, "mend", "another program", "rename it"},
		"disabled":         {"project", `"blue": {"command": "blue", "args": ["mcp"], "disabled": true}`, "mend", "disabled", "enable it"},
		"enabled is false": {"project", `"blue": {"command": "blue", "args": ["mcp"], "enabled": false}`, "mend", "disabled", "enable it"},
		"does not parse":   {"project", `"blue": {`, "mend", "untouched", "mend the file"},
		"no server":        {"project", `"blue": {"url": "http://127.0.0.1:1/mcp"}`, "mend", "no server runs on http://127.0.0.1:1/mcp", "blue mcp --http 127.0.0.1:1"},
		"another name":     {"project", `"blue-notes": {"command": "blue", "args": ["mcp"]}`, "note", "under another name", "rename it"},
		"foreign name":     {"project", `"bluetooth": {"command": "bt"}`, "note", `"bluetooth" is another program`, ""},
		"short PATH":       {"user", `"blue": {"command": "blue", "args": ["mcp"]}`, "note", "short PATH", "blue setup cursor --scope user"},
		"pinned":           {"user", `"blue": {"command": "blue", "args": ["mcp", "--project", "/x"]}`, "note", "--project", ""},
		"variable":         {"project", `"blue": {"command": "${userHome}/bin/blue", "args": ["mcp"]}`, "note", "variable", ""},
		"relative":         {"project", `"blue": {"command": "bin/blue", "args": ["mcp"]}`, "note", "relative", ""},
		"elsewhere":        {"project", `"blue": {"url": "https://notes.example/mcp", "headers": {"Blue-Project": "/x"}}`, "note", "another machine", ""},
		"elsewhere, bare":  {"project", `"blue": {"url": "https://notes.example/mcp"}`, "note", "another machine", ""},
		"odd URL":          {"project", `"blue": {"url": "${env:BLUE_URL}"}`, "note", "variable", ""},
		"absolute":         {"project", `"blue": {"command": "ROOT/bin/blue", "args": ["mcp"]}`, "note", "the file is committed", "blue setup cursor"},
		"not registered":   {"project", ``, "note", "not registered", "blue setup cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.cursor(test.scope, strings.ReplaceAll(test.members, "ROOT", filepath.ToSlash(m.root)))
			d := m.doctor("")
			found := false
			for _, f := range d.Clients[0].Findings {
				found = found || f.State == test.state && strings.Contains(f.Text, test.text) && strings.Contains(f.Remedy, test.remedy)
			}
			if !found || d.Sound() != (test.state != "mend") {
				t.Errorf("sound %v, want %s: %s; %s\n%s", d.Sound(), test.state, test.text, test.remedy, d.Text())
			}
		})
	}
}

func TestDoctorKnowsAnotherBinary(t *testing.T) {
	m := newMachine(t)
	other := filepath.Join(m.root, "old", filepath.Base(m.self))
	m.write(other, "#!/bin/sh\n", 0o755)
	data, _ := json.Marshal(other)
	m.cursor("user", `"blue": {"command": `+string(data)+`, "args": ["mcp"]}`)
	if d := m.doctor(""); !strings.Contains(d.Text(), "starts another program than this one: "+other) || !d.Sound() {
		t.Errorf("%s", d.Text())
	}
	docker := filepath.Join(filepath.Dir(m.self), strings.Replace(filepath.Base(m.self), "blue", "docker", 1))
	m.write(docker, "#!/bin/sh\n", 0o755)
	m.cursor("project", `"blue": {"command": "docker", "args": ["run", "-i", "--rm", "-v", ".:/project", "blue"]}`)
	if d := m.doctor(""); !strings.Contains(d.Text(), "starts Blue through "+docker) || !d.Sound() {
		t.Errorf("%s", d.Text())
	}
}

// TestDoctorOnForeignBlue: what an entry starts by the name blue must say its version as Blue does; another
// version of Blue is no fault.
func TestDoctorOnForeignBlue(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the program of this test is a shell script")
	}
	for script, sound := range map[string]bool{"exit 2": false, "echo bluetooth 5.2": false, "echo blue 0.0.9": true} {
		m := newMachine(t)
		m.env["PATH"] = m.in("bin")
		m.write(m.in("bin", "blue"), "#!/bin/sh\n"+script+"\n", 0o755)
		m.cursor("project", `"blue": {"command": "blue", "args": ["mcp"]}`)
		if d := m.doctor(""); d.Sound() != sound || sound == strings.Contains(d.Text(), "fails or is another program: "+m.in("bin", "blue")) {
			t.Errorf("%s:\n%s", script, d.Text())
		}
	}
}

// TestDoctorOnOneClient: a person who names a client wants it to work.
func TestDoctorOnOneClient(t *testing.T) {
	m := newMachine(t)
	if d := m.doctor("goose"); d.Sound() || len(d.Clients) != 1 || !strings.Contains(d.Text(), "remedy: blue setup goose") {
		t.Errorf("%s", d.Text())
	}
	if _, err := m.verbs().Doctor(context.Background(), m.call(m.project), "gose"); !errors.Is(err, errors.Invalid) || errors.Of(err).Hints[0].Verb != "doctor" {
		t.Errorf("an unknown client: %v", err)
	}
}

// TestDoctorOnServers looks at running servers.
func TestDoctorOnServers(t *testing.T) {
	m := newMachine(t)
	url := m.server("4711")
	m.write(m.in("state", "blue", "http", "4712"), "http://127.0.0.1:1/mcp\n", 0o600)
	m.write(m.in("state", "blue", "http", "notes.txt"), "not a runtime file\n", 0o600)
	m.cursor("project", `"blue": {"url": "`+strings.Replace(url, "127.0.0.1", "localhost", 1)+`?project_path=x"}`)
	d := m.doctor("")
	if !d.Sound() || len(d.Servers) != 1 || d.Servers[0] != url || !strings.Contains(m.doctor("cursor").Text(), "ok    cursor: a server runs there") {
		t.Errorf("the right port:\n%s", d.Text())
	}
	if !strings.Contains(d.Text(), "4712 does not answer") || strings.Contains(d.Text(), "notes.txt") {
		t.Errorf("runtime files:\n%s", d.Text())
	}
	m.cursor("project", `"blue": {"url": "http://127.0.0.1:1/mcp"}`)
	d = m.doctor("")
	if d.Sound() || !strings.Contains(d.Text(), "no server runs on http://127.0.0.1:1/mcp; one runs on "+url) ||
		!strings.Contains(d.Text(), "blue setup cursor --scope project --http running") {
		t.Errorf("another port:\n%s", d.Text())
	}
	m.cursor("project", `"blue": {"url": "http://me:hunter2@127.0.0.1:1/mcp?key=hunter2"}`)
	if d = m.doctor(""); strings.Contains(d.Text(), "hunter2") {
		t.Errorf("secrets of a URL are shown:\n%s", d.Text())
	}
}

// TestDoctorSaysRestart: Claude Code does not connect again to a server over HTTP.
func TestDoctorSaysRestart(t *testing.T) {
	m := newMachine(t)
	m.write(filepath.Join(m.project, ".mcp.json"), `{"mcpServers": {"blue": {"type": "http", "url": "`+m.server("1")+`"}}}`, 0o644)
	if d := m.doctor("claude-code"); !strings.Contains(d.Text(), "restart the client after the server") {
		t.Errorf("%s", d.Text())
	}
}

// TestDoctorWithoutAProject: no project is no fault; one that was meant
// and cannot be had is.
func TestDoctorWithoutAProject(t *testing.T) {
	m := newMachine(t)
	ctx := context.Background()
	d, err := m.verbs().Doctor(ctx, m.call(m.root), "")
	if err != nil || !d.Sound() || d.Project != nil || !strings.Contains(d.Text(), "note  project: Blue project not found.") {
		t.Errorf("%v\n%s", err, d.Text())
	}
	m.env["BLUE_PROJECT"] = m.in("nowhere")
	if d, err = m.verbs().Doctor(ctx, m.call(m.project), ""); err != nil || d.Sound() || d.Project != nil {
		t.Errorf("BLUE_PROJECT names nothing: %v\n%s", err, d.Text())
	}
}

// TestDoctorOnFiles has a row for each fault outside the clients.
func TestDoctorOnFiles(t *testing.T) {
	for name, test := range map[string]struct {
		spoil  func(m *machine)
		text   string
		remedy string
		modes  bool // needs mode bits
	}{
		"token open to others": {func(m *machine) { m.write(m.in("config", "blue", "token"), "x\n", 0o644) }, "open to other users", "chmod 600", true},
		"empty token file":     {func(m *machine) { m.write(m.in("config", "blue", "token"), "# none\n", 0o600) }, "no token", "remove it", false},
		"token is a directory": {func(m *machine) { m.write(m.in("config", "blue", "token", "x"), "", 0o600) }, "not a regular file", "remove it", false},
		"damaged trust list":   {func(m *machine) { m.write(m.in("state", "blue", "trust"), "what\n", 0o600) }, "trust list", "blue trust", false},
		"MCPGODEBUG":           {func(m *machine) { m.env["MCPGODEBUG"] = "x=1" }, "MCPGODEBUG", "unset", false},
		"open configuration":   {func(m *machine) { m.chmod(0o777, "config", "blue") }, "others can write", "chmod go-w", true},
		"open notes": {func(m *machine) {
			if err := os.Chmod(filepath.Join(m.project, marker.Name, "notes"), 0o777); err != nil {
				m.t.Fatal(err)
			}
		}, "others can write", "chmod go-w", true},
		"notes is a file": {func(m *machine) {
			dir := filepath.Join(m.project, marker.Name, "private")
			m.write(dir, "", 0o600)
		}, "not a directory", "move it away", false},
		"cache is a file":      {func(m *machine) { m.write(m.in("cache"), "", 0o600) }, "cache", "", false},
		"broken settings":      {func(m *machine) { m.write(filepath.Join(m.project, marker.Name, "project.yaml"), "name: [\n", 0o644) }, "project.yaml", "mend that file", false},
		"a later format":       {func(m *machine) { m.write(filepath.Join(m.project, marker.Name, "project.yaml"), "format: 9\n", 0o644) }, "format 9", "blue version", false},
		"state not writable":   {func(m *machine) { m.chmod(0o500, "state", "blue") }, "you cannot read and write", "chmod u+rwx", true},
		"state not to be made": {func(m *machine) { m.chmod(0o500, "state") }, "cannot be made", "make it yourself", true},
	} {
		t.Run(name, func(t *testing.T) {
			if test.modes && runtime.GOOS == "windows" {
				t.Skip("Windows has no mode bits")
			}
			if strings.HasPrefix(name, "state") && os.Geteuid() == 0 {
				t.Skip("root may write everywhere")
			}
			m := newMachine(t)
			test.spoil(m)
			d := m.doctor("")
			found := false
			for _, f := range d.Findings {
				found = found || f.State == "mend" && strings.Contains(f.Matter+" "+f.Text, test.text) && strings.Contains(f.Remedy, test.remedy)
			}
			if !found || d.Sound() {
				t.Errorf("want %s; %s\n%s", test.text, test.remedy, d.Text())
			}
		})
	}
}

func (m *machine) chmod(mode fs.FileMode, names ...string) {
	m.t.Helper()
	if err := errors.Join(os.MkdirAll(m.in(names...), 0o755), os.Chmod(m.in(names...), mode)); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = os.Chmod(m.in(names...), 0o755) })
}

// Doctor says that a project is not trusted, and names another one with its id.
func TestDoctorNamesTwins(t *testing.T) {
	m := newMachine(t)
	other := filepath.Join(m.root, "copy")
	for _, dir := range []string{m.project, other} {
		m.write(filepath.Join(dir, marker.Name, "project.yaml"), "format: 1\nid: one\nname: shop\n", 0o644)
		if _, err := m.b.Open(context.Background(), m.call(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if said := m.doctor("").Text(); !strings.Contains(said, "the project at "+other+" has the same id") || !strings.Contains(said, "the project is not trusted") {
		t.Error(said)
	}
	if _, err := m.b.Trust(context.Background(), m.project); err != nil {
		t.Fatal(err)
	}
	must(t, os.RemoveAll(other))
	if said := m.doctor("").Text(); strings.Contains(said, "same id") || strings.Contains(said, "not trusted") {
		t.Error(said)
	}
}

// TestDoctorTriesHooks: doctor runs the hook that setup wrote, and nothing that a file
// says in its place.
func TestDoctorTriesHooks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the program of this test is a shell script")
	}
	const answers = "#!/bin/sh\n[ \"$1 $2\" = 'hook claude-code' ] && read -r line && printf '{\"additionalContext\":\"Notes of project shop\"}'\n"
	for name, row := range map[string]struct {
		program        string
		change         func(text string) string
		state, finding string
	}{
		"answers": {answers, nil, "ok", "the model reads 21 bytes"},
		"silent":  {"#!/bin/sh\n", nil, "note", "says nothing at the start"},
		"too old": {"#!/bin/sh\nexit 2\n", nil, "mend", "fails after"},
		"another line": {answers, func(text string) string {
			return strings.Replace(text, "blue hook claude-code", "touch HERE; blue hook claude-code", 1)
		}, "note", "were not tried"},
		"another event": {answers, func(text string) string { return strings.Replace(text, "PreCompact", "Notification", 1) }, "note", "were not tried"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(m.self, row.program, 0o755)
			done, err := m.setup(setup.Registration{Client: "claude-code"})
			must(t, err)
			if path := done.Files[1].Path; row.change != nil {
				m.write(path, strings.ReplaceAll(row.change(m.read(path)), "HERE", filepath.Join(m.root, "ran")), 0o644)
			}
			d, err := m.verbs().Doctor(context.Background(), m.call(m.project), "claude-code")
			must(t, err)
			found := false
			for _, f := range d.Clients[0].Findings {
				found = found || f.State == row.state && strings.Contains(f.Text, row.finding)
			}
			if _, err := os.Stat(filepath.Join(m.root, "ran")); !found || err == nil {
				t.Errorf("ran: %v\n%s", err == nil, d.Text())
			}
		})
	}
}

// Of a client that looks for its files where it is started, setup and doctor say so.
func TestDoctorBelowTheRoot(t *testing.T) {
	for client, from := range map[string]string{"gemini": "MCP entry", "qwen-code": "MCP entry", "copilot-cli": "MCP entry", "claude-code": "hooks", "codex": ""} {
		m := newMachine(t)
		below := filepath.Join(m.project, "src")
		must(t, os.Mkdir(below, 0o755))
		done, err := m.setup(setup.Registration{Client: client})
		if err != nil || (from != "") != strings.Contains(done.Text(), "blue setup "+client+" --scope user") {
			t.Errorf("%s: %v\n%s", client, err, done.Text())
		}
		for dir, told := range map[string]bool{m.project: false, below: from != ""} {
			d, err := m.verbs().Doctor(context.Background(), m.call(dir), client)
			if err != nil || told != strings.Contains(d.Text(), "it may not find the "+from) {
				t.Errorf("%s in %s: %v\n%s", client, dir, err, d.Text())
			}
		}
	}
}
