package clients_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"blue/blue/internal/clients"
	"blue/errors"
)

func TestRead(t *testing.T) {
	const formA = `{"mcpServers": {"zeta": {"command": "z"}, "Blue-old": {"command": "/x/blue.exe", "args": ["mcp"], "cwd": "/srv",
		"env": {"B": "secret", "A": "secret"}, "disabled": true}, "blue": {"serverUrl": "http://localhost:1/mcp", "headers": {"X": "y"}}}}`
	old := clients.Registered{Name: "Blue-old", Command: "/x/blue.exe", Args: []string{"mcp"}, Cwd: "/srv", Env: []string{"A", "B"}, Headers: []string{}, Disabled: true}
	plain := func(r clients.Registered) clients.Registered {
		r.Name, r.Env, r.Headers = "blue", append([]string{}, r.Env...), append([]string{}, r.Headers...)
		if r.Args == nil {
			r.Args = []string{}
		}
		return r
	}
	p := place()
	rows := []struct {
		client, file, text string
		want               []clients.Registered
	}{
		{"windsurf", "mcp_config.json", formA, []clients.Registered{old, plain(clients.Registered{URL: "http://localhost:1/mcp", Headers: []string{"X"}})}},
		{"opencode", "opencode.json", `{"mcp": {"blue": {"type": "local", "command": ["blue", "mcp", "-x"], "environment": {"E": ""}, "enabled": false}}} // end`,
			[]clients.Registered{plain(clients.Registered{Command: "blue", Args: []string{"mcp", "-x"}, Env: []string{"E"}, Disabled: true})}},
		{"codex", "config.toml", "[mcp_servers.blue]\nurl = 'http://[::1]:7865/mcp'\nenv_http_headers.Blue-Project = 'PWD'\n",
			[]clients.Registered{plain(clients.Registered{URL: "http://[::1]:7865/mcp", Headers: []string{"Blue-Project"}})}},
		{"goose", "config.yaml", "extensions:\n  blue: {cmd: blue, args: [mcp], envs: {K: v}, uri: ''}\n",
			[]clients.Registered{plain(clients.Registered{Command: "blue", Args: []string{"mcp"}, Env: []string{"K"}})}},
		{"continue", "config.yaml", "mcpServers:\n- name: blue\n  command: blue\n  args: [mcp]\n- name: x\n  command: blue\n",
			[]clients.Registered{plain(clients.Registered{Command: "blue", Args: []string{"mcp"}})}},
		{"copilot-cli", filepath.Join("shop", ".mcp.json"), `{"blue": {"command": "blue", "args": ["mcp"]}}`, []clients.Registered{plain(clients.Registered{Command: "blue", Args: []string{"mcp"}})}},
		{"copilot-cli", "mcp-config.json", `{"blue": {"command": "blue"}}`, []clients.Registered{}},
		{"claude-code", "local", `{"projects": {"` + filepath.ToSlash(p.Project) + `": {"mcpServers": {"blue": {"command": "blue"}}}}, "mcpServers": {}}`,
			[]clients.Registered{plain(clients.Registered{Command: "blue"})}},
		{"vscode", "mcp.json", "", []clients.Registered{}},
		{"vscode", "mcp.json", `{"servers": {"blue": 7, "bluer": null}}`, []clients.Registered{}},
	}
	for _, row := range rows {
		c, _ := clients.Named(row.client)
		for _, f := range c.Files(p) {
			if !strings.HasSuffix(f.Path, row.file) && string(f.Scope) != row.file {
				continue
			}
			got, err := f.Read([]byte(row.text))
			if err != nil || !reflect.DeepEqual(got, row.want) {
				t.Errorf("%s %s:\n got %+v %v\nwant %+v", row.client, f.Path, got, err, row.want)
			}
		}
	}
	c, _ := clients.Named("zed")
	if _, err := writable(t, c)[clients.User].Read([]byte("{\n\"a\": 1 2}")); !errors.Is(err, errors.Untouched) || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a broken file: %v", err)
	}
}

func TestIsBlue(t *testing.T) {
	rows := []struct {
		entry clients.Registered
		want  bool
	}{
		{clients.Registered{}, true},
		{clients.Registered{Command: "blue"}, true},
		{clients.Registered{Command: `C:\Tools\Blue.EXE`}, true},
		{clients.Registered{Command: "cmd", Args: []string{"/c", "blue", "mcp"}}, true},
		{clients.Registered{Command: "npx", Args: []string{"blue"}}, false},
		{clients.Registered{Command: "npx", Args: []string{"-y", "blue-mcp", "mcp"}}, false},
		{clients.Registered{Command: "npx", Args: []string{"-y", "blue-notes", "mcp"}}, true},
		{clients.Registered{Command: "npx", Args: []string{"-y", "blue-notes@1.2.3", "mcp"}}, true},
		{clients.Registered{Command: "docker", Args: []string{"run", "-i", "--rm", "-v", ".:/project", "blue"}}, true},
		{clients.Registered{Command: "docker", Args: []string{"run", "-i", "ghcr.io/ann/blue:1.2", "mcp"}}, true},
		{clients.Registered{Command: "docker", Args: []string{"run", "-i", "blue", "search", "x"}}, false},
		{clients.Registered{URL: "http://127.0.0.1:7865/mcp"}, true},
		{clients.Registered{URL: "http://localhost/mcp/"}, true},
		{clients.Registered{URL: "http://[::1]:1/mcp"}, true},
		{clients.Registered{URL: "http://127.0.0.1:7865/other"}, false},
		{clients.Registered{URL: "https://blue.example/mcp"}, false},
		{clients.Registered{Name: "blue", URL: "https://blue.example/mcp"}, true},
		{clients.Registered{Name: "blue", URL: "https://blue.example/sse"}, false},
		{clients.Registered{Name: "bluer", URL: "https://blue.example/mcp"}, false},
		{clients.Registered{URL: "https://blue.example/mcp?project_path=x"}, true},
		{clients.Registered{URL: "https://blue.example/mcp", Headers: []string{"Blue-Project"}}, true},
		{clients.Registered{URL: "http://%zz"}, false},
	}
	for _, row := range rows {
		if row.entry.IsBlue() != row.want {
			t.Errorf("%+v: want %v", row.entry, row.want)
		}
	}
}
