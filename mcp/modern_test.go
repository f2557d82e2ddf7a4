package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/fixtures"
)

func meta(version string) map[string]any {
	return map[string]any{
		"io.modelcontextprotocol/protocolVersion":    version,
		"io.modelcontextprotocol/clientCapabilities": map[string]any{},
	}
}

// TestModernRefusals: what 2026-07-28 refuses.
func TestModernRefusals(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	list := map[string]any{"name": "blue_list", "arguments": args("cwd", base+"/shop")}
	with := func(m map[string]any) map[string]any {
		return map[string]any{"name": "blue_list", "arguments": list["arguments"], "_meta": m}
	}
	noCapabilities := meta("2026-07-28")
	delete(noCapabilities, "io.modelcontextprotocol/clientCapabilities")
	encoded := "=?base64?" + base64.StdEncoding.EncodeToString([]byte("blue_list")) + "?="
	call := "tools/call"
	for _, test := range []struct {
		name, method string
		params       map[string]any
		pairs        []string
		status, code int
	}{
		{"well-formed", call, list, nil, 200, 0},
		{"version of _meta is not that of the header", call, with(meta("2025-11-25")), nil, 400, -32020},
		{"no version header", call, list, []string{"MCP-Protocol-Version", ""}, 400, -32020},
		{"version header of a session", call, list, []string{"MCP-Protocol-Version", "2025-11-25"}, 400, -32020},
		{"version of sessions", call, with(meta("2025-11-25")), []string{"MCP-Protocol-Version", "2025-11-25"}, 400, -32000},
		{"no method header", call, list, []string{"Mcp-Method", ""}, 400, -32020},
		{"another method", call, list, []string{"Mcp-Method", "tools/list"}, 400, -32020},
		{"method in another case", call, list, []string{"Mcp-Method", "Tools/Call"}, 400, -32020},
		{"no name header", call, list, []string{"Mcp-Name", ""}, 400, -32020},
		{"another name", call, list, []string{"Mcp-Name", "blue_read"}, 400, -32020},
		{"encoded name", call, list, []string{"Mcp-Name", encoded}, 200, 0},
		{"encoded name cut off", call, list, []string{"Mcp-Name", encoded[:len(encoded)-2]}, 400, -32020},
		{"another encoded name", call, list, []string{"Mcp-Name", "=?base64?" + base64.StdEncoding.EncodeToString([]byte("blue_read")) + "?="}, 400, -32020},
		{"version of the future", call, with(meta("2027-01-01")), []string{"MCP-Protocol-Version", "2027-01-01"}, 400, -32022},
		{"empty _meta", call, with(map[string]any{}), nil, 400, -32602},
		{"no capabilities", call, with(noCapabilities), nil, 400, -32602},
		{"no clientInfo", call, with(meta("2026-07-28")), nil, 200, 0},
		{"unknown method", "no/such", nil, nil, 404, -32601},
		{"initialize", "initialize", nil, nil, 404, -32601},
		{"ping", "ping", nil, nil, 404, -32601},
		{"log level", "logging/setLevel", map[string]any{"level": "info"}, nil, 404, -32601},
		{"subscription", "resources/subscribe", map[string]any{"uri": "x:y"}, nil, 404, -32601},
		{"unknown tool", call, map[string]any{"name": "no_such"}, nil, 400, -32602},
		{"file that is missing", "resources/read", map[string]any{"uri": "file:///no/such.md"}, nil, 400, -32602},
		{"unknown scheme", "resources/read", map[string]any{"uri": "test://no/such"}, nil, 400, -32602},
		{"notification", "notifications/initialized", nil, nil, 202, 0},
		{"unknown notification", "notifications/unheard-of", nil, nil, 202, 0},
	} {
		h := s.ask(alone{method: test.method, params: test.params, id: nilFor(test.status == 202, "same")}, test.pairs...)
		if h.status != test.status || h.code() != test.code || h.status != 202 && string(h.message().ID) != `"same"` {
			t.Errorf("%s: %s %v %q: %s", test.name, test.method, test.params, test.pairs, h)
		}
		if h.header.Get("Mcp-Session-Id") != "" || h.status != 202 && h.header.Get("Content-Type") != "application/json" || h.status == 202 && h.body != "" {
			t.Errorf("%s: %s", test.name, h)
		}
		if test.code == -32022 && (!strings.Contains(h.body, `"supported":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`) || !strings.Contains(h.body, `"requested":"2027-01-01"`)) {
			t.Errorf("%s", h)
		}
		if test.method == "resources/read" && !strings.Contains(h.body, fmt.Sprintf(`"uri":%q`, test.params["uri"])) {
			t.Errorf("no data.uri: %s", h)
		}
		if h.status == 200 {
			expect(t, test.name, outcomeOf(t, h), "argument:shop")
		}
		if test.name == "well-formed" && !strings.Contains(h.body, `"resultType":"complete"`) {
			t.Errorf("%s", h)
		}
	}
	if h := s.ask(alone{method: call, params: list, bare: true}); h.status != 400 || h.code() != -32602 {
		t.Errorf("no _meta at all: %s", h)
	}
	conn := s.raw(t) // for Go's own client sends no spaces around
	body := callBody(t, 1, "list", args("cwd", base+"/shop"), modernMeta)
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nAccept: */*\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: \t blue_list \t\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", s.tokens[0], len(body), body)
	if answer, _ := drain(t, conn); !strings.HasPrefix(answer, "HTTP/1.1 200") || !strings.Contains(answer, `"source":"argument"`) {
		t.Errorf("%s", answer)
	}
	version := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/list"}
	for _, body := range []string{"[" + pingBody + "]", `{"jsonrpc":"2.0","id":1,"result":{}}`} {
		if h := s.post(body, version...); h.status != 400 || h.code() != -32600 {
			t.Errorf("%s: %s", body, h)
		}
	}
	if h := s.post("{nonsense", version...); h.status != 400 || h.code() != -32700 || strings.Contains(h.body, `"id"`) {
		t.Errorf("modern errors without a readable id leave it out: %s", h)
	}
	for _, verb := range []string{"GET", "DELETE", "PUT", "OPTIONS"} {
		if h := s.send(verb, "/mcp", "", version...); h.status != 405 || h.header.Get("Allow") != "POST" || h.code() != -32600 {
			t.Errorf("%s: %s", verb, h)
		}
	}
	h := s.ask(alone{method: "tools/call", params: list}, "Mcp-Session-Id", "nobody", "Last-Event-ID", "x_1")
	expect(t, "headers of a session", outcomeOf(t, h), "argument:shop")
	if h.status != 200 || h.header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%s", h)
	}
}

func nilFor(nothing bool, id string) any {
	if nothing {
		return nil
	}
	return id
}

// What a client may keep.
func TestModernLists(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	w := newWorld(t, base)
	s := w.serve(t, base, HTTP{})
	s.addToken(t, "another-token")
	h := s.ask(alone{method: "server/discover"})
	var d struct {
		SupportedVersions []string
		Capabilities      map[string]map[string]any
		Meta              map[string]struct{ Name, Version string } `json:"_meta"`
		TTLMs             int
		CacheScope        string
	}
	if err := json.Unmarshal(h.message().Result, &d); err != nil {
		t.Fatalf("%v: %s", err, h)
	}
	info := d.Meta["io.modelcontextprotocol/serverInfo"]
	if d.TTLMs != 300_000 || d.CacheScope != "private" || info.Name != "blue" || info.Version != "test" || fmt.Sprint(d.SupportedVersions) != "[2026-07-28 2025-11-25 2025-06-18 2025-03-26 2024-11-05]" {
		t.Errorf("%s", h)
	}
	for _, name := range []string{"tools", "resources", "prompts", "completions", "experimental"} {
		if c, ok := d.Capabilities[name]; !ok || c["listChanged"] != nil {
			t.Errorf("capability %s: %s", name, h)
		}
	}
	if _, ok := d.Capabilities["logging"]; ok {
		t.Errorf("logging is declared")
	}
	first := ""
	for i := range 10 {
		h := s.ask(alone{method: "tools/list", id: 1}, "Authorization", "Bearer "+s.tokens[i%2])
		if first == "" {
			first = h.body
		}
		if h.body != first || !strings.Contains(h.body, `"ttlMs":300000`) || !strings.Contains(h.body, `"cacheScope":"private"`) || strings.Contains(h.body, "x-mcp-header") {
			t.Errorf("%s", h)
		}
	}
	if h := s.ask(alone{method: "resources/list"}); !strings.Contains(h.body, `"resources":[]`) || !strings.Contains(h.body, `"ttlMs":0`) || !strings.Contains(h.body, `"cacheScope":"private"`) {
		t.Errorf("%s", h)
	}
	trust(t, s, base+"/shop")
	if o := outcomeOf(t, s.askTool("write", args("cwd", base+"/shop", "body", "On Fridays."))); o.IsError {
		t.Errorf("%s", o.text())
	}
	h = s.ask(alone{method: "resources/list", path: "/mcp?project_path=" + base + "/shop"})
	var l struct{ Resources []struct{ URI string } }
	if json.Unmarshal(h.message().Result, &l) != nil || len(l.Resources) != 3 || !strings.Contains(h.body, `"ttlMs":0`) {
		t.Fatalf("%s", h)
	}
	h = s.ask(alone{method: "resources/read", params: map[string]any{"uri": l.Resources[1].URI}})
	if h.status != 200 || !strings.Contains(h.body, "On Fridays.") || !strings.Contains(h.body, `"ttlMs":0`) || !strings.Contains(h.body, `"cacheScope":"private"`) || !strings.Contains(h.body, `"resultType":"complete"`) {
		t.Errorf("%s", h)
	}
	for tool, a := range everyTool {
		want := map[string]string{"use": "no_session", "remove": "not_found"}[tool]
		if want == "" {
			want = "argument:shop"
		}
		h := s.askTool(tool, inProject(base+"/shop", a))
		if expect(t, tool, outcomeOf(t, h), want); h.status != 200 {
			t.Errorf("%s: %s", tool, h)
		}
	}
}

// addToken adds a line to the token file, which counts from then on.
func (s *site) addToken(t testing.TB, token string) {
	t.Helper()
	path := s.d.o.Blue.Directory("config") + "/token"
	appendLine(t, path, "# one more\n"+token+"\n")
	s.tokens = append(s.tokens, token)
}

// fill takes every place of calls that run, so that no other can begin.
func (s *semaphore) fill() (release func()) {
	for range cap(s.running) {
		s.running <- struct{}{}
		s.queued <- struct{}{}
	}
	return func() {
		for range cap(s.running) {
			<-s.running
			<-s.queued
		}
	}
}

// A closed response ends its call, one that waits and one that runs.
func TestModernHangUp(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	wait := s.addStopped()
	call := func(tool string) *http.Request {
		return s.request("POST", "/mcp", callBody(t, 1, tool, args("cwd", base+"/other", "body", "x"), modernMeta),
			"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "blue_"+tool)
	}
	release := s.d.calls.fill()
	s.hangUp(call("write"), "waiting", func() bool { return len(s.d.calls.queued) == atOnce+1 })
	within(t, "cancelled", func() bool { return len(s.d.calls.queued) == atOnce })
	release()
	s.hangUp(call("stopped"), "running", func() bool { return wait.inside.Load() == 1 })
	select {
	case <-wait.hungUp:
	case <-time.After(waitTime):
		t.Error("the context of the handler goes on")
		close(wait.let)
	}
	if names := notes(base + "/other"); len(names) != 0 {
		t.Errorf("the cancelled call wrote %v", names)
	}
}

// Both eras at once; equal ids never cross.
func TestErasAtOnce(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	base, s := openSite(t, HTTP{})
	var group sync.WaitGroup
	for i := range 20 {
		name := []string{"shop", "other", "my proj"}[i%3]
		group.Go(func() {
			v := s.visit(`{}`)
			for id := range 20 {
				h := v.post(callBody(t, id, "list", args("cwd", base+"/"+name), nil))
				expect(t, "session", outcomeOf(t, h), "argument:"+name)
				if string(h.message().ID) != fmt.Sprint(id) {
					t.Errorf("%s", h)
				}
			}
		})
		group.Go(func() {
			for id := range 20 {
				h := s.ask(alone{method: "tools/call", id: id, params: map[string]any{"name": "blue_list", "arguments": args("cwd", base+"/"+name)}})
				expect(t, "no session", outcomeOf(t, h), "argument:"+name)
				if string(h.message().ID) != fmt.Sprint(id) {
					t.Errorf("%s", h)
				}
			}
		})
	}
	group.Wait()
}

// The client's roots in two passes.
func TestModernRoots(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	roots := `{"roots":{}}`
	call := func(tool string, a map[string]any, capabilities string, more map[string]any) heard {
		params := map[string]any{"name": "blue_" + tool, "arguments": a}
		for name, value := range more {
			params[name] = value
		}
		return s.ask(alone{method: "tools/call", params: params, capabilities: capabilities})
	}
	answers := func(dir string) map[string]any {
		return map[string]any{"inputResponses": map[string]any{"roots": map[string]any{"roots": []any{map[string]any{"uri": "file://" + dir}}}}}
	}
	h := call("list", args(), roots, nil)
	var first struct {
		ResultType    string
		InputRequests map[string]struct{ Method string }
		RequestState  *string
		Content       []any
	}
	if err := json.Unmarshal(h.message().Result, &first); err != nil || first.ResultType != "input_required" || len(first.InputRequests) != 1 ||
		first.InputRequests["roots"].Method != "roots/list" || first.RequestState != nil || len(first.Content) > 0 || strings.Contains(h.body, `"content":null`) {
		t.Errorf("%s", h)
	}
	h = call("list", args(), roots, answers(base+"/shop"))
	expect(t, "second pass", outcomeOf(t, h), "roots:shop")
	if !strings.Contains(h.body, `"resultType":"complete"`) {
		t.Errorf("%s", h)
	}
	call("write", args("body", "once"), roots, nil)
	if names := notes(base + "/other"); len(names) != 0 {
		t.Errorf("the first pass wrote %v", names)
	}
	expect(t, "write in the second pass", outcomeOf(t, call("write", args("body", "once"), roots, answers(base+"/other"))), "roots:other")
	if names := notes(base + "/other"); len(names) != 1 {
		t.Errorf("%v", names)
	}
	h = call("list", args(), "{}", nil)
	expect(t, "no roots", outcomeOf(t, h), "no_project")
	if strings.Contains(h.body, "input_required") || strings.Contains(h.body, "-32021") {
		t.Errorf("%s", h)
	}
	for _, responses := range []map[string]any{{}, {"other": map[string]any{"roots": []any{}}}} {
		o := outcomeOf(t, call("list", args(), roots, map[string]any{"inputResponses": responses}))
		expect(t, "no answer", o, "no_project")
		if got := fmt.Sprint(o.outcomeOf("roots")); got != "[no_answer]" {
			t.Errorf("%s", got)
		}
	}
	if h := call("list", args(), roots, map[string]any{"inputResponses": map[string]any{"roots": "x"}}); h.status != 400 || h.code() == 0 {
		t.Errorf("%s", h)
	}
	more := answers(base + "/shop")
	more["requestState"] = "unexpected"
	expect(t, "unexpected state", outcomeOf(t, call("list", args(), roots, more)), "roots:shop")
	for _, method := range []string{"tools/list", "prompts/list", "resources/list", "server/discover", "completion/complete"} {
		params := map[string]any{}
		if method == "completion/complete" {
			params = map[string]any{"ref": map[string]any{"type": "ref/prompt", "name": "recall"}, "argument": map[string]any{"name": "topic", "value": ""}}
		}
		if h := s.ask(alone{method: method, params: params, capabilities: roots}); h.status != 200 || strings.Contains(h.body, "input_required") {
			t.Errorf("%s: %s", method, h)
		}
	}
}

// A client that never comes back leaves nothing behind.
func TestModernClientNeverRetries(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	ask := alone{method: "tools/call", params: map[string]any{"name": "blue_list", "arguments": args()}, capabilities: `{"roots":{}}`}
	for range 20 * calls() {
		s.ask(ask)
	}
	left := 0
	for range s.server.Sessions() {
		left++
	}
	s.d.sessions.Range(func(any, any) bool { left++; return true })
	if left > 0 || s.d.web.Load().Sessions > 0 {
		t.Errorf("%d sessions left", left)
	}
}

// A reply depends on its own request alone.
func TestModernReplyIsTheSame(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	w := newWorld(t, base)
	ask := alone{method: "tools/call", id: 1, params: map[string]any{"name": "blue_where", "arguments": args("cwd", base+"/shop")}}
	bare := alone{method: "tools/call", id: 1, params: map[string]any{"name": "blue_list", "arguments": args(), "_meta": meta("2026-07-28")}}
	fresh := w.serve(t, base, HTTP{})
	one, two := fresh.ask(ask).body, w.serve(t, base, HTTP{}).ask(bare).body
	s := w.serve(t, base, HTTP{})
	v := s.visit(`{"roots":{}}`)
	v.roots = func(said) string { return rootsResult(base + "/other") }
	for range 25 {
		v.call("list", args())
		v.call("use", args("cwd", base+"/other"))
		s.askTool("list", args("cwd", base+"/other"))
		s.ask(alone{method: "notifications/roots/list_changed"})
	}
	if got := s.ask(ask).body; got != one {
		t.Errorf("got\n%s\nwant\n%s", got, one)
	}
	if got := s.ask(bare).body; got != two {
		t.Errorf("got\n%s\nwant\n%s", got, two)
	}
}
