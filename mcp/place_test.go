package mcp

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"blue/fixtures"
	"blue/marker"
)

func projectPath(dir string) string { return "/mcp?project_path=" + url.QueryEscape(dir) }

// A query that cannot be decoded fails the call. Before, the server's own project got the note.
func TestUndecodableQuery(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	w := newWorld(t, filepath.Join(base, "elsewhere"))
	w.env["BLUE_PROJECT"] = base + "/other"
	s := w.serve(t, base, HTTP{})
	v := s.visit(`{}`)
	before := append(notes(base+"/shop"), notes(base+"/other")...)
	for _, test := range []struct{ query, text string }{
		{"project_path=%zz", `the query of the URL holds "%zz", which cannot be decoded`},
		{"project_path=" + base + "/shop%", "which cannot be decoded"},
		{"project_path=" + base + "/50%%20off", "which cannot be decoded"},
		{"project_path=" + base + "/shop;x", "holds a semicolon"},
		{"x=1;project_path=" + base + "/shop", "holds a semicolon"},
		{"x=%zz&project_path=" + base + "/shop", "which cannot be decoded"},
		{"token=hunter2&x=%zz", "Path '?…' is not usable"},
		{"project_path=", "must be absolute"},
	} {
		v.path = "/mcp?" + test.query
		arguments := args("title", "a", "body", "b")
		alone := s.ask(alone{method: "tools/call", path: v.path, params: map[string]any{"name": "blue_write", "arguments": arguments}})
		for era, o := range map[string]outcome{"legacy": v.call("write", arguments), "modern": outcomeOf(t, alone)} {
			expect(t, era+" "+test.query, o, "bad_path")
			if !strings.Contains(o.text(), test.text) || strings.Contains(o.text(), "hunter2") {
				t.Errorf("%s: %s", test.query, o.text())
			}
		}
	}
	if after := append(notes(base+"/shop"), notes(base+"/other")...); !slices.Equal(before, after) {
		t.Errorf("written: %v", after)
	}
	v.path = "/mcp?other=1&project_path=" + base + "/shop"
	expect(t, "foreign parameter", v.call("list", args()), "query:shop")
}

// The project in the URL or in a header.
func TestProjectPath(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	at := func(path string, pairs ...string) outcome {
		v.path = path
		defer func() { v.path = "/mcp" }()
		return v.call("list", args(), pairs...)
	}
	expect(t, "project in the query", at(projectPath(base+"/shop")), "query:shop")
	expect(t, "no query", at("/mcp"), "no_project")
	expect(t, "another project in the query", at(projectPath(base+"/other")), "query:other")
	expect(t, "first project again", at(projectPath(base+"/shop")), "query:shop")
	v.call("use", args("cwd", base+"/shop"))
	expect(t, "query after use", at(projectPath(base+"/other")), "use:shop")
	lower := newWorld(t, base+"/elsewhere")
	lower.env["BLUE_PROJECT"] = base + "/shop" // the next source, which must not be asked
	below := lower.serve(t, base, HTTP{})
	v = below.visit(`{}`)
	expect(t, "BLUE_PROJECT without a query", at("/mcp"), "env:shop")
	for _, test := range []struct{ path, kind, text string }{
		{"/mcp?project_path=relative", "bad_path", "must be absolute"},
		{projectPath(base + "/missing"), "not_detected", base + "/missing does not exist."},
		{projectPath(base + "/elsewhere"), "not_detected", "Source: query."},
		{"/mcp?project_path=", "bad_path", "must be absolute"},
	} {
		h := v.send("POST", test.path, callBody(t, 1, "list", args(), nil), v.pairs...)
		o := outcomeOf(t, h)
		expect(t, test.path, o, test.kind)
		if h.status != 200 || !o.IsError || !strings.Contains(o.text(), test.text) {
			t.Errorf("%s: %s", test.path, o.text())
		}
		alone := outcomeOf(t, below.ask(alone{method: "tools/call", path: test.path, params: map[string]any{"name": "blue_list", "arguments": args()}}))
		expect(t, "modern "+test.path, alone, test.kind)
	}
	v = s.visit(`{}`)
	for _, name := range []string{"my proj", "a&b", "a=b", "a#b", "a%20b", "a+b", "проект", "日本"} {
		dir := filepath.Join(base, "names", name)
		must(t, os.MkdirAll(filepath.Join(dir, ".blue"), 0o755))
		expect(t, name, at(projectPath(dir)), "query:"+name)
		expect(t, name+", escaped", at("/mcp?project_path="+strings.ReplaceAll(url.QueryEscape(dir), "+", "%20")), "query:"+name)
		expect(t, name+" in the header", at("/mcp", "Blue-Project", dir), "query:"+name)
		expect(t, name+" as URI in the header", at("/mcp", "Blue-Project", marker.FileURI(dir)), "query:"+name)
	}
	expect(t, "query before header", at(projectPath(base+"/shop"), "Blue-Project", base+"/other"), "query:shop")
	expect(t, "empty query before header", at("/mcp?project_path=", "Blue-Project", base+"/other"), "bad_path")
	expect(t, "unexpanded query", at(projectPath("${workspaceFolder}")), "no_project")
	expect(t, "unexpanded header", at("/mcp", "Blue-Project", "${workspaceFolder}"), "no_project")
	for _, body := range []string{fmt.Sprintf(openBody, `{}`), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, pingBody} {
		pairs := v.pairs
		if strings.Contains(body, "initialize") {
			pairs = nil
		}
		if h := s.send("POST", "/mcp?project_path=relative", body, pairs...); h.status != 200 || h.code() != 0 {
			t.Errorf("%s: %s", body, h)
		} else if pairs == nil {
			opened := &visitor{site: s, path: "/mcp", pairs: []string{"Mcp-Session-Id", h.header.Get("Mcp-Session-Id")}}
			expect(t, "cwd in the new session", opened.call("list", args("cwd", base+"/shop")), "argument:shop")
			expect(t, "no source in the new session", opened.call("list", args()), "no_project")
		}
	}
	stream, err := s.client.Do(s.request("GET", "/mcp?project_path=relative", "", v.pairs...))
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatalf("GET: %v %v", stream, err)
	}
	stream.Body.Close()
}

// Where the query stands among the sources.
func TestQueryAmongSources(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	w := newWorld(t, base)
	w.env["BLUE_PROJECT"] = base + "/my proj"
	s := w.serve(t, base, HTTP{})
	v := s.visit(`{"roots":{}}`)
	v.roots = func(said) string { return rootsResult(base + "/shop") }
	v.path = projectPath(base + "/other")
	expect(t, "roots before query", v.call("list", args()), "roots:shop")
	plain := s.visit(`{}`)
	plain.path = projectPath(base + "/other")
	expect(t, "query before BLUE_PROJECT", plain.call("list", args()), "query:other")
	lost := s.visit(`{"roots":{}}`)
	lost.roots = func(said) string { return rootsResult(base + "/elsewhere") }
	lost.path = projectPath(base + "/other")
	expect(t, "query after a root without a marker", lost.call("list", args()), "query:other")
}

// The server's own surroundings are not the client's.
func TestServerSurroundings(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	w := newWorld(t, base+"/shop")
	w.env["CLAUDE_PROJECT_DIR"], w.env["WORKSPACE_FOLDER_PATHS"] = base+"/shop", base+"/shop"
	s := w.serve(t, base, HTTP{})
	for _, o := range []outcome{s.visit(`{}`).call("list", args()), outcomeOf(t, s.askTool("list", args()))} {
		expect(t, "no source", o, "no_project")
		if !strings.Contains(o.text(), "Process cwd: not used over HTTP") {
			t.Errorf("%s", o.text())
		}
		for _, source := range []string{"CLAUDE_PROJECT_DIR", "cwd", "WORKSPACE_FOLDER_PATHS"} {
			if got := fmt.Sprint(o.outcomeOf(source)); got != "[absent]" {
				t.Errorf("%s %s", source, got)
			}
		}
	}
	env := newWorld(t, base+"/elsewhere")
	env.env["BLUE_PROJECT"] = base + "/other"
	expect(t, "BLUE_PROJECT of the server", env.serve(t, base, HTTP{}).visit(`{}`).call("list", args()), "env:other")
	flag := newWorld(t, base+"/elsewhere")
	flag.project = base + "/shop"
	expect(t, "flag of the server", outcomeOf(t, flag.serve(t, base, HTTP{}).askTool("list", args())), "flag:shop")
}

// Two sessions on two projects, and their roots.
func TestTwoSessions(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	var log lockedBuffer
	w := newWorld(t, base+"/elsewhere")
	w.log = &log
	s := w.serve(t, base, HTTP{})
	many := 1000
	ids := map[string]string{}
	var group sync.WaitGroup
	for _, name := range []string{"shop", "other"} {
		v := s.visit(`{"roots":{}}`)
		ids[v.id] = name
		v.roots = func(said) string { return rootsResult(base + "/" + name) }
		group.Go(func() {
			for i := range many / 2 {
				o := v.call("search", args("query", "webhook"))
				expect(t, name, o, "roots:"+name)
				if len(o.StructuredContent.Hits) > 0 != (name == "shop") {
					t.Errorf("call %d of %s: %s", i, name, o.text())
				}
			}
			if v.asks != 1 {
				t.Errorf("%s was asked %d times", name, v.asks)
			}
		})
	}
	group.Wait()
	own := map[string]int{}
	for line := range strings.Lines(log.String()) {
		for id, name := range ids {
			other := map[string]string{"shop": "other", "other": "shop"}[name]
			if !strings.Contains(line, `session=`+id[:9]) {
				continue
			}
			if strings.Contains(line, base+"/"+other) {
				t.Errorf("a log line of %s names %s: %s", name, other, line)
			}
			if strings.Contains(line, "project="+base+"/"+name+" ") {
				own[name]++
			}
		}
	}
	if own["shop"] != many/2 || own["other"] != many/2 {
		t.Errorf("%v lines name the sessions and their projects, want %d each", own, many/2)
	}
	a, b := s.visit(`{"roots":{}}`), s.visit(`{"roots":{}}`)
	a.roots = func(said) string { return rootsResult(base + "/shop") }
	b.roots = a.roots
	a.call("list", args())
	b.call("list", args())
	a.roots = func(said) string { return rootsResult(base + "/other") }
	b.roots = a.roots
	a.post(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	expect(t, "session whose roots change", a.call("list", args()), "roots:other")
	expect(t, "another session", b.call("list", args()), "roots:shop")
	if a.asks != 2 || b.asks != 1 {
		t.Errorf("asked %d and %d times", a.asks, b.asks)
	}
	silent := s.visit(`{"roots":{}}`)
	expect(t, "silent client", silent.call("list", args()), "no_project")
	expect(t, "silent client again", silent.call("list", args()), "no_project")
	if silent.asks != 1 {
		t.Errorf("asked %d times", silent.asks)
	}
}

// The directories that a server serves.
func TestAllowedRoots(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	for _, dir := range []string{"/w/p/.blue", "/w/bare", "/w-evil/p/.blue", "/etc/p/.blue", "/above/.blue", "/above/inner"} {
		must(t, os.MkdirAll(base+dir, 0o755))
	}
	if err := os.Symlink(base+"/etc/p", base+"/w/link"); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	w := newWorld(t, base+"/elsewhere")
	s := w.serve(t, base, HTTP{AllowRoots: []string{base + "/w", base + "/above/inner"}})
	v := s.visit(`{}`)
	for _, test := range []struct{ cwd, want string }{
		{base + "/w/p", "argument:p"},
		{base + "/w-evil/p", "outside_allowed_roots"},
		{"/etc", "outside_allowed_roots"},
		{base + "/w/link", "outside_allowed_roots"},
		{base + "/above/inner", "not_detected"},
		{base + "/above", "outside_allowed_roots"},
	} {
		expect(t, test.cwd, v.call("list", args("cwd", test.cwd)), test.want)
		expect(t, "modern "+test.cwd, outcomeOf(t, s.askTool("list", args("cwd", test.cwd))), test.want)
	}
	out := s.visit(`{"roots":{}}`)
	out.roots = func(said) string { return rootsResult(base + "/etc/p") }
	o := out.call("list", args())
	expect(t, "root outside", o, "outside_allowed_roots")
	if got := fmt.Sprint(o.outcomeOf("roots")); got != "[outside]" || !strings.Contains(o.text(), base+"/etc/p") {
		t.Errorf("%s %s", got, o.text())
	}
	home := w.serve(t, "", HTTP{})
	o = home.visit(`{}`).call("list", args("cwd", base+"/shop"))
	expect(t, "outside home", o, "outside_allowed_roots")
	if !strings.Contains(o.text(), "--allow-root "+base+"/shop") {
		t.Errorf("%s", o.text())
	}
	must(t, os.MkdirAll(w.home+"/mine/.blue", 0o755))
	expect(t, "in home", home.visit(`{}`).call("list", args("cwd", w.home+"/mine")), "argument:mine")
	for _, uri := range []string{"file://" + base + "/etc/p/.blue/notes/x.md", "file:///etc/passwd"} {
		if h := s.ask(alone{method: "resources/read", params: map[string]any{"uri": uri}}); h.status != 400 || h.code() != -32602 || bytes.Contains([]byte(h.body), []byte("root:")) {
			t.Errorf("resources/read of %s: %s", uri, h)
		}
	}
}

// Over HTTP: what initialize says beside the schema.
func TestInitializeFieldsOverHTTP(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	open := func(params string) *visitor {
		h := s.post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"},` + params + `}}`)
		return &visitor{site: s, path: "/mcp", pairs: []string{"Mcp-Session-Id", h.header.Get("Mcp-Session-Id")}}
	}
	expect(t, "roots", open(`"roots":[{"uri":"file://`+base+`/shop"}]`).call("list", args()), "initialize:shop")
	expect(t, "roots in _meta", open(`"_meta":{"dev.blue/initialize":{"roots":[{"uri":"file://`+base+`/shop"}]}}`).call("list", args()), "no_project")
}
