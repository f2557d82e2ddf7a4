package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stateless is what a modern client sends with every request.
func stateless(roots bool) map[string]any {
	can := map[string]any{}
	if roots {
		can["roots"] = map[string]any{}
	}
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
		"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "modern", "version": "2"},
		"io.modelcontextprotocol/clientCapabilities": can,
	}
}

// modern sends a modern request and waits for the answer.
func (p *peer) modern(method string, params map[string]any) said {
	p.t.Helper()
	id := nextID()
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(string(line))
	return p.reply(id)
}

// modernCall calls a tool; extra members, such as inputResponses, stand beside the
// arguments.
func (p *peer) modernCall(tool string, roots bool, arguments, extra map[string]any) (o outcome, raw string) {
	p.t.Helper()
	params := map[string]any{"name": "blue_" + tool, "arguments": arguments, "_meta": stateless(roots)}
	for name, value := range extra {
		params[name] = value
	}
	m := p.modern("tools/call", params)
	if m.Error != nil {
		p.t.Fatalf("%s: %d %s", tool, m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &o); err != nil {
		p.t.Fatal(err)
	}
	return o, string(m.Result)
}

func withRoots(dirs ...string) map[string]any {
	var roots []any
	for _, dir := range dirs {
		roots = append(roots, map[string]any{"uri": "file://" + strings.ReplaceAll(dir, " ", "%20")})
	}
	return map[string]any{"inputResponses": map[string]any{"roots": map[string]any{"roots": roots}}}
}

// Roots by a second attempt.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	first, raw := p.modernCall("where", true, args(), nil)
	var shape map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(raw), &shape))
	asked := map[string]struct{ Method string }{}
	_ = json.Unmarshal(shape["inputRequests"], &asked) // checked by what it holds
	if first.ResultType != "input_required" || len(asked) != 1 || asked["roots"].Method != "roots/list" || shape["requestState"] != nil || len(first.Content) != 0 {
		t.Errorf("%s", raw)
	}
	o, raw := p.modernCall("where", true, args(), withRoots(base+"/shop"))
	expect(t, "second pass", o, "roots:shop")
	if o.ResultType != "complete" {
		t.Errorf("%s", raw)
	}
	o, _ = p.modernCall("where", true, args(), nil)
	if o.ResultType != "input_required" {
		t.Error("the roots of an earlier request were remembered")
	}
	o, _ = p.modernCall("list", false, args(), nil)
	expect(t, "no roots", o, "no_project")
	for _, responses := range []map[string]any{{}, {"other": map[string]any{"roots": []any{}}}} {
		o, _ = p.modernCall("list", true, args(), map[string]any{"inputResponses": responses})
		expect(t, "no answer", o, "no_project")
		if got := strings.Join(o.outcomeOf("roots"), " "); got != "no_answer" {
			t.Errorf("%q", got)
		}
	}
	extra := withRoots(base + "/other")
	extra["requestState"] = "whatever"
	o, _ = p.modernCall("list", true, args(), extra)
	expect(t, "unexpected state", o, "roots:other")
	o, _ = p.modernCall("list", true, args("cwd", base+"/shop"), nil)
	expect(t, "with cwd", o, "argument:shop")
	m := p.modern("tools/call", map[string]any{"name": "blue_list", "arguments": args(), "_meta": stateless(true), "inputResponses": map[string]any{"roots": "x"}})
	if m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("%+v", m)
	}
	if p.asks() != 0 {
		t.Error("a modern client was sent a request")
	}
}

// A write through the round trip makes one note, none in the first pass.
func TestRoundTripWrites(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	notes := func() int {
		names, err := filepath.Glob(base + "/other/.blue/*/*.md")
		must(t, err)
		return len(names)
	}
	a := args("body", "text", "title", "One")
	if o, _ := p.modernCall("write", true, a, nil); o.ResultType != "input_required" || notes() != 0 {
		t.Errorf("after the first pass: %d notes", notes())
	}
	if locks, _ := filepath.Glob(base + "/*/.blue/.lock"); len(locks) != 0 {
		t.Errorf("the lock was taken: %v", locks)
	}
	o, _ := p.modernCall("write", true, a, withRoots(base+"/other"))
	expect(t, "write in the second pass", o, "roots:other")
	if notes() != 1 {
		t.Errorf("%d notes", notes())
	}
}

// Only calls ask for roots: there is no session to bind.
func TestModernKeepsNothing(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	for _, method := range []string{"tools/list", "server/discover"} {
		if m := p.modern(method, map[string]any{"_meta": stateless(true)}); m.Error != nil || strings.Contains(string(m.Result), "input_required") {
			t.Errorf("%s: %+v", method, m)
		}
	}
	o, _ := p.modernCall("use", false, args("cwd", base+"/shop"), nil)
	if first, _, _ := strings.Cut(o.text(), "\n"); o.StructuredContent.Error != "no_session" || first != "blue_use has no session to change on this connection. Pass 'cwd' on every call." {
		t.Errorf("%s", o.text())
	}
	o, _ = p.modernCall("list", false, args(), nil)
	expect(t, "after use without a session", o, "no_project")
	p.open(`{}`) // after discover
	expect(t, "use in a session", p.call("use", args("cwd", base+"/shop")), "use:shop")
	expect(t, "list in the session", p.call("list", args()), "use:shop")
	o, _ = p.modernCall("list", false, args(), nil)
	expect(t, "list beside the session", o, "no_project")
	if m := p.modern("ping", map[string]any{"_meta": stateless(false)}); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("%+v", m)
	}
}

// A reply depends on its request alone.
func TestModernRepliesDoNotDependOnOthers(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	reply := func(p *peer) string {
		_, raw := p.modernCall("search", false, args("query", "webhook", "cwd", base+"/shop"), nil)
		return raw
	}
	want := reply(w.start(t))
	p := w.start(t)
	p.open(`{"roots":{}}`)
	for i := range 100 {
		switch i % 4 {
		case 0:
			p.call("use", args("cwd", base+"/other"))
		case 1:
			p.modernCall("list", true, args(), withRoots(base+"/my proj"))
		case 2:
			p.modernCall("search", false, args("query", fmt.Sprint("deploy ", i), "cwd", base+"/shop"), nil)
		case 3:
			p.modernCall("where", true, args(), nil)
		}
	}
	if got := reply(p); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The directory that Codex sends holds for its call. One call follows the
// other in the same process.
func TestCodex(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = base + "/other"
	p := w.start(t)
	p.open(`{}`)
	state := func(dir any) map[string]any {
		return map[string]any{codexKey: map[string]any{"sandboxCwd": dir}}
	}
	plugin := w.home + "/.codex/plugins/cache/x"
	must(t, os.MkdirAll(plugin+"/.blue", 0o755))
	for _, test := range []struct {
		name, want, outcome string
		meta                map[string]any
	}{
		{"URI", "codex:my proj", "used", state("file://" + base + "/my%20proj/sub")},
		{"path", "codex:shop", "used", state(base + "/shop")},
		{"no state", "cwd:other", "absent", nil},
		{"empty state", "cwd:other", "absent", map[string]any{codexKey: map[string]any{}}},
		{"state is a string", "cwd:other", "unusable", map[string]any{codexKey: "x"}},
		{"state is a list", "cwd:other", "unusable", map[string]any{codexKey: []any{base + "/shop"}}},
		{"directory is a number", "cwd:other", "unusable", state(7)},
		{"cache of plugins", "cwd:other", "junk", state(plugin)},
		{"no marker", "cwd:other", "no_marker", state(base + "/elsewhere")},
	} {
		all := stateless(false)
		maps.Copy(all, test.meta)
		var modern outcome
		must(t, json.Unmarshal(p.modern("tools/call", map[string]any{"name": "blue_where", "arguments": args(), "_meta": all}).Result, &modern))
		for _, o := range []outcome{p.outcome(p.askMeta("where", args(), test.meta)), modern} {
			expect(t, test.name, o, test.want)
			if got := strings.Join(o.outcomeOf("codex"), " "); got != test.outcome {
				t.Errorf("%s: %v: codex is %s, want %s", test.name, test.meta, got, test.outcome)
			}
		}
	}
}
