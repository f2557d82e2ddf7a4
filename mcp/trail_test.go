package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/fixtures"
)

// From the debug log alone one can tell what the client sent, which roots it has and
// when they changed, which source won with which value, and why the others did not.
func TestDebugLogExplainsDetection(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	var log lockedBuffer
	w.log = &log
	p := w.start(t)
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{"listChanged":true},"odd":{"x":1}},` +
		`"clientInfo":{"name":"peer","version":"7"},"roots":[{"uri":"file://` + base + `/other"}]}}`)
	p.reply(0)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	id := p.ask("list", args())
	p.answer(1, rootsResult(base+"/shop"))
	p.outcome(id)
	p.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	id = p.ask("list", args())
	p.answer(2, `"error":{"code":-32601,"message":"none\u001b"}`)
	p.outcome(id)
	text := log.String()
	for _, want := range []string{
		`msg=initialize .*client=peer/7 protocol=2025-11-25 capabilities="{\"odd\":{\"x\":1},\"roots\":{\"listChanged\":true}}" mcp_root="{\"roots\":[{\"uri\":\"file://` + base + `/other\"}]}" failed=false`,
		`msg="roots/list sent"`,
		`msg="roots/list answered" .*mcp_root=file://` + base + `/shop`,
		`msg=detected .*project=` + filepath.FromSlash(base+"/shop") + ` source=roots`,
		`msg="source used" .*source=roots mcp_root=file://` + base + `/shop`,
		`msg="sources absent" .*sources=argument,use,flag,codex`,
		`msg=roots/list_changed`,
		`msg="roots/list answered" .*mcp_root="no_answer .*none`,
		`msg="source not used" .*source=roots mcp_root="" outcome=no_answer`,
		`msg="source used" .*source=initialize mcp_root=file://` + base + `/other`,
	} {
		if !inOneLine(text, strings.Split(want, " .*")...) {
			t.Errorf("the log lacks %s", want)
		}
	}
	if strings.Contains(text, "\x1b") || strings.Contains(text, "outcome=absent") {
		t.Errorf("the log shows a control character, or a line for an absent source:\n%s", text)
	}
	if t.Failed() {
		t.Log(text)
	}
}

// The debug log says "detected" of a project that was found alone, that the roots were
// answered of a client that has answered alone, and nothing of connections but the beginning
// and the end of each session.
func TestDebugLogSaysWhatHappened(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	base, w := scene(t)
	var log lockedBuffer
	w.log = &log
	p := w.start(t)
	p.open(`{"roots":{}}`)
	p.call("list", args("cwd", base+"/nowhere"))
	p.ask("list", args())
	p.wait("roots/list", func() bool { return len(p.asked) > 0 })
	p.close()
	for _, last := range []string{`"roots/list not answered"`, `"session ended"`} { // written beside the end of Serve
		within(t, "written "+last, func() bool { return inOneLine(log.String(), last) })
	}
	text := log.String()
	for _, want := range []string{`msg="not detected" .*error=not_detected`, `msg="roots/list sent"`} {
		if !inOneLine(text, strings.Split(want, " .*")...) {
			t.Errorf("the log lacks %s", want)
		}
	}
	if inOneLine(text, "msg=detected ", "error=") || inOneLine(text, `"roots/list answered"`) || strings.Count(text, "connect") > 1 || strings.Count(text, `"session ended"`) != 1 || strings.Contains(text, "answered with the error") {
		t.Errorf("the log says what did not happen")
	}
	if t.Failed() {
		t.Log(text)
	}
}

func inOneLine(text string, parts ...string) bool {
	for line := range strings.Lines(text) {
		found := true
		for _, part := range parts {
			found = found && strings.Contains(line, part)
		}
		if found {
			return true
		}
	}
	return false
}

// blue_where shows the capabilities that the client sent, in both eras.
func TestCapabilitiesAsSent(t *testing.T) {
	t.Parallel()
	_, w := scene(t)
	for _, sent := range []string{`{}`, `{"roots":{}}`, `{"roots":{"listChanged":true},"x.example/own":{"a":[1]}}`, `{"elicitation":{}}`} {
		var want any
		must(t, json.Unmarshal([]byte(sent), &want))
		p := w.start(t)
		p.open(sent)
		id := p.ask("where", args())
		if strings.Contains(sent, "roots") {
			p.answer(1, rootsResult())
		}
		legacy := p.outcome(id)
		modern := p.outcome(p.askMeta("where", args("cwd", w.dir), map[string]any{
			"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": want,
		}))
		for era, o := range map[string]outcome{"legacy": legacy, "modern": modern} {
			if got := o.StructuredContent.Client["capabilities"]; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v, want %s", era, got, sent)
			}
		}
	}
}

// Without a project blue_where has the trace once, and the next steps.
func TestWhereWithoutProject(t *testing.T) {
	t.Parallel()
	_, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	id := p.ask("where", args())
	o := p.outcome(id)
	m := p.reply(id)
	if n := strings.Count(string(m.Result), `"trace"`); n != 1 {
		t.Errorf("%d traces in %s", n, m.Result)
	}
	if !strings.HasPrefix(o.text(), "Blue project not found. ") || !strings.Contains(o.text(), "\nhint: pass cwd: ") {
		t.Errorf("%s", o.text())
	}
	if strings.Count(o.text(), "Process cwd:") != 1 {
		t.Errorf("%s", o.text())
	}
}

// A session whose root is gone does not write to the project of the process; reads
// say where their answer comes from. The same when the client does not tell its roots any
// more.
func TestRootOfTheSessionIsGone(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(base string, p *peer){
		"deleted": func(base string, p *peer) {
			must(t, os.RemoveAll(base+"/shop"))
		},
		"not told": func(base string, p *peer) {
			p.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
			go p.answer(2, `"error":{"code":-32603,"message":"broken"}`)
		},
		"told to be none": func(base string, p *peer) {
			p.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
			go p.answer(2, rootsResult())
		},
	} {
		base, w := scene(t)
		w.dir = base + "/other"
		p := w.start(t)
		p.open(`{"roots":{}}`)
		id := p.ask("list", args())
		p.answer(1, rootsResult(base+"/shop"))
		expect(t, name, p.outcome(id), "roots:shop")
		lose(base, p)
		before := len(notes(base + "/other"))
		for tool, a := range map[string]map[string]any{
			"write": args("title", "x", "body", "x"), "edit": args("id", "x", "append", "y"), "remove": args("id", "x"),
		} {
			o := p.call(tool, a)
			expect(t, name+", "+tool, o, "not_detected")
			if !strings.HasPrefix(o.text(), "nothing was changed: this session worked in the project at "+base+"/shop, and now leads to the one at "+base+"/other\n") || !strings.Contains(o.text(), "pass cwd: "+base+"/other if that project is meant") {
				t.Errorf("%s: %s", name, o.text())
			}
		}
		if after := len(notes(base + "/other")); after != before {
			t.Errorf("%s: %d notes, %d before", name, after, before)
		}
		o := p.call("list", args())
		expect(t, name+", list", o, "cwd:other")
		if !strings.Contains(o.text(), "Warning: this session worked in the project at "+base+"/shop before; cwd leads to this one now") {
			t.Errorf("%s: %s", name, o.text())
		}
		expect(t, name+", write with cwd", p.call("write", args("title", "x", "body", "x", "cwd", base+"/other")), "argument:other")
	}
}

// A session whose project is gone does not write to the project above it, however it was named
// and by every door.
func TestWriteStaysOutOfTheProjectAbove(t *testing.T) {
	t.Parallel()
	type caller func(tool string, arguments map[string]any) outcome
	session := func(capabilities string) func(t *testing.T, w world, pkg string) caller {
		return func(t *testing.T, w world, pkg string) caller {
			p := w.start(t)
			p.open(capabilities)
			return p.call
		}
	}
	for name, door := range map[string]func(t *testing.T, w world, pkg string) caller{
		"cwd":                session(`{}`),
		"flag":               session(`{}`),
		"env":                session(`{}`),
		"CLAUDE_PROJECT_DIR": session(`{}`),
		"roots": func(t *testing.T, w world, pkg string) caller {
			p := w.start(t)
			p.open(`{"roots":{}}`)
			go p.answer(1, rootsResult(pkg))
			return p.call
		},
		"use": func(t *testing.T, w world, pkg string) caller {
			p := w.start(t)
			p.open(`{}`)
			expect(t, "use", p.call("use", args("cwd", pkg)), "use:pkg")
			return p.call
		},
		"argument": func(t *testing.T, w world, pkg string) caller {
			p := w.start(t)
			p.open(`{}`)
			return func(tool string, arguments map[string]any) outcome {
				if arguments["cwd"] == nil {
					arguments["cwd"] = pkg
				}
				return p.call(tool, arguments)
			}
		},
		"cwd without a session": func(t *testing.T, w world, pkg string) caller {
			p := w.start(t)
			return func(tool string, arguments map[string]any) (o outcome) {
				m := p.modern("tools/call", map[string]any{"name": "blue_" + tool, "arguments": arguments, "_meta": stateless(false)})
				if err := json.Unmarshal(m.Result, &o); err != nil {
					t.Errorf("%v: %s", err, m.Result)
				}
				return o
			}
		},
		"query": func(t *testing.T, w world, pkg string) caller {
			v := w.serve(t, filepath.Dir(pkg), HTTP{}).visit(`{}`)
			v.path = projectPath(pkg)
			return func(tool string, arguments map[string]any) outcome { return v.call(tool, arguments) }
		},
		"query without a session": func(t *testing.T, w world, pkg string) caller {
			s := w.serve(t, filepath.Dir(pkg), HTTP{})
			return func(tool string, arguments map[string]any) outcome {
				return outcomeOf(t, s.ask(alone{method: "tools/call", path: projectPath(pkg), params: map[string]any{"name": "blue_" + tool, "arguments": arguments}}))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, w := scene(t)
			outer, pkg := base+"/outer", base+"/outer/pkg"
			for _, dir := range []string{outer, pkg} {
				must(t, os.MkdirAll(dir+"/.blue", 0o755))
			}
			source, _, _ := strings.Cut(name, " ")
			switch source {
			case "cwd":
				w.dir = pkg
			case "flag":
				w.project = pkg
			case "env":
				w.env["BLUE_PROJECT"] = pkg
			case "CLAUDE_PROJECT_DIR":
				w.env[source] = pkg
			}
			call := door(t, w, pkg)
			expect(t, name, call("write", args("title", "a", "body", "a")), source+":pkg")
			must(t, os.RemoveAll(pkg+"/.blue"))
			expect(t, name, call("list", args()), source+":outer")
			for tool, a := range map[string]map[string]any{
				"write": args("title", "x", "body", "x"), "edit": args("id", "x", "append", "y"), "remove": args("id", "x"),
			} {
				o := call(tool, a)
				expect(t, name, o, "not_detected")
				if !strings.HasPrefix(o.text(), "nothing was changed: this session worked in the project at "+pkg+", and now leads to the one at "+outer+"\n") {
					t.Error(o.text())
				}
			}
			if o := call("where", args()); o.source() != source+":outer" || !strings.Contains(o.text(), "this session worked in the project at "+pkg+" before; "+source+" leads to this one now") {
				t.Error(o.text())
			}
			if got := notes(outer); len(got) > 0 {
				t.Errorf("written: %v", got)
			}
			o := call("write", args("title", "b", "body", "b", "cwd", outer))
			if want := "argument:outer"; o.source() != want {
				t.Errorf("with cwd: %s\n%s", o.source(), o.text())
			}
			must(t, os.Mkdir(pkg+"/.blue", 0o755))
			expect(t, name, call("write", args("title", "c", "body", "c")), source+":pkg")
		})
	}
}

// In a reply it says which existing directory decided.
func TestReplyNamesTheNearestDirectory(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	o := p.call("list", args("cwd", base+"/shop/new/file.go"))
	expect(t, "missing file", o, "argument:shop")
	want := fmt.Sprintf("(source: argument, by the nearest existing directory %s/shop)", base)
	if !strings.Contains(o.text(), want) || o.StructuredContent.Project.Nearest != base+"/shop" {
		t.Errorf("%s", o.text())
	}
}

// An answer to roots/list that comes after the call has given up serves the calls
// after it, also over HTTP.
func TestLateRootsOverHTTP(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{"roots":{}}`)
	asked := make(chan said, 1)
	v.roots = func(m said) string { asked <- m; return "" }
	expect(t, "before the answer", v.call("list", args()), "no_project")
	m := <-asked
	h := v.send("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, rootsResult(base+"/shop")), v.pairs...)
	if h.status != 202 {
		t.Fatalf("%s", h)
	}
	within(t, "the late answer counts", func() bool { return v.call("list", args()).source() == "roots:shop" })
}

// A value that somebody gave and that cannot be one directory is never passed over: an
// empty --project, an argument that stands there twice.
func TestGivenValuesAreNotDropped(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = base + "/other"
	o := w.options(t)
	empty := ""
	o.Project = &empty
	p := startWith(t, o)
	p.open(`{}`)
	expect(t, "--project ''", p.call("write", args("title", "x", "body", "x")), "bad_path")
	for name, arguments := range map[string]string{
		"twice":    fmt.Sprintf(`{"cwd":%q,"body":"x","cwd":%q}`, base+"/shop", base+"/other"),
		"in caps":  fmt.Sprintf(`{"CWD":%q,"body":"x"}`, base+"/shop"),
		"a number": `{"cwd":1,"body":"x"}`,
	} {
		id := nextID()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_write","arguments":%s}}`, id, arguments))
		expect(t, name, p.outcome(id), "invalid")
	}
	for name, params := range map[string]string{
		"arguments twice": fmt.Sprintf(`{"name":"blue_write","arguments":{"cwd":%q,"body":"x"},"arguments":{"body":"x"}}`, base+"/shop"),
		"_meta twice":     fmt.Sprintf(`{"name":"blue_write","_meta":{"codex/sandbox-state-meta":{"sandboxCwd":%q}},"_meta":{},"arguments":{"body":"x"}}`, base+"/shop"),
	} {
		id := nextID()
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`, id, params))
		if m := p.reply(id); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("%s: %s", name, m.Result)
		}
	}
	if got := notes(base + "/other"); len(got) != 0 {
		t.Errorf("written to the project of the process: %v", got)
	}
}

// The failure of a change while several projects are open has the trace and the
// projects, none of them used.
func TestSeveralProjectsFailure(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{}}`)
	id := p.ask("write", args("body", "x"))
	p.answer(1, rootsResult(base+"/shop", base+"/other"))
	o := p.outcome(id)
	if o.source() != "several_projects" {
		t.Errorf("%s", o.text())
	}
	if got := o.StructuredContent.Candidates; !slices.Equal(got, []string{base + "/shop", base + "/other"}) {
		t.Errorf("candidates %q", got)
	}
	if got := o.outcomeOf("roots"); !slices.Equal(got, []string{"other_project", "other_project"}) {
		t.Errorf("trace %q", got)
	}
	if !strings.HasSuffix(o.text(), "\nhint: pass cwd with one of them: "+base+"/shop, "+base+"/other") {
		t.Errorf("%s", o.text())
	}
}

// A client that does not answer roots/list, and whose initialize leads to a project
// each time, has lost nothing.
func TestSameProjectByAnotherSource(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = base + "/other"
	p := w.start(t)
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"peer","version":"1"},"roots":[{"uri":"file://` + base + `/shop"}]}}`)
	p.reply(0)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	go p.answer(1, `"error":{"code":-32601,"message":"no such method"}`)
	for n := range 3 {
		o := p.call("write", args("title", fmt.Sprint(n), "body", "x"))
		expect(t, "no answer to roots/list", o, "initialize:shop")
		if strings.Contains(o.text(), "Warning") {
			t.Errorf("%s", o.text())
		}
	}
}

// A session that has asked for roots twice, without an answer, ends at once.
func TestSessionWithTwoQuestionsEnds(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{"roots":{}}`)
	expect(t, "first question", v.call("list", args()), "no_project")
	v.post(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	expect(t, "second question", v.call("list", args()), "no_project")
	ended := make(chan heard, 1)
	go func() { ended <- v.send("DELETE", "/mcp", "", v.pairs...) }()
	select {
	case h := <-ended:
		if h.status != 204 {
			t.Errorf("%s", h)
		}
	case <-time.After(waitTime):
		t.Error("DELETE waits for the client's roots")
	}
}
