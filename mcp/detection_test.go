package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

// scene is a fixture with a server of its own in a directory of no project.
func scene(t *testing.T) (base string, w world) {
	t.Helper()
	base = filepath.ToSlash(fixtures.Project(t, "shop"))
	return base, newWorld(t, filepath.Join(base, "elsewhere"))
}

func args(pairs ...any) map[string]any {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	return m
}

func expect(t *testing.T, name string, o outcome, want string) {
	t.Helper()
	if got := o.source(); got != want {
		t.Errorf("%s: got %s, want %s\n%s", name, got, want, o.text())
	}
	conforms(t, name, o)
}

// conforms holds the trace of a reply, if it has one, to its form: the order of
// the chain without gaps, and the winner alone is used.
func conforms(t *testing.T, name string, o outcome) {
	t.Helper()
	next, used := 0, 0
	for _, tried := range o.StructuredContent.Trace {
		at := slices.Index(marker.Sources(), marker.Source(tried.Source))
		if at < max(0, next-1) || at > next && used == 0 || tried.Outcome == "" {
			t.Errorf("%s: %+v stands at the wrong place in the trace", name, tried)
		}
		next = at + 1
		if tried.Outcome == marker.Used {
			used++
		}
	}
	if found := o.StructuredContent.Project != nil; next > 0 && found != (used == 1) {
		t.Errorf("%s: %d sources are used, project found: %v", name, used, found)
	}
	if o.StructuredContent.Error == "no_project" && next != len(marker.Sources()) {
		t.Errorf("%s: the trace ends before the chain: %+v", name, o.StructuredContent.Trace)
	}
}

// The argument holds for its call alone, beside the root of
// the session.
func TestArgumentIsForOneCall(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.env["BLUE_PROJECT"] = base + "/other"
	p := w.start(t)
	p.open(`{"roots":{}}`)
	expect(t, "with cwd", p.call("where", args("cwd", base+"/my proj/sub")), "argument:my proj")
	id := p.ask("where", args())
	p.answer(1, rootsResult(base+"/shop"))
	expect(t, "without cwd", p.outcome(id), "roots:shop")
	expect(t, "cwd in the root", p.call("list", args("cwd", base+"/shop/api")), "argument:shop")
	id = p.ask("list", args("cwd", base+"/other"))
	expect(t, "cwd in another project", p.outcome(id), "argument:other")
	if raw := string(p.reply(id).Result); strings.Contains(raw, "deploy") || strings.Contains(raw, base+"/shop") || string(p.outcome(id).StructuredContent.Notes) != "[]" {
		t.Errorf("something of shop in the reply of other: %s", raw)
	}
	expect(t, "without cwd again", p.call("list", args()), "roots:shop")
}

// Who is asked for roots, and when.
func TestRootsAreAskedForOnlyWhenNeeded(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = "/"
	p := w.start(t)
	hello := p.open(`{"roots":{}}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	if tools, pong := p.reply(1), p.reply(2); hello.Error != nil || tools.Error != nil || !strings.Contains(string(tools.Result), `"blue_write"`) || string(pong.Result) != `{}` {
		t.Errorf("%s %s %s", hello.Result, tools.Result, pong.Result)
	}
	p.call("list", args("cwd", base+"/shop"))
	p.call("use", args("cwd", base+"/other"))
	expect(t, "after use", p.call("where", args()), "use:other")
	if p.asks() != 0 {
		t.Errorf("asked for roots %d times", p.asks())
	}
	rooted := w.start(t)
	rooted.open(`{"roots":{}}`)
	id := rooted.ask("list", args())
	rooted.answer(1, rootsResult(base+"/shop"))
	expect(t, "client with roots", rooted.outcome(id), "roots:shop")

	plain := w.start(t)
	plain.open(`{}`)
	expect(t, "client without roots", plain.call("list", args()), "no_project")
	if plain.asks() != 0 {
		t.Error("a client without roots was asked for them")
	}
}

// Which source wins on stdio. A relative
// value is not completed, even where it would name a project. A URI is decoded.
func TestSourcesInOrder(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	for _, test := range []struct {
		name string
		set  func(w *world)
		use  string
		want string
	}{
		{"use before flag", func(w *world) { w.project = base + "/other" }, base + "/shop", "use:shop"},
		{"flag before cwd", func(w *world) { w.project = base + "/other"; w.dir = base + "/shop" }, "", "flag:other"},
		{"BLUE_PROJECT before cwd", func(w *world) { w.env["BLUE_PROJECT"] = base + "/other"; w.dir = base + "/shop" }, "", "env:other"},
		{"BLUE_PROJECT before CLAUDE_PROJECT_DIR", func(w *world) { w.env["BLUE_PROJECT"] = base + "/other"; w.env["CLAUDE_PROJECT_DIR"] = base + "/shop" }, "", "env:other"},
		{"CLAUDE_PROJECT_DIR before cwd", func(w *world) { w.env["CLAUDE_PROJECT_DIR"] = base + "/other"; w.dir = base + "/shop" }, "", "CLAUDE_PROJECT_DIR:other"},
		{"CLAUDE_PROJECT_DIR is relative", func(w *world) { w.env["CLAUDE_PROJECT_DIR"] = "relative"; w.dir = base + "/shop" }, "", "cwd:shop"},
		{"cwd below the project", func(w *world) { w.dir = base + "/shop/api" }, "", "cwd:shop"},
		{"no source", func(*world) {}, "", "no_project"},
		{"BLUE_PROJECT is missing", func(w *world) { w.env["BLUE_PROJECT"] = base + "/none"; w.env["CLAUDE_PROJECT_DIR"] = base + "/shop" }, "", "not_detected"},
		{"unexpanded flag, empty BLUE_PROJECT", func(w *world) { w.project = "${workspaceFolder}"; w.env["BLUE_PROJECT"] = ""; w.dir = base + "/shop" }, "", "cwd:shop"},
		{"unexpanded variables", func(w *world) {
			w.env["BLUE_PROJECT"], w.env["CLAUDE_PROJECT_DIR"], w.dir = "${workspaceFolder}", "${X}", base+"/shop"
		}, "", "cwd:shop"},
		{"flag is missing", func(w *world) { w.project = base + "/none"; w.dir = base + "/shop" }, "", "not_detected"},
		{"WORKSPACE_FOLDER_PATHS", func(w *world) { w.env["WORKSPACE_FOLDER_PATHS"] = base + "/shop" }, "", "WORKSPACE_FOLDER_PATHS:shop"},
		{"relative flag", func(w *world) { w.project = "shop"; w.dir = base }, "", "bad_path"},
		{"relative BLUE_PROJECT", func(w *world) { w.env["BLUE_PROJECT"] = "shop"; w.dir = base }, "", "bad_path"},
		{"URI as flag", func(w *world) { w.project = "file://" + base + "/my%20proj/sub" }, "", "flag:my proj"},
		{"URI in BLUE_PROJECT", func(w *world) {
			w.env["BLUE_PROJECT"] = "file://localhost" + strings.TrimPrefix(marker.FileURI(base), "file://") + "/my%20proj"
		}, "", "env:my proj"},
		{"URI of use", func(*world) {}, "file://" + base + "/my%20proj", "use:my proj"},
	} {
		w := newWorld(t, base+"/elsewhere")
		test.set(&w)
		p := w.start(t)
		p.open(`{}`)
		if test.use != "" {
			p.call("use", args("cwd", test.use))
		}
		o := p.call("list", args())
		expect(t, test.name, o, test.want)
		if test.want == "bad_path" && o.StructuredContent.Message != notAbsolute("shop") {
			t.Errorf("%s", o.text())
		}
	}
}

// A bad value given on purpose fails the call.
func TestBadArgumentFailsTheCall(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = base + "/shop"
	p := w.start(t)
	p.open(`{}`)
	for _, test := range []struct{ cwd, kind, first string }{
		{"shop", "bad_path", notAbsolute("shop")},
		{"", "bad_path", notAbsolute("")},
		{"   ", "bad_path", notAbsolute("   ")},
		{"${workspaceFolder}", "bad_path", notAbsolute("${workspaceFolder}")},
		{"~/x", "bad_path", notAbsolute("~/x")},
		{base + "/shop/../other", "bad_path", ""},
		{base + "/elsewhere", "not_detected", "Blue not detected in: " + base + "/elsewhere. Expected .blue/ directory. Run 'blue init " + filepath.ToSlash(errors.Argument(filepath.FromSlash(base+"/elsewhere"))) + "' or pass 'cwd' parameter."},
		{base + "/none", "not_detected", ""},
	} {
		o := p.call("list", args("cwd", test.cwd))
		if o.StructuredContent.Error != test.kind || !o.IsError {
			t.Errorf("cwd %q: %s", test.cwd, o.source())
		}
		first, _, _ := strings.Cut(o.text(), "\n")
		if test.first != "" && first != test.first {
			t.Errorf("cwd %q:\ngot  %s\nwant %s", test.cwd, first, test.first)
		}
		if strings.Contains(o.text(), "!") || !strings.Contains(o.text(), "Source: argument.") && test.kind != "bad_path" {
			t.Errorf("%s", o.text())
		}
	}
	if o := p.call("list", args("cwd", base+"/none")); !strings.Contains(o.text(), base+"/none does not exist.") {
		t.Errorf("%s", o.text())
	}
	for _, cwd := range []string{"file://" + base + "/shop", "FILE://localhost" + strings.TrimPrefix(marker.FileURI(base), "file://") + "/shop/", base + "//shop/./api"} {
		expect(t, cwd, p.call("list", args("cwd", cwd)), "argument:shop")
	}
}

// No project at all, in a plain directory and where
// none can be.
func TestNoProject(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	for _, dir := range []string{"/.cache/uv/x", "/.claude/plugins/x"} {
		must(t, os.MkdirAll(w.home+dir, 0o755))
	}
	_, marked := os.Lstat("/.blue")
	home := filepath.ToSlash(w.home)
	before := tree(t, base) + tree(t, w.home)
	for dir, want := range map[string]string{
		base + "/elsewhere": "no_marker", home: "junk", home + "/.cache/uv/x": "junk", home + "/.claude/plugins/x": "junk", filepath.ToSlash(fixtures.Abs("/")): "junk",
	} {
		w.dir = dir
		p := w.start(t)
		p.open(`{}`)
		for tool, a := range map[string]map[string]any{
			"write": args("body", "x"), "read": args("id", "x"), "search": args("query", "x"), "list": args(),
			"edit": args("id", "x", "append", "y"), "remove": args("id", "x"),
		} {
			o := p.call(tool, a)
			expect(t, tool+" in "+dir, o, "no_project")
			first, _, _ := strings.Cut(o.text(), "\n")
			if !o.IsError || first != "Blue project not found. Run 'blue init' or pass 'cwd' parameter." || fmt.Sprint(o.outcomeOf("cwd")) != "["+want+"]" {
				t.Errorf("%s in %s: %s", tool, dir, o.text())
			}
			if !strings.Contains(o.text(), "Process cwd: "+dir) || !strings.Contains(o.text(), "- working directory: ") {
				t.Errorf("%s", o.text())
			}
		}
		o := p.call("where", args())
		if o.IsError || o.StructuredContent.Project != nil || len(o.StructuredContent.Trace) == 0 {
			t.Errorf("where without a project: %+v", o)
		}
		for i, method := range []string{"tools/list", "ping", "resources/list"} {
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q}`, i+1, method))
			if m := p.reply(i + 1); m.Error != nil || m.Result == nil {
				t.Errorf("%s: %+v", method, m)
			}
		}
		if after := tree(t, base) + tree(t, w.home); after != before {
			t.Errorf("in %s, before\n%s\nafter\n%s", dir, before, after)
		}
		expect(t, "use in "+dir, p.call("use", args("cwd", base+"/shop")), "use:shop")
		if err := os.RemoveAll(w.home + "/cache"); err != nil { // of the project that was used
			t.Fatal(err)
		}
		before = tree(t, base) + tree(t, w.home)
	}
	if _, err := os.Lstat("/.blue"); marked != nil && err == nil {
		t.Error("a marker was made in /")
	}
}

// What clients answer.
func TestAnswersToRoots(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	file := base + "/shop/api/file.go"
	must(t, os.WriteFile(file, nil, 0o644))
	missing := base + "/missing"
	for _, test := range []struct{ name, answer, want, outcomes string }{
		{"method not found", `"error":{"code":-32601,"message":"no"}`, "cwd:other", "no_answer"},
		{"another error", `"error":{"code":-32000,"message":"later"}`, "cwd:other", "no_answer"},
		{"roots are a string", `"result":{"roots":"x"}`, "cwd:other", "no_answer"},
		{"result is a list", `"result":[]`, "cwd:other", "no_answer"},
		{"no roots", rootsResult(), "cwd:other", "empty"},
		{"root with a name", `"result":{"roots":[{"name":"Fancy","uri":"file://` + base + `/shop"}]}`, "roots:shop", "used"},
		{"two projects", rootsResult(base+"/my proj", base+"/shop"), "roots:my proj", "used other_project"},
		{"first root is missing", rootsResult(missing, base+"/shop"), "roots:shop", "unusable used"},
		{"all roots are missing", rootsResult(missing, missing+"2"), "cwd:other", "unusable unusable"},
		{"root is a file", rootsResult(file), "roots:shop", "used"},
		{"root below the project", rootsResult(base + "/shop/api"), "roots:shop", "used"},
		{"empty URIs", `"result":{"roots":[{"uri":""},{"uri":" "},{"uri":null},{"name":"x"},{"uri":"file://` + base + `/shop"}]}`, "roots:shop", "unusable unusable unusable unusable used"},
		{"another scheme", `"result":{"roots":[{"uri":"https://example.com"},{"uri":"file://` + base + `/shop"}]}`, "roots:shop", "unusable used"},
		{"root is a path", `"result":{"roots":[{"uri":"` + base + `/shop"}]}`, "cwd:other", "unusable"},
		{"root without a marker", rootsResult(base + "/elsewhere"), "none", "no_marker"},
	} {
		var log lockedBuffer
		w := newWorld(t, base+"/other")
		w.log = &log
		p := w.start(t)
		p.open(`{"roots":{}}`)
		id := p.ask("where", args())
		p.answer(1, test.answer)
		o := p.outcome(id)
		expect(t, test.name, o, test.want)
		if got := strings.Join(o.outcomeOf("roots"), " "); got != test.outcomes {
			t.Errorf("%s: outcomes %q, want %q", test.name, got, test.outcomes)
		}
		id = p.ask("list", args())
		if p.reply(id); p.asks() != 1 {
			t.Errorf("%s: asked again", test.name)
		}
		if test.outcomes == "no_answer" && !says(&log, `level=DEBUG .*source=roots .*outcome=no_answer`) {
			t.Errorf("log:\n%s", log.String())
		}
		if test.name == "root with a name" && (!strings.Contains(fmt.Sprint(o.StructuredContent.Trace), "Fancy") || strings.Contains(string(p.reply(id).Result), "Fancy")) {
			t.Errorf("trace %v, list %s", o.StructuredContent.Trace, p.reply(id).Result)
		}
	}
}

// A client that does not answer, and ten calls at once. Its late answer
// counts from the next call on.
func silentClient(t *testing.T) {
	base, w := scene(t)
	w.dir = base + "/shop"
	p := w.start(t)
	p.open(`{"roots":{}}`)
	began := time.Now()
	var ids []int
	for range 10 {
		ids = append(ids, p.ask("list", args()))
	}
	for _, id := range ids {
		expect(t, "silent client", p.outcome(id), "cwd:shop")
	}
	if took := time.Since(began); took != 2*time.Second {
		t.Errorf("gave up after %v", took)
	}
	began = time.Now()
	p.call("list", args())
	if took := time.Since(began); took > 0 {
		t.Errorf("a later call waited %v", took)
	}
	if p.asks() != 1 {
		t.Errorf("asked %d times", p.asks())
	}
	p.answer(1, rootsResult(base+"/other")) // too late for the calls before, in time for those after it
	within(t, "the late answer counts", func() bool { return p.call("list", args()).source() == "roots:other" })
}

// The roots change.
func TestRootsChange(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	w.dir = base + "/my proj"
	p := w.start(t)
	changed := `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	p.open(`{"roots":{"listChanged":true}}`)
	p.send(changed) // before the first call
	id := p.ask("where", args())
	p.answer(1, rootsResult(base+"/shop"))
	expect(t, "changed before the first call", p.outcome(id), "roots:shop")
	p.send(changed)
	id = p.ask("where", args())
	p.answer(2, rootsResult(base+"/other"))
	expect(t, "changed between calls", p.outcome(id), "roots:other")
	p.send(changed)
	id = p.ask("where", args())
	p.answer(3, `"error":{"code":-32603,"message":"broken"}`)
	expect(t, "no answer after a change", p.outcome(id), "cwd:my proj")
	if got := strings.Join(p.outcome(id).outcomeOf("roots"), " "); got != "no_answer" {
		t.Errorf("roots %s", got)
	}

	p.send(changed)
	id = p.ask("where", args())
	p.wait("a question", func() bool { return len(p.asked) >= 4 })
	p.send(changed) // during the call
	p.answer(4, rootsResult(base+"/shop"))
	expect(t, "changed during the call", p.outcome(id), "roots:shop")
	id = p.ask("where", args())
	p.answer(5, rootsResult(base+"/other"))
	expect(t, "after that call", p.outcome(id), "roots:other")

	expect(t, "use", p.call("use", args("cwd", base+"/shop")), "use:shop")
	p.send(changed)
	expect(t, "changed after use", p.call("where", args()), "use:shop")
}

// A session without a project gets one when its roots change. The answer of
// the client is remembered, what lies on the disk is not.
func TestRootsComeAndStay(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{"listChanged":true}}`)
	id := p.ask("list", args())
	p.answer(1, rootsResult())
	expect(t, "no roots", p.outcome(id), "no_project")
	p.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	id = p.ask("list", args())
	p.answer(2, rootsResult(base+"/shop/api"))
	expect(t, "roots have come", p.outcome(id), "roots:shop")
	for _, test := range []struct{ path, text, want string }{
		{"/shop/.blue/project.yaml", "id: shop-id\nname: renamed\n", "roots:renamed"},
		{"/shop/api/.blue/project.yaml", "name: nearer\n", "roots:nearer"},
	} {
		must(t, os.MkdirAll(filepath.Dir(base+test.path), 0o755))
		must(t, os.WriteFile(base+test.path, []byte(test.text), 0o644))
		expect(t, test.path, p.call("list", args()), test.want)
	}
	if p.asks() != 2 {
		t.Errorf("asked %d times", p.asks())
	}
}

// Nothing of a session outlives it.
func TestSessionIsFreed(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	s := w.serve(t, base, HTTP{})
	kept := func() (n int) {
		s.d.sessions.Range(func(any, any) bool { n++; return true })
		return n
	}
	v := s.visit(`{"roots":{}}`)
	v.roots = func(said) string { return rootsResult(base + "/shop") }
	expect(t, "roots of the session", v.call("list", args()), "roots:shop")
	expect(t, "use in the session", v.call("use", args("cwd", base+"/other")), "use:other")
	if kept() != 1 {
		t.Fatalf("%d sessions are kept", kept())
	}
	v.send("DELETE", "/mcp", "", v.pairs...)
	within(t, "the session is freed", func() bool {
		return kept() == 0 && len(slices.Collect(s.server.Sessions())) == 0
	})
	again := s.visit(`{}`)
	expect(t, "another session", again.call("list", args()), "no_project")
}

// An empty list is asked for again five seconds later.
func emptyRoots(t *testing.T) {
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{}}`)
	id := p.ask("list", args())
	p.answer(1, rootsResult())
	expect(t, "no roots", p.outcome(id), "no_project")
	time.Sleep(4999 * time.Millisecond)
	p.call("list", args())
	if p.asks() != 1 {
		t.Error("asked again too soon")
	}
	time.Sleep(2 * time.Millisecond)
	id = p.ask("list", args())
	p.answer(2, rootsResult())
	expect(t, "asked again", p.outcome(id), "no_project")
	p.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	id = p.ask("list", args())
	p.answer(3, rootsResult(base+"/shop"))
	expect(t, "roots have come", p.outcome(id), "roots:shop")
}

// What clients put beside the schema of initialize.
func TestInitializeFields(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	uri := func(name string) string { return "file://" + base + "/" + name }
	for _, test := range []struct{ name, fields, want string }{
		{"roots", `"roots":[{"uri":"` + uri("shop") + `"}]`, "initialize:shop"},
		{"workspaceFolders", `"workspaceFolders":[{"uri":"` + uri("shop") + `"}]`, "initialize:shop"},
		{"roots before workspaceFolders", `"roots":[{"uri":"` + uri("shop") + `"}],"workspaceFolders":[{"uri":"` + uri("other") + `"}]`, "initialize:shop"},
		{"root is a path", `"roots":[{"uri":"` + base + `/shop"}]`, "initialize:shop"},
		{"empty roots", `"roots":[]`, "cwd:other"},
		{"roots are null", `"roots":null`, "cwd:other"},
		{"neither field", `"title":"none of them"`, "cwd:other"},
		{"roots in _meta", `"_meta":{"dev.blue/initialize":{"roots":[{"uri":"` + uri("shop") + `"}]}}`, "no_project"},
		{"URI too long", `"workspaceFolders":[{"uri":"` + uri("shop") + `"}],"roots":[{"uri":"file:///` + strings.Repeat("x", 20<<10) + `"}]`, "initialize:shop"},
		{"root without a marker", `"roots":[{"uri":"` + uri("elsewhere") + `"}]`, "not_detected"},
	} {
		w := newWorld(t, base+"/elsewhere")
		switch test.want {
		case "cwd:other":
			w.dir = base + "/other"
		case "not_detected":
			w.dir = base + "/shop"
		}
		p := w.start(t)
		p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"},` + test.fields + `}}`)
		p.reply(0)
		p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		o := p.call("list", args())
		expect(t, test.name, o, test.want)
		if len(o.StructuredContent.OtherRoots) > 0 {
			t.Errorf("%s: other roots %v", test.name, o.StructuredContent.OtherRoots)
		}
		switch o = p.call("where", args()); {
		case test.name == "roots":
			checkClient(t, o, uri("shop"))
			expect(t, "cwd beside roots", p.call("list", args("cwd", base+"/other")), "argument:other")
			expect(t, "roots without cwd", p.call("list", args()), "initialize:shop")
		case test.want == "cwd:other":
			if got := fmt.Sprint(o.outcomeOf("initialize")); got != "[absent]" {
				t.Errorf("%s: initialize %s", test.fields, got)
			}
		}
	}

	w := newWorld(t, base+"/elsewhere")
	p := w.start(t)
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"old","version":"1"},"roots":[{"uri":"` + uri("shop") + `"}]}}`)
	p.reply(0)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	id := p.ask("where", args())
	p.answer(1, rootsResult(base+"/other"))
	o := p.outcome(id)
	expect(t, "roots/list before initialize", o, "roots:other")
	if got := fmt.Sprint(o.outcomeOf("argument"), o.outcomeOf("initialize")); got != "[absent] []" {
		t.Errorf("argument and initialize are %s", got)
	}
}

// Several roots.
func TestSeveralRoots(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{"roots":{}}`)
	id := p.ask("search", args("query", "webhook"))
	p.answer(1, rootsResult(base+"/shop", base+"/shop/api", base+"/other"))
	o := p.outcome(id)
	expect(t, "search in several roots", o, "roots:shop")
	if !slices.Equal(o.StructuredContent.OtherRoots, []string{base + "/other"}) || !strings.Contains(o.text(), "Other projects: "+base+"/other") {
		t.Errorf("other roots %v\n%s", o.StructuredContent.OtherRoots, o.text())
	}
	before := files(t, base)
	for tool, a := range map[string]map[string]any{
		"write": args("body", "x"), "edit": args("id", "deploy-aaaa", "append", "y"), "remove": args("id", "deploy-aaaa"),
	} {
		o := p.call(tool, a)
		want := "Several projects are open: " + base + "/shop, " + base + "/other. Pass 'cwd' with the one to change."
		if first, _, _ := strings.Cut(o.text(), "\n"); o.StructuredContent.Error != "several_projects" || first != want {
			t.Errorf("%s: %s", tool, o.text())
		}
	}
	if after := files(t, base); after != before {
		t.Errorf("the disk was\n%s\nand is now\n%s", before, after)
	}
	expect(t, "write with cwd", p.call("write", args("body", "x", "cwd", base+"/other")), "argument:other")
	if here, there := notes(base+"/other"), notes(base+"/shop"); len(here) != 1 || len(there) != 2 {
		t.Errorf("notes are now %v and %v", here, there)
	}

	one := w.start(t)
	one.open(`{"roots":{}}`)
	id = one.ask("write", args("body", "x"))
	one.answer(1, rootsResult(base+"/shop", base+"/shop/api"))
	if o := one.outcome(id); o.source() != "roots:shop" || len(o.StructuredContent.OtherRoots) != 0 || len(notes(base+"/shop")) != 3 {
		t.Errorf("%s, others %v: %s", o.source(), o.StructuredContent.OtherRoots, o.text())
	}
	for tool, a := range map[string]map[string]any{"edit": args("id", "deploy-aaaa", "append", "y"), "remove": args("id", "retries-bbbb")} {
		expect(t, tool, one.call(tool, a), "roots:shop")
	}
}

// A name is no path, so the error offers the projects of the client's roots, and of
// the roots in initialize.
func TestUseOfAName(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	before := tree(t, base)
	want := []string{base + "/shop", base + "/other"}
	offers := func(o outcome) {
		t.Helper()
		first, _, _ := strings.Cut(o.text(), "\n")
		if o.source() != "bad_path" || !o.IsError || first != notAbsolute("other") {
			t.Errorf("%s", o.text())
		}
		if !slices.Equal(o.StructuredContent.Candidates, want) || !strings.Contains(o.text(), strings.Join(want, ", ")) || len(o.StructuredContent.Trace) == 0 {
			t.Errorf("candidates %v, trace %v\n%s", o.StructuredContent.Candidates, o.StructuredContent.Trace, o.text())
		}
	}
	p := w.start(t)
	p.open(`{"roots":{}}`)
	id := p.ask("use", args("cwd", "other"))
	p.answer(1, rootsResult(base+"/elsewhere", base+"/shop", base+"/missing", base+"/other"))
	offers(p.outcome(id))
	offers(p.call("use", args("cwd", "other")))
	expect(t, "after use of a name", p.call("where", args()), "roots:shop") // nothing is bound
	if p.asks() != 1 {
		t.Errorf("asked %d times", p.asks())
	}
	old := w.start(t)
	old.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"},"workspaceFolders":[{"uri":"file://` + base + `/shop"},{"uri":"file://` + base + `/other"}]}}`)
	old.reply(0)
	old.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	offers(old.call("use", args("cwd", "other")))
	bare := w.start(t)
	bare.open(`{}`)
	if o := bare.call("use", args("cwd", "other")); o.source() != "bad_path" || o.StructuredContent.Candidates == nil || len(o.StructuredContent.Candidates) > 0 {
		t.Errorf("without roots: %+v", o.StructuredContent)
	}
	if after := tree(t, base); after != before {
		t.Errorf("before\n%s\nafter\n%s", before, after)
	}
}

// tree is all that lies below a directory, with modes, times and texts.
func tree(t *testing.T, base string) string {
	t.Helper()
	var b strings.Builder
	if err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		fmt.Fprintf(&b, "%s %s %d %q\n", path, info.Mode(), info.ModTime().UnixNano(), text)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// blue_use.
func TestUse(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	o := p.call("use", args("cwd", "file://"+base+"/shop/api"))
	expect(t, "use of a URI", o, "use:shop")
	if first, _, _ := strings.Cut(o.text(), "\n"); first != "Switched to project 'shop' at "+base+"/shop." {
		t.Errorf("%q", first)
	}
	for bad, kind := range map[string]string{"shop": "bad_path", "../shop": "bad_path", "": "bad_path", base + "/none": "not_detected", base + "/elsewhere": "not_detected"} {
		expect(t, "use of "+bad, p.call("use", args("cwd", bad)), kind)
		expect(t, "after use of "+bad, p.call("list", args()), "use:shop")
	}
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() { expect(t, "calls at once", p.call("list", args()), "use:shop") })
	}
	calls.Wait()
	twin := base + "/elsewhere/shop"
	must(t, os.MkdirAll(twin+"/.blue", 0o755))
	p.call("use", args("cwd", twin))
	if o := p.call("list", args()); o.source() != "use:shop" || o.StructuredContent.Project.Root != twin {
		t.Errorf("still at %+v", o.StructuredContent.Project)
	}
	must(t, os.RemoveAll(twin))
	if o := p.call("list", args()); o.source() != "not_detected" || !strings.Contains(o.text(), "Source: use.") {
		t.Errorf("%s", o.text())
	}
	// The choice whose directory is gone can be ended.
	if o := p.call("list", args()); !strings.Contains(o.text(), "hint: call blue_use without arguments to end the choice") {
		t.Errorf("%s", o.text())
	}
	if o := p.call("use", args()); o.IsError || !strings.HasSuffix(o.text(), `shop" has ended, and no other source leads to a project: pass cwd in each call.`+"\n") {
		t.Errorf("%s", o.text())
	}
	expect(t, "after the end of the choice", p.call("list", args()), "no_project")

}

// The marker is replaced, the project is moved.
func TestProjectMovesUnderTheServer(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	p := w.start(t)
	p.open(`{}`)
	marker := base + "/shop/.blue"
	if o := p.call("search", args("query", "webhook", "cwd", base+"/shop")); len(o.StructuredContent.Hits) == 0 {
		t.Fatal("nothing found before")
	}
	must(t, os.Rename(marker, base+"/old"))
	must(t, os.MkdirAll(marker+"/notes", 0o755))
	if o := p.call("search", args("query", "webhook", "cwd", base+"/shop")); len(o.StructuredContent.Hits) != 0 {
		t.Errorf("the old notes are still found: %s", o.text())
	}
	o := p.call("write", args("body", "new", "cwd", base+"/shop"))
	if names, _ := filepath.Glob(marker + "/notes/*.md"); o.IsError || len(names) != 1 {
		t.Errorf("written to %v: %s", names, o.text())
	}
	must(t, os.Rename(base+"/other", base+"/moved"))
	if ref := p.call("list", args("cwd", base+"/moved")).StructuredContent.Project; ref == nil || ref.ID != "other-id" || ref.Root != base+"/moved" {
		t.Errorf("%+v", ref)
	}
}

// What is logged.
func TestLog(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	var log lockedBuffer
	w.log = &log
	w.env["BLUE_PROJECT"] = base + "/other"
	w.env["CLAUDE_PROJECT_DIR"] = "relative"
	w.dir = base + "/shop"
	p := w.start(t)
	p.open(`{}`)
	for range 3 {
		p.call("write", args("body", "the text of a note", "title", "T", "cwd", base+"/my proj"))
	}
	p.call("list", args("type", strings.Repeat("long", 100)))
	w.env["BLUE_PROJECT"] = ""
	p.call("list", args())
	p.close()
	text := log.String()
	for pattern, want := range map[string]int{
		`level=INFO msg=detected .*client=peer/1 .*project=` + inLog(base+"/my proj") + ` source=argument `: 3,
		`level=INFO msg=detected .*client=peer/1 .*project=` + inLog(base+"/other") + ` source=env `:        1,
		`level=INFO msg=detected .*client=peer/1 .*project=` + inLog(base+"/shop") + ` source=cwd `:         1,
		`level=INFO msg=detected `: 5,
		`level=DEBUG msg="sources absent" .*sources=argument,use,flag,codex,roots,initialize,query`:                              2,
		`level=DEBUG msg="source not used" .*source=CLAUDE_PROJECT_DIR value=relative outcome=unusable detail="must be absolute`: 1,
	} {
		if n := len(regexp.MustCompile(pattern).FindAllString(text, -1)); n != want {
			t.Errorf("%d lines of %s, want %d:\n%s", n, pattern, want, text)
		}
	}
	calls := regexp.MustCompile(`level=INFO msg=call .*tool=(\w+) took=[0-9.]+[µm]?s arguments="(.*)"\n`).FindAllStringSubmatch(text, -1)
	var tools []string
	for _, call := range calls {
		tools = append(tools, call[1])
		if shown, err := strconv.Unquote(`"` + call[2] + `"`); err != nil || len(shown) > 200 {
			t.Errorf("%d bytes of arguments: %s", len(shown), shown)
		}
	}
	if fmt.Sprint(tools) != "[blue_write blue_write blue_write blue_list]" || strings.Contains(text, "the text of a note") {
		t.Errorf("%v\n%s", tools, text)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// What the server says of itself, and errors of the
// protocol.
func TestProtocol(t *testing.T) {
	t.Parallel()
	base, w := scene(t)
	in, second := w, w
	in.dir, second.dir = base+"/shop", base+"/other"
	var lists []string
	for _, w := range []world{w, in, second} {
		p := w.start(t)
		m := p.open(`{"roots":{}}`)
		var init struct {
			Capabilities map[string]json.RawMessage
			ServerInfo   struct{ Name string }
			Instructions string
		}
		must(t, json.Unmarshal(m.Result, &init))
		if _, ok := init.Capabilities["roots"]; ok || init.ServerInfo.Name != "blue" {
			t.Errorf("%s", m.Result)
		}
		if string(init.Capabilities["experimental"]) != `{"codex/sandbox-state-meta":{}}` {
			t.Errorf("%s", init.Capabilities["experimental"])
		}
		var discovered struct{ Capabilities map[string]json.RawMessage }
		if m := p.modern("server/discover", map[string]any{"_meta": stateless(true)}); json.Unmarshal(m.Result, &discovered) != nil ||
			string(discovered.Capabilities["experimental"]) != `{"codex/sandbox-state-meta":{}}` || discovered.Capabilities["roots"] != nil {
			t.Errorf("%s", m.Result)
		}
		if string(init.Capabilities["tools"]) != `{}` || len(init.Instructions) > 512 {
			t.Errorf("capabilities %s, instructions %d bytes", m.Result, len(init.Instructions))
		}
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		lists = append(lists, string(p.reply(1).Result))
		p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nothing","arguments":{}}}`)
		if m := p.reply(2); m.Error == nil || m.Error.Code != -32602 {
			t.Errorf("unknown tool: %+v", m)
		}
		p.send(`{"jsonrpc":"2.0","id":3,"method":"nothing"}`)
		if m := p.reply(3); m.Error == nil || m.Error.Code != -32601 {
			t.Errorf("unknown method: %+v", m)
		}
		p.send(`{"jsonrpc":"2.0","method":"notifications/nothing"}`)
		if o := p.call("list", args("limit", "x", "cwd", base+"/shop")); !o.IsError || o.StructuredContent.Error != "invalid" {
			t.Errorf("wrong type: %+v", o)
		}
	}
	if lists[0] != lists[1] || lists[0] != lists[2] || !strings.Contains(lists[0], `"blue_write"`) {
		t.Errorf("tools differ: %s", lists)
	}
}
