package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Past sessions are told on standard input and output, and never over HTTP, whatever
// the call asks for.
func TestSessionsAreNotToldOverHTTP(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	line, err := json.Marshal(map[string]any{"type": "user", "cwd": base + "/shop", "timestamp": "2026-03-01T10:00:00Z",
		"message": map[string]string{"role": "user", "content": "the astrolabe needs polish"}})
	must(t, err)
	file := filepath.Join(w.home, ".claude", "projects", "shop", "aaaa.jsonl")
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.WriteFile(file, append(line, '\n'), 0o600))
	must(t, w.options(t).Blue.SwitchSessions(true))
	in := func(names ...string) map[string]any {
		return args("cwd", base+"/shop", "query", "astrolabe", "in", names)
	}
	const told = "claude-code/aaaa#1"
	p := w.start(t)
	p.open(`{}`)
	for _, call := range []map[string]any{in("sessions"), in("all"), in("notes", "sessions"), args("cwd", base+"/shop", "query", "astrolabe")} {
		if o := p.call("search", call); !strings.Contains(o.text(), told) {
			t.Errorf("%v on stdio: %s", call, o.text())
		}
	}
	v := w.serve(t, base, HTTP{}).visit(`{}`)
	if o := v.call("search", in("sessions")); o.source() != "denied" || strings.Contains(o.text(), "astrolabe needs") {
		t.Errorf("by name over HTTP: %s", o.text())
	}
	for _, call := range []map[string]any{in("all"), args("cwd", base+"/shop", "query", "astrolabe")} {
		if o := v.call("search", call); o.IsError || strings.Contains(o.text(), told) || strings.Contains(o.text(), "polish") {
			t.Errorf("%v over HTTP: %s", call, o.text())
		}
	}
	if o := v.call("where", args("cwd", base+"/shop")); strings.Contains(o.text(), "\nSessions: ") {
		t.Errorf("where over HTTP: %s", o.text())
	}
}
