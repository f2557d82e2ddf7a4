package clients_test

import (
	"strings"
	"testing"

	"blue/blue/internal/clients"
	"blue/errors"
)

// TestRefused lists what is left alone, and the place that the error names.
func TestRefused(t *testing.T) {
	rows := []struct{ client, text, where string }{
		{"cursor", "{\n  \"a\": 1,\n  \"a\": 2\n}", `line 3: the key "a" stands there twice`},
		{"cursor", "{\"mcpServers\": {\"x\": {\"k\": 1, \"\\u006b\": 2}}}", `the key "k" stands there twice`},
		{"cursor", "{\n\"a\": 1,\n}", "line 3: a comma before '}'"},
		{"gemini", "{\n\"a\": [1,] // x\n}", "line 2: a comma before ']'"},
		{"cursor", "// x\n{}", "line 1: this client takes no comments here"},
		{"cursor", "{}\n\n{}", "line 3: invalid character '{' after top-level value"},
		{"cursor", "[]", "line 1: an object is expected"},
		{"cursor", "{\"mcpServers\":\n[]}", `line 2: the value of "mcpServers" is not an object`},
		{"cursor", "{\"mcpServers\": {\n\"blue\": []}}", `line 2: the value of "blue" is not an object`},
		{"cursor", "{\"mcpServers\": {\n\"blue\": null}}", `line 2: the value of "blue" is not an object`},
		{"cursor", "{\"a\" 1}", "line 1: invalid character '1' after object name"},
		{"cursor", "{\"a\": 1 \"b\": 2}", "expecting ',' or '}'"},
		{"cursor", "{a: 1}", "line 1: invalid literal"},
		{"cursor", "{\"a\": 01}", "line 1: invalid literal"},
		{"cursor", "{\"a\": \"\\x\"}", "line 1: invalid literal"},
		{"cursor", "{\"a\": \"", "line 1: parsing string: unexpected EOF"},
		{"vscode", "{ /* ", "line 1: parsing comment: unexpected EOF"},
		{"cursor", "{\"a\": \"\n\xff\"}", "line 2: not UTF-8"},
		{"cursor", "\xff\xfe{\x00}\x00", "line 1: not UTF-8"},
		{"codex", "a = 1\na = 2\n", "line 2"},
		{"codex", "[x\n", "line 1"},
		{"codex", "\nmcp_servers = {}\n", "its form cannot be extended"},
		{"codex", "[mcp_servers]\nblue = { command = 'blue' }\n", "stands outside of the table"},
		{"vscode", "{\"servers\": 1}", `line 1: the value of "servers" is not an object`},
	}
	for _, row := range rows {
		c, _ := clients.Named(row.client)
		f := writable(t, c)[c.Scopes()[0]]
		after, err := f.Edit([]byte(row.text), stdio)
		if !errors.Is(err, errors.Untouched) || !strings.Contains(err.Error(), row.where) || !strings.Contains(err.Error(), f.Path) {
			t.Errorf("%s %q: %v, %q; want %s", row.client, row.text, err, after, row.where)
		}
	}
}

// TestForeign: a server of somebody else under our name is neither replaced
// nor removed, and its arguments, which may hold secrets, are not shown.
func TestForeign(t *testing.T) {
	for _, text := range []string{
		`{"mcpServers": {"blue": {"command": "/opt/bluetooth", "args": ["--key", "s3cret"]}}}`,
		`{"mcpServers": {"blue": {"url": "https://blue.example/sse?key=s3cret"}}}`,
	} {
		c, _ := clients.Named("cursor")
		f := writable(t, c)[clients.Project]
		_, edit := f.Edit([]byte(text), stdio)
		_, remove := f.Remove([]byte(text))
		for _, err := range []error{edit, remove} {
			if !errors.Is(err, errors.Exists) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

// TestNoSecretShown: the error of a text that does not parse repeats nothing of it.
func TestNoSecretShown(t *testing.T) {
	c, _ := clients.Named("cursor")
	f := writable(t, c)[clients.Project]
	for _, text := range []string{`{"token": "s3cret\x"}`, `{"token": s3cret}`, `{"token": "s3cret`, "{\"token\": \"s3cret\n\"}", `{"token": "a" s3cret}`} {
		if _, err := f.Edit([]byte(text), stdio); !errors.Is(err, errors.Untouched) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestReadOnly: files that doctor reads and setup leaves to others.
func TestReadOnly(t *testing.T) {
	refused := 0
	for _, c := range clients.All() {
		for _, f := range c.Files(place()) {
			if target, err := c.Target(place(), f.Scope); err == nil && target.Format == f.Format {
				continue
			}
			refused++
			if _, err := f.Edit(nil, stdio); err == nil {
				t.Errorf("%s was edited", f.Path)
			}
			if _, err := f.Remove([]byte("{}")); !errors.Is(err, errors.Untouched) && !errors.Is(err, errors.Invalid) {
				t.Errorf("%s: %v", f.Path, err)
			}
		}
	}
	if refused != 3 { // Claude Code's local entries, the two lists of Continue
		t.Errorf("%d files", refused)
	}
	p := lay(t, map[string]string{"shop/.mcp.json": `{"mcpServers": {"blue": {"type": "stdio", "command": "blue", "args": ["mcp"]}}}`})
	c, _ := clients.Named("copilot-cli")
	if f, err := c.Target(p, ""); err != nil || !strings.HasSuffix(f.Path, "mcp.json") || strings.HasSuffix(f.Path, ".mcp.json") {
		t.Errorf("the target is the file that Claude Code writes: %s %v", f.Path, err)
	}
}

// TestBare: a project file of Copilot without the usual container.
func TestBare(t *testing.T) {
	c, _ := clients.Named("copilot-cli")
	f := writable(t, c)[clients.Project]
	const bare = "{\n  \"github\": {\"type\": \"http\", \"url\": \"https://x.example/mcp\"}\n}\n"
	put, err := f.Edit([]byte(bare), stdio)
	if err != nil || strings.Contains(string(put), "mcpServers") || !strings.Contains(string(put), "\n  \"blue\": {\n") {
		t.Errorf("%v\n%s", err, put)
	}
	if back, err := f.Remove(put); err != nil || string(back) != bare {
		t.Errorf("%v\n%s", err, back)
	}
	put, err = f.Edit([]byte(`{"$schema": "x"}`), stdio)
	if err != nil || !strings.Contains(string(put), "mcpServers") {
		t.Errorf("%v\n%s", err, put)
	}
}

// TestWays holds what an entry may not be.
func TestWays(t *testing.T) {
	rows := []struct {
		client string
		scope  clients.Scope
		entry  clients.Entry
		want   errors.Kind
	}{
		{"claude-desktop", clients.User, http, errors.Invalid},
		{"zed", clients.Project, http, errors.SecretDetected},
		{"zed", clients.Project, clients.Entry{URL: http.URL}, ""},
		{"claude-code", clients.User, stdio, errors.Invalid},
		{"cursor", clients.Project, http, ""},
	}
	for _, row := range rows {
		c, _ := clients.Named(row.client)
		f, _ := c.Target(place(), row.scope)
		after, err := f.Edit(nil, row.entry)
		if row.want == "" && err != nil || row.want != "" && !errors.Is(err, row.want) {
			t.Errorf("%s %s: %v", row.client, row.scope, err)
		}
		if f.Scope == clients.Project && strings.Contains(string(after), http.Token) {
			t.Errorf("%s: the token stands in a committed file:\n%s", row.client, after)
		}
	}
}

// TestNoTokenCommitted: whatever the client, a project's file never holds the token.
func TestNoTokenCommitted(t *testing.T) {
	for _, c := range clients.All() {
		for scope, f := range writable(t, c) {
			printed, err := f.Print(http)
			if scope == clients.Project && err == nil && strings.Contains(printed.Entry+printed.Command, http.Token) {
				t.Errorf("%s: %+v", c.Name, printed)
			}
			if strings.Contains(printed.Command, http.Token) {
				t.Errorf("%s: a token in a command line stays in the shell's history: %s", c.Name, printed.Command)
			}
		}
	}
}

func TestPrint(t *testing.T) {
	rows := []struct {
		client string
		scope  clients.Scope
		entry  clients.Entry
		want   string
	}{
		{"claude-code", clients.Project, stdio, "claude mcp add --scope project blue -- blue mcp"},
		{"claude-code", clients.User, stdio, "claude mcp add --scope user blue -- /opt/blue/bin/blue mcp"},
		{"claude-code", clients.User, http, "claude mcp add --transport http --scope user --header 'Authorization: Bearer ${BLUE_TOKEN}' blue http://127.0.0.1:7865/mcp"},
		{"vscode", clients.User, stdio, `code --add-mcp '{"name": "blue", "command": "/opt/blue/bin/blue", "args": ["mcp"]}'`},
		{"copilot-cli", clients.User, stdio, "copilot mcp add blue -- /opt/blue/bin/blue mcp"},
		{"gemini", clients.Project, stdio, "gemini mcp add -s project blue blue mcp"},
		{"gemini", clients.User, http, "gemini mcp add -s user -t http -H 'Authorization: Bearer ${BLUE_TOKEN}' blue http://127.0.0.1:7865/mcp"},
		{"opencode", clients.User, stdio, "opencode mcp add blue -- /opt/blue/bin/blue mcp"},
		{"opencode", clients.User, http, "opencode mcp add blue --url http://127.0.0.1:7865/mcp --header 'Authorization=Bearer {env:BLUE_TOKEN}'"},
		{"cline", clients.User, stdio, "cline mcp install blue --yes -- /opt/blue/bin/blue mcp"},
		{"kiro", clients.Project, stdio, "kiro-cli mcp add --name blue --scope workspace --command blue --args mcp"},
		{"zed", clients.User, stdio, ""},
		{"cline", clients.User, clients.Entry{Command: "/it's here/blue"}, `cline mcp install blue --yes -- '/it'\''s here/blue' mcp`},
	}
	for _, row := range rows {
		c, _ := clients.Named(row.client)
		f, _ := c.Target(place(), row.scope)
		got, err := f.Print(row.entry)
		if err != nil || got.Command != row.want || !strings.Contains(got.Entry, "blue") {
			t.Errorf("%s %s: %v\n got %s\nwant %s\n%s", row.client, row.scope, err, got.Command, row.want, got.Entry)
		}
		if (got.Remove != "") != f.PrintOnly {
			t.Errorf("%s: remove %q", row.client, got.Remove)
		}
	}
}
