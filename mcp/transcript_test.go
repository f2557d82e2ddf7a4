package mcp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"blue/fixtures"
)

// TestTranscripts replays what real clients say, in the directory and with the
// environment that they give a server.
func TestTranscripts(t *testing.T) {
	for _, test := range []struct {
		name string
		dir  string // spawn directory below the fixture; "~" is the home directory
		env  map[string]string
		want map[string]string // request id → source and project, or the kind of the failure
		asks int               // requests for roots
	}{
		{name: "opencode", dir: "my proj/sub"},
		{name: "gemini-cli", dir: "my proj/sub"},
		{name: "gemini-cli-list", dir: "my proj/sub"},
		{name: "mcp-inspector", dir: "elsewhere", want: map[string]string{"3": "none"}, asks: 1},
		{name: "mcp-inspector-modern", dir: "elsewhere", want: map[string]string{"1": "ask", "2": "roots:my proj"}},
		{name: "codex", dir: "elsewhere", want: map[string]string{"2": "codex:my proj"}},
		{name: "codex-modern", dir: "elsewhere", want: map[string]string{"2": "codex:my proj"}},
		{name: "claude-code-2.1.19.constructed", dir: "shop/api", asks: 1,
			want: map[string]string{"2": "cwd:shop", "3": "argument:shop", "4": "cwd:shop"}},
		{name: "claude-code-2.1.19.constructed", dir: "elsewhere", asks: 1, env: map[string]string{"CLAUDE_PROJECT_DIR": "/home/dev/other"},
			want: map[string]string{"2": "CLAUDE_PROJECT_DIR:other", "3": "argument:shop", "4": "CLAUDE_PROJECT_DIR:other"}},
		{name: "claude-code-2.1.278.constructed", dir: "shop", env: map[string]string{"CLAUDE_PROJECT_DIR": "/home/dev/shop"}, asks: 2,
			want: map[string]string{"2": "roots:shop", "3": "roots:shared lib", "4": "argument:shop", "5": "roots:shared lib"}},
		{name: "codex.constructed", dir: "elsewhere",
			want: map[string]string{"2": "codex:shop", "3": "codex:my proj", "4": "codex:shop", "5": "none", "6": "argument:other"}},
		{name: "cursor.constructed", dir: "~", env: map[string]string{"WORKSPACE_FOLDER_PATHS": "/home/dev/shop,/home/dev/other"}, asks: 1,
			want: map[string]string{"2": "none", "3": "argument:shop", "4": "no_project"}},
		{name: "vscode.constructed", dir: "~", asks: 2,
			want: map[string]string{"3": "roots:shop", "4": "several_projects", "5": "argument:other", "6": "roots:other"}},
		{name: "stateless-2026-07-28.constructed", dir: "elsewhere",
			want: map[string]string{"2": "ask", "3": "roots:my proj", "4": "ask", "5": "none", "6": "argument:shop", "7": "none"}},
	} {
		t.Run(test.name+" in "+test.dir, func(t *testing.T) {
			t.Parallel()
			base := filepath.ToSlash(fixtures.Project(t, "shop"))
			w := newWorld(t, filepath.Join(base, test.dir))
			if test.dir == "~" {
				w.dir = w.home
			}
			for name, value := range test.env {
				w.env[name] = strings.ReplaceAll(value, "/home/dev", base)
			}
			p := w.start(t)
			replay(t, p, fixtures.Transcript(t, test.name, base))
			for id, want := range test.want {
				o := p.outcome(id)
				got := o.source()
				if o.ResultType == "input_required" {
					got = "ask"
				}
				if got != want {
					t.Errorf("call %s: got %s, want %s\n%s", id, got, want, o.text())
				}
			}
			if p.asks() != test.asks {
				t.Errorf("%d requests for roots, want %d", p.asks(), test.asks)
			}
		})
	}
}

// replay says the lines of a transcript: each line once what came before is answered.
func replay(t *testing.T, p *peer, lines []json.RawMessage) {
	t.Helper()
	var pending []string
	answered, asked := 0, 0
	settled := func() bool { // all answered, or the server waits for us
		open := 0
		for _, id := range pending {
			if _, ok := p.replies[id]; !ok {
				open++
			}
		}
		return open == 0 || len(p.asked) > answered
	}
	for _, line := range lines {
		var m said
		must(t, json.Unmarshal(line, &m))
		p.wait("earlier answers before "+string(line), settled)
		switch {
		case m.Result != nil:
			asked++
			if p.asks() >= asked {
				p.answer(asked, `"result":`+string(m.Result))
				answered = asked
			}
			continue
		case m.Method == "tools/call":
			line = json.RawMessage(strings.Replace(string(line), `"name":"where"`, `"name":"blue_where"`, 1))
		}
		p.send(string(line))
		if len(m.ID) > 0 && m.Method != "subscriptions/listen" {
			pending = append(pending, string(m.ID))
		}
	}
	p.wait("all answers", func() bool {
		for _, id := range pending {
			if _, ok := p.replies[id]; !ok {
				return false
			}
		}
		return true
	})
}
