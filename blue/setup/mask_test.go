package setup_test

import (
	"context"
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"blue/blue/setup"
	"blue/errors"
	"blue/fixtures"
)

// Setup writes the token that the server accepts, and shows none: neither that
// of the server, nor a former one that stands in a file, nor one that a quoted text
// spells in another way.
func TestSetupShowsNoToken(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"SECRETlaptop", `SECRET"lap\top`} {
		m := newMachine(t)
		m.server("4711")
		m.write(m.in("config", "blue", "token"), token+" # laptop\nSECRET # the start of the first\n", 0o600)
		path := m.in(".config", "zed", "settings.json")
		if runtime.GOOS == "windows" {
			path = m.in("AppData", "Roaming", "Zed", "settings.json")
		}
		former := `{"context_servers": {"blue": {"url": "http://127.0.0.1:1/mcp", "headers": {"Authorization": "Bearer FORMER"}}}}`
		m.write(path, former, 0o600)
		for _, r := range []setup.Registration{{Print: true}, {DryRun: true}, {}, {DryRun: true, Remove: true}} {
			r.Client, r.Scope = "zed", "user"
			if !r.Remove {
				r.HTTP = setup.Running
			}
			done, err := m.setup(r)
			must(t, err)
			m.hides(done.Text(), done)
			if (r.Print || r.DryRun) && !strings.Contains(done.Text(), "TOKEN stands for a token") {
				t.Errorf("%+v: nothing is said of the token:\n%s", r, done.Text())
			}
		}
		var written struct {
			Servers map[string]struct{ Headers map[string]string } `json:"context_servers"`
		}
		must(t, json.Unmarshal([]byte(m.read(path)), &written))
		if got := written.Servers["blue"].Headers["Authorization"]; got != "Bearer "+token {
			t.Errorf("the entry carries %q", got)
		}
		m.write(m.in(".cursor", "mcp.json"), `{"mcpServers": {"blue": {"command": "blue --header Bearer:SECRET", "args": ["mcp"]}}}`, 0o600)
		d, err := m.verbs().Doctor(context.Background(), m.call(m.project), "")
		must(t, err)
		m.hides(d.Text(), d)
		m.write(m.in(".codex", "config.toml"), "[mcp_servers.blue]\nurl = SECRET\n", 0o600)
		d, err = m.verbs().Doctor(context.Background(), m.call(m.project), "codex")
		must(t, err)
		m.hides(d.Text(), d)
		if _, err = m.setup(setup.Registration{Client: "codex", Scope: "user"}); err == nil {
			t.Error("broken TOML was edited")
		}
		m.hides(errors.Of(err).Text(), errors.Of(err))
	}
}

// hides wants no token in what is shown, as text and as JSON.
func (m *machine) hides(text string, value any) {
	m.t.Helper()
	data, err := json.Marshal(value)
	must(m.t, err)
	if all := text + string(data); strings.Contains(all, "SECRET") || strings.Contains(all, "FORMER") {
		m.t.Errorf("a token is shown:\n%s\n%s", text, data)
	}
}

// A token that the server would refuse is not handed out, and still not shown.
func TestTokenOpenToOthers(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes of Unix")
	}
	m := newMachine(t)
	m.server("4711")
	m.write(m.in("config", "blue", "token"), "SECRET\n", 0o644)
	_, err := m.setup(setup.Registration{Client: "zed", Scope: "user", HTTP: setup.Running})
	if !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), "open to other users") {
		t.Errorf("setup says %v", err)
	}
	path := m.in(".config", "zed", "settings.json")
	m.write(path, `{"context_servers": {"blue": {"url": "http://127.0.0.1:1/mcp", "headers": {"X": "SECRET"}}}}`, 0o600)
	done, err := m.setup(setup.Registration{Client: "zed", Scope: "user", DryRun: true, Remove: true})
	must(t, err)
	m.hides(done.Text(), done)
}

// A token that begins where doctor cuts a long command is not shown in part.
func TestTokenAtTheCut(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write(m.in("config", "blue", "token"), "SECRETlaptop\n", 0o600)
	m.write(m.in(".cursor", "mcp.json"), `{"mcpServers": {"blue": {"command": "`+strings.Repeat("x", 190)+`SECRETlaptop"}}}`, 0o600)
	d, err := m.verbs().Doctor(context.Background(), m.call(m.project), "cursor")
	must(t, err)
	m.hides(d.Text(), d)
}

var must = fixtures.Must
