package clients_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/fixtures"

	"blue/blue/internal/clients"
	"blue/errors"
)

// asked are the clients that the verbs name.
var asked = []string{
	"claude-code", "cursor", "vscode", "codex", "gemini", "zed", "opencode", "crush", "windsurf",
	"cline", "goose", "antigravity", "copilot-cli", "kiro", "junie", "lm-studio", "claude-desktop",
}

func TestNamed(t *testing.T) {
	for _, name := range asked {
		if c, err := clients.Named(name); err != nil || c.Name != name || c.Title == "" {
			t.Errorf("%s: %v, %v", name, c.Name, err)
		}
	}
	for name, near := range map[string]string{"claude": "claude-code", "vs-code": "vscode", "cursr": "cursor", "Codex": "codex", "emacs": "", "": ""} {
		_, err := clients.Named(name)
		if !errors.Is(err, errors.Invalid) {
			t.Errorf("%q: %v", name, err)
			continue
		}
		named := slices.ContainsFunc(errors.Of(err).Hints, func(h errors.Hint) bool { return h.Args == near && h.Verb == "setup" })
		if !named || near == "" && len(errors.Of(err).Hints) != 1 {
			t.Errorf("%q: hints %+v", name, errors.Of(err).Hints)
		}
	}
}

// TestFiles: where each client has its settings, on each system.
func TestFiles(t *testing.T) {
	env := map[string]string{}
	p := place()
	p.Env = func(name string) string { return env[name] }
	rows := []struct{ client, system, variable, want string }{
		{"claude-code", "linux", "", "project:shop/.mcp.json user:home/.claude.json local:home/.claude.json"},
		{"claude-code", "linux", "CLAUDE_CONFIG_DIR", "project:shop/.mcp.json user:other/.claude.json local:other/.claude.json"},
		{"cursor", "linux", "", "project:shop/.cursor/mcp.json user:home/.cursor/mcp.json"},
		{"vscode", "linux", "", "project:shop/.vscode/mcp.json user:home/.config/Code/User/mcp.json user:home/.config/Code - Insiders/User/mcp.json"},
		{"vscode", "darwin", "XDG_CONFIG_HOME", "project:shop/.vscode/mcp.json user:home/Library/Application Support/Code/User/mcp.json user:home/Library/Application Support/Code - Insiders/User/mcp.json"},
		{"vscode", "windows", "APPDATA", "project:shop/.vscode/mcp.json user:other/Code/User/mcp.json user:other/Code - Insiders/User/mcp.json"},
		{"codex", "linux", "", "project:shop/.codex/config.toml user:home/.codex/config.toml"},
		{"codex", "linux", "CODEX_HOME", "project:shop/.codex/config.toml user:other/config.toml"},
		{"gemini", "linux", "", "project:shop/.gemini/settings.json user:home/.gemini/settings.json"},
		{"zed", "linux", "XDG_CONFIG_HOME", "project:shop/.zed/settings.json user:other/zed/settings.json"},
		{"zed", "darwin", "", "project:shop/.zed/settings.json user:home/.config/zed/settings.json"},
		{"zed", "windows", "", "project:shop/.zed/settings.json user:home/AppData/Roaming/Zed/settings.json"},
		{"opencode", "darwin", "", "project:shop/opencode.json project:shop/opencode.jsonc user:home/.config/opencode/opencode.jsonc user:home/.config/opencode/opencode.json"},
		{"crush", "windows", "LOCALAPPDATA", "project:shop/crush.json project:shop/.crush.json user:other/crush/crush.json"},
		{"crush", "linux", "", "project:shop/crush.json project:shop/.crush.json user:home/.config/crush/crush.json"},
		{"windsurf", "linux", "", "user:home/.codeium/windsurf/mcp_config.json"},
		{"cline", "linux", "", "user:home/.cline/data/settings/cline_mcp_settings.json user:home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		{"cline", "linux", "CLINE_MCP_SETTINGS_PATH", "user:other user:home/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
		{"goose", "linux", "", "user:home/.config/goose/config.yaml"},
		{"goose", "windows", "APPDATA", "user:other/Block/goose/config/config.yaml"},
		{"copilot-cli", "linux", "", "project:shop/.github/mcp.json project:shop/.mcp.json user:home/.copilot/mcp-config.json"},
		{"kiro", "linux", "", "project:shop/.kiro/settings/mcp.json user:home/.kiro/settings/mcp.json"},
		{"junie", "linux", "", "project:shop/.junie/mcp/mcp.json user:home/.junie/mcp/mcp.json"},
		{"lm-studio", "linux", "", "user:home/.lmstudio/mcp.json"},
		{"claude-desktop", "darwin", "", "user:home/Library/Application Support/Claude/claude_desktop_config.json"},
		{"claude-desktop", "windows", "APPDATA", "user:other/Claude/claude_desktop_config.json"},
		{"roo", "linux", "", "project:shop/.roo/mcp.json user:home/.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"},
		{"continue", "linux", "", "project:shop/.continue/mcpServers/blue.json project:shop/.continue/mcpServers/blue.yaml user:home/.continue/config.yaml"},
		{"amazon-q", "linux", "", "user:home/.aws/amazonq/mcp.json"},
	}
	for _, row := range rows {
		clear(env)
		env[row.variable] = filepath.Join(filepath.Dir(p.Home), "other")
		p.OS = row.system
		c, err := clients.Named(row.client)
		must(t, err)
		var got []string
		for _, f := range c.Files(p) {
			below, _ := filepath.Rel(filepath.Dir(p.Home), f.Path)
			got = append(got, string(f.Scope)+":"+filepath.ToSlash(below))
			if f.Exists {
				t.Errorf("%s exists", f.Path)
			}
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%s %s %s:\n got %s\nwant %s", row.client, row.system, row.variable, strings.Join(got, " "), row.want)
		}
	}
	for _, c := range clients.All() {
		for _, f := range c.Files(clients.Environment{OS: "linux"}) {
			t.Errorf("%s has %s without home and project", c.Name, f.Path)
		}
	}
}

// lay makes a home and a project with the files.
func lay(t testing.TB, files map[string]string) clients.Environment {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return clients.Environment{Home: filepath.Join(root, "home"), Project: filepath.Join(root, "shop"), OS: "linux"}
}

func TestTarget(t *testing.T) {
	const ours = `{"mcp": {"blue": {"type": "local", "command": ["blue", "mcp"]}}}`
	rows := []struct {
		client string
		scope  clients.Scope
		files  map[string]string
		want   string
	}{
		{"opencode", "", nil, "opencode.json"},
		{"opencode", clients.Project, map[string]string{"shop/opencode.jsonc": "{}"}, "opencode.jsonc"},
		{"opencode", "", map[string]string{"shop/opencode.json": "{}", "shop/opencode.jsonc": ours}, "opencode.jsonc"},
		{"opencode", "", map[string]string{"shop/opencode.json": "broken", "shop/opencode.jsonc": "{}"}, "opencode.json"},
		{"opencode", clients.User, nil, "opencode.jsonc"},
		{"windsurf", "", nil, "mcp_config.json"},
		{"claude-code", clients.User, nil, ".claude.json"},
		{"continue", "", nil, "blue.json"},
	}
	for _, row := range rows {
		c, _ := clients.Named(row.client)
		f, err := c.Target(lay(t, row.files), row.scope)
		if err != nil || filepath.Base(f.Path) != row.want {
			t.Errorf("%s %s: %s %v, want %s", row.client, row.scope, f.Path, err, row.want)
		}
	}
	for client, scope := range map[string]clients.Scope{"windsurf": clients.Project, "continue": clients.User, "cursor": "team", "claude-code": clients.Local} {
		c, _ := clients.Named(client)
		if f, err := c.Target(place(), scope); !errors.Is(err, errors.Invalid) {
			t.Errorf("%s %s: %s %v", client, scope, f.Path, err)
		}
	}
	c, _ := clients.Named("cursor")
	if f, err := c.Target(clients.Environment{Home: place().Home}, ""); !errors.Is(err, errors.Invalid) {
		t.Errorf("without a project: %s %v", f.Path, err)
	}
}

// A client is found by what it makes itself, not by a file of the project, which Blue may have written, nor by
// a directory of another client.
func TestFound(t *testing.T) {
	files := map[string]string{
		"home/.config/zed/keymap.json": "", "home/.cursor/argv.json": "", "home/.claude/projects": "", "shop/crush.json": "{}",
		"home/.gemini/config/mcp_config.json": "{}",
	}
	for _, want := range []string{"claude-code cursor zed antigravity", "claude-code cursor gemini zed antigravity"} {
		p := lay(t, files)
		var found []string
		for _, c := range clients.All() {
			if c.Found(p) {
				found = append(found, c.Name)
			}
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("found %s, want %s", got, want)
		}
		files["home/.gemini/settings.json"] = "{}"
	}
}

// TestSource holds what names the project for each client.
func TestSource(t *testing.T) {
	stdio := clients.Registered{Command: "blue", Args: []string{"mcp"}}
	remote := clients.Registered{URL: "http://127.0.0.1:7865/mcp"}
	carried := clients.Registered{URL: remote.URL, Headers: []string{"Blue-Project"}}
	queried := clients.Registered{URL: remote.URL + "?project_path=/srv"}
	rows := []struct {
		client string
		scope  clients.Scope
		entry  clients.Registered
		want   string
	}{
		{"claude-code", clients.Project, stdio, "roots"},
		{"claude-code", clients.Project, remote, "roots"},
		{"claude-desktop", clients.User, stdio, "argument"},
		{"claude-desktop", clients.User, clients.Registered{Command: "blue", Cwd: "/srv"}, "argument"},
		{"claude-desktop", clients.User, clients.Registered{Command: "blue", Args: []string{"mcp", "--project", "/srv"}}, "flag"},
		{"claude-desktop", clients.User, clients.Registered{Command: "blue", Env: []string{"BLUE_PROJECT"}}, "env"},
		{"codex", clients.User, stdio, "codex"},
		{"codex", clients.User, remote, "codex"},
		{"cursor", clients.User, stdio, "roots"},
		{"vscode", clients.Project, stdio, "roots"},
		{"gemini", clients.Project, stdio, "roots"},
		{"gemini", clients.User, stdio, "roots"},
		{"opencode", clients.User, stdio, "roots"},
		{"goose", clients.User, remote, "roots"},
		{"zed", clients.User, stdio, "cwd"},
		{"zed", clients.User, remote, "argument"},
		{"crush", clients.Project, stdio, "cwd"},
		{"crush", clients.Project, carried, "query"},
		{"copilot-cli", clients.User, stdio, "cwd"},
		{"cline", clients.User, stdio, "argument"},
		{"cline", clients.User, queried, "query"},
		{"cline", clients.User, clients.Registered{Command: "blue", Cwd: "/srv"}, "cwd"},
		{"roo", clients.Project, stdio, "cwd"},
		{"roo", clients.Project, carried, "query"},
		{"continue", clients.Project, stdio, "cwd"},
		{"kiro", clients.Project, stdio, "cwd"},
		{"kiro", clients.User, stdio, "argument"},
		{"amazon-q", clients.User, stdio, "cwd"},
		{"windsurf", clients.User, stdio, "argument"},
		{"junie", clients.Project, stdio, "argument"},
		{"lm-studio", clients.User, stdio, "argument"},
	}
	for _, row := range rows {
		c, _ := clients.Named(row.client)
		got := c.Source(row.scope, row.entry)
		if got.Name != row.want || got.OnlyCwd() != (row.want == "argument") || (got.Spawn == "") != (row.entry.URL != "") {
			t.Errorf("%s %s %+v: %+v, want %s", row.client, row.scope, row.entry, got, row.want)
		}
		warned := slices.ContainsFunc(c.Notes(row.scope, row.entry), func(n string) bool { return strings.Contains(n, "each call must pass cwd") })
		if warned != got.OnlyCwd() {
			t.Errorf("%s %s: notes %q", row.client, row.scope, c.Notes(row.scope, row.entry))
		}
		for _, n := range c.Notes(row.scope, row.entry) {
			if strings.Contains(n, "blue setup ") && strings.Contains(n, "--scope user") != (row.scope == clients.User) {
				t.Errorf("%s %s: the note %q names another scope", row.client, row.scope, n)
			}
		}
	}
}

var must = fixtures.Must
