package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blue/errors"
	"blue/fixtures"
	"blue/mcp/internal/transport"
)

const pingBody = `{"jsonrpc":"2.0","id":"p","method":"ping"}`

// TestLegacyRefusals: what is refused before or beside a session, with its status,
// code and id.
func TestLegacyRefusals(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	in := []string{"Mcp-Session-Id", v.id}
	with := func(pairs ...string) []string { return append(in[:2:2], pairs...) }
	opening := fmt.Sprintf(openBody, `{}`)
	const both, events = "Accept must contain both 'application/json' and 'text/event-stream'", "Accept must contain 'text/event-stream' for GET requests"
	for _, test := range []struct {
		name, verb, body string
		pairs            []string
		status, code     int
		message, id      string // of the answer; "" is not looked at
	}{
		{"no Accept", "POST", opening, []string{"Accept", ""}, 400, -32000, both, "0"},
		{"Accept without events", "POST", opening, []string{"Accept", "application/json"}, 400, -32000, both, "0"},
		{"Accept of everything", "POST", opening, []string{"Accept", "*/*"}, 200, 0, "", "0"},
		{"no Content-Type", "POST", opening, []string{"Content-Type", ""}, 415, -32000, "", "null"},
		{"not JSON", "POST", "{nonsense", in, 400, -32700, "", "null"},
		{"stream without events", "GET", "", with("Accept", "application/json"), 400, -32000, events, "null"},
		{"stream replay", "GET", "", with("Last-Event-ID", "x_1"), 400, -32000, "stream replay unsupported", "null"},
		{"no session", "POST", pingBody, nil, 400, -32000, "Bad Request: No session ID provided", `"p"`},
		{"stream without a session", "GET", "", nil, 400, -32000, "Bad Request: No session ID provided", "null"},
		{"unknown session", "POST", pingBody, []string{"Mcp-Session-Id", "nobody"}, 404, -32001, "Session not found", `"p"`},
		{"end of an unknown session", "DELETE", "", []string{"Mcp-Session-Id", "nobody"}, 404, -32001, "Session not found", "null"},
		{"initialize in a session", "POST", opening, in, 400, -32600, "Server already initialized", "0"},
		{"unknown verb", "PUT", "", in, 405, -32000, "", "null"},
		{"unknown notification", "POST", `{"jsonrpc":"2.0","method":"notifications/unheard-of"}`, in, 202, 0, "", ""},
		{"unknown version", "POST", pingBody, with("MCP-Protocol-Version", "1999-01-01"), 400, -32000, "", `"p"`},
		{"malformed version", "POST", `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`, with("MCP-Protocol-Version", "garbage"), 400, -32602, "", "3"},
		{"initialize without params", "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, nil, 400, -32000, "", "1"},
		{"batch", "POST", "[" + pingBody + "]", with("MCP-Protocol-Version", "2024-11-05"), 400, -32600, "", "null"},
		{"unknown method", "POST", `{"jsonrpc":"2.0","id":9,"method":"no/such"}`, in, 200, -32601, "", "9"},
		{"unknown tool", "POST", `{"jsonrpc":"2.0","id":"t","method":"tools/call","params":{"name":"no_such"}}`, in, 200, -32602, "", `"t"`},
		{"id is a string", "POST", `{"jsonrpc":"2.0","id":"1","method":"ping"}`, in, 200, 0, "", `"1"`},
		{"id beyond float64", "POST", `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, in, 400, -32600, "", "null"},
		{"id is a fraction", "POST", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, in, 400, -32600, "", "null"},
	} {
		h := s.send(test.verb, "/mcp", test.body, test.pairs...)
		m := h.message()
		if h.status != test.status || h.code() != test.code || test.id != "" && string(m.ID) != test.id {
			t.Errorf("%s: %s %s %q: %s", test.name, test.verb, test.body, test.pairs, h)
		}
		if test.message != "" && (m.Error == nil || m.Error.Message != test.message) {
			t.Errorf("%s: message: %s", test.name, h)
		}
		if h.status >= 400 && h.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: an error that is not JSON: %s", test.name, h)
		}
		if h.status == 202 && h.body != "" || h.status == 405 && h.header.Get("Allow") != "GET, POST, DELETE" {
			t.Errorf("%s: %s", test.name, h)
		}
		if test.name == "unknown version" && !strings.Contains(h.body, "supported versions: 2026-07-28,2025-11-25") {
			t.Errorf("%s", h)
		}
		if test.name == "initialize without params" && h.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("a session was opened: %s", h)
		}
	}
	if h := s.send("HEAD", "/mcp", "", in...); h.status != 405 || h.header.Get("Allow") != "GET, POST, DELETE" {
		t.Errorf("HEAD: %s", h)
	}
	if h := v.post(pingBody); h.status != 200 || h.code() != 0 {
		t.Errorf("the session is harmed: %s", h)
	}
}

// gone checks that each verb answers as for a session that never was.
func (v *visitor) gone(when string) {
	v.t.Helper()
	for _, verb := range []string{"POST", "GET", "DELETE"} {
		if h := v.send(verb, "/mcp", pingBody, v.pairs...); h.status != 404 || h.code() != -32001 || h.message().Error.Message != "Session not found" {
			v.t.Fatalf("%s: %s: %s", when, verb, h) // a GET of a session that lives would not end
		}
	}
}

// How a session opens, and that its revision stays.
func TestLegacyInitialize(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	for _, test := range []struct{ asked, got string }{
		{"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"},
		{"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
		{"2099-01-01", "2025-11-25"}, {"2026-07-28", "2025-11-25"}, {"", "2025-11-25"},
	} {
		h := s.post(strings.Replace(fmt.Sprintf(openBody, `{}`), "2025-11-25", test.asked, 1))
		var r struct {
			ProtocolVersion string
			Capabilities    map[string]map[string]any
			ServerInfo      struct{ Name string }
		}
		if err := json.Unmarshal(h.message().Result, &r); err != nil {
			t.Fatalf("asked for %q: %v: %s", test.asked, err, h)
		}
		if h.status != 200 || r.ProtocolVersion != test.got || h.header.Get("MCP-Protocol-Version") != test.got || r.ServerInfo.Name != "blue" {
			t.Errorf("asked for %q: %s", test.asked, h)
		}
		// 26 characters of base32 hold 130 random bits.
		if !regexp.MustCompile(`^[!-~]{26,}$`).MatchString(h.header.Get("Mcp-Session-Id")) {
			t.Errorf("session id %q", h.header.Get("Mcp-Session-Id"))
		}
		for name, want := range map[string]string{"tools": "map[]", "resources": "map[]", "prompts": "map[]", "completions": "map[]", "logging": "map[]"} {
			got, there := r.Capabilities[name]
			if there == (name == "logging") || there && fmt.Sprint(got) != want {
				t.Errorf("capability %s: %v", name, r.Capabilities)
			}
		}
		v := &visitor{site: s, path: "/mcp", pairs: []string{"Mcp-Session-Id", h.header.Get("Mcp-Session-Id")}}
		for _, header := range []string{"", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
			o := v.call("where", args("cwd", base+"/shop"), "MCP-Protocol-Version", header)
			if got := o.StructuredContent.Client["protocol"]; got != test.got {
				t.Errorf("opened with %s, header %q: served under %v", test.got, header, got)
			}
		}
	}
}

// The three verbs of one session.
func TestLegacySession(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v, other := s.visit(`{}`), s.visit(`{}`)
	v.call("use", args("cwd", base+"/shop"))
	other.call("use", args("cwd", base+"/other"))
	stream, err := s.client.Do(s.request("GET", "/mcp", "", v.pairs...))
	must(t, err)
	defer stream.Body.Close()
	if stream.StatusCode != 200 || stream.Header.Get("Content-Type") != "text/event-stream" ||
		stream.Header.Get("Cache-Control") != "no-cache, no-transform" || stream.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("%d %v", stream.StatusCode, stream.Header)
	}
	if h := s.send("GET", "/mcp", "", v.pairs...); h.status != 409 || h.code() != -32000 {
		t.Errorf("%s", h)
	}
	h := v.post(callBody(t, 5, "list", args(), nil))
	expect(t, "call beside a stream", outcomeOf(t, h), "use:shop")
	if h.header.Get("Content-Type") == "text/event-stream" && h.header.Get("X-Accel-Buffering") != "no" || strings.Contains(h.body, "pending") {
		t.Errorf("%s", h)
	}
	if h := v.post(`{"jsonrpc":"2.0","id":77,"result":{}}`); h.status != 202 || h.body != "" {
		t.Errorf("%s", h)
	}
	var onStream atomic.Value
	ended := make(chan struct{})
	go func() {
		events(stream.Body, func(data string) bool { onStream.Store(data); return true })
		close(ended)
	}()
	if h := s.send("DELETE", "/mcp", "", v.pairs...); h.status != 204 || h.body != "" {
		t.Errorf("%s", h)
	}
	within(t, "all of the session gone, its stream too", func() bool {
		count := 0
		s.d.sessions.Range(func(any, any) bool { count++; return true })
		select {
		case <-ended:
			return count == 1 && len(slices.Collect(s.server.Sessions())) == 1
		default:
			return false
		}
	})
	v.gone("after its end")
	stream.Body.Close()
	<-ended
	if data := onStream.Load(); data != nil {
		t.Errorf("on the GET stream: %s", data)
	}
	expect(t, "another session", other.call("list", args()), "use:other")
}

// Every tool that is listed answers.
func TestListedToolsAnswer(t *testing.T) {
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	var list struct{ Tools []struct{ Name string } }
	if err := json.Unmarshal(v.post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).message().Result, &list); err != nil || len(list.Tools) != 8 {
		t.Fatalf("%v %v", err, list)
	}
	for _, tool := range list.Tools {
		name := strings.TrimPrefix(tool.Name, "blue_")
		want := map[string]string{"use": "use:shop", "remove": "not_found"}[name] // of everyTool
		if want == "" {
			want = "argument:shop"
		}
		expect(t, tool.Name, v.call(name, inProject(base+"/shop", everyTool[name])), want)
	}
}

// A stream stays open with its session, but does not keep one that makes
// no requests.
func TestSessionTimesOut(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	const idle = time.Second
	_, s := openSite(t, HTTP{SessionTimeout: idle})
	v := s.visit(`{}`)
	stream, err := s.client.Do(s.request("GET", "/mcp", "", v.pairs...))
	must(t, err)
	defer stream.Body.Close()
	ended := make(chan bool)
	go func() { events(stream.Body, func(string) bool { return true }); close(ended) }()
	for begun, used := time.Now(), time.Now(); used.Sub(begun) < 2*idle; {
		select {
		case <-ended:
		case <-time.After(idle / 4):
		}
		h := v.post(pingBody)
		if time.Since(used) > idle/2 {
			break // on a busy machine it may have been idle for long enough
		}
		if used = time.Now(); h.status != 200 {
			t.Fatalf("a session in use: %s", h)
		}
	}
	select {
	case <-ended:
	case <-time.After(waitTime):
		t.Error("the stream outlives its session")
	}
	within(t, "404", func() bool { h := v.post(pingBody); return h.status == 404 && h.code() == -32001 })
	v.gone("after its time")
}

// A hundred at once.
func TestManySessionsAtOnce(t *testing.T) {
	t.Parallel()
	_, s := openSite(t, HTTP{})
	var mu sync.Mutex
	seen := map[string]bool{}
	var group sync.WaitGroup
	for range 100 {
		group.Go(func() {
			v := s.visit(`{}`)
			mu.Lock()
			defer mu.Unlock()
			seen[v.id] = true
		})
	}
	group.Wait()
	if len(seen) != 100 {
		t.Errorf("%d ids", len(seen))
	}
}

// A client that hangs up does not tear its note. The call of a session
// goes on without it.
func TestHangUpDuringWrite(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	base, s := openSite(t, HTTP{})
	v := s.visit(`{}`)
	release := s.d.calls.fill()
	r := s.request("POST", "/mcp", callBody(t, 1, "write", args("cwd", base+"/my proj", "body", "whole"), nil), v.pairs...)
	s.hangUp(r, "the call waiting", func() bool { return len(s.d.calls.queued) == atOnce+1 })
	within(t, "seen to be gone", func() bool { return s.d.web.Load().Messages == 0 })
	for range 20 { // in which a cancellation would arrive
		if h := v.post(pingBody); h.status != 200 || len(s.d.calls.queued) != atOnce+1 {
			t.Errorf("the call no longer waits: %s", h)
		}
	}
	release()
	within(t, "run to its end", func() bool { return len(notes(base+"/my proj")) == 1 && len(s.d.calls.queued) == 0 })
	body := strings.Repeat("line of a long note\n", 5000) + "end"
	for i := range 40 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i*i/4)*time.Millisecond)
		meta, pairs := map[string]any(nil), v.pairs
		if i%2 == 1 {
			meta, pairs = modernMeta, []string{"MCP-Protocol-Version", transport.FirstModern, "Mcp-Method", "tools/call", "Mcp-Name", "blue_write"}
		}
		r := s.request("POST", "/mcp", callBody(t, i, "write", args("cwd", base+"/other", "title", fmt.Sprint("n", i), "body", body), meta), pairs...)
		if response, err := s.client.Do(r.WithContext(ctx)); err == nil {
			response.Body.Close()
		}
		cancel()
	}
	within(t, "all calls done", func() bool { return s.d.web.Load().Messages == 0 && len(s.d.calls.queued) == 0 })
	names, _ := filepath.Glob(base + "/other/.blue/notes/*")
	if len(names) == 0 {
		t.Error("no write came through")
	}
	for _, name := range names {
		if filepath.Ext(name) != ".md" {
			t.Errorf("left behind: %s", name)
		} else if o := v.call("read", args("cwd", base+"/other", "id", strings.TrimSuffix(filepath.Base(name), ".md"), "max_tokens", 10000)); o.IsError {
			t.Errorf("%s", o.text())
		}
		whole(t, name, "end\n")
	}
	if o := v.call("write", args("cwd", base+"/other", "body", "the lock is free")); o.IsError {
		t.Errorf("%s", o.text())
	}
}

// What a new server knows of the old one.
func TestRestart(t *testing.T) {
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	w := newWorld(t, base)
	first := w.serve(t, base, HTTP{})
	v := first.visit(`{}`)
	expect(t, "no session", outcomeOf(t, first.askTool("list", args("cwd", base+"/shop"))), "argument:shop")
	must(t, first.stop())
	second := w.serve(t, base, HTTP{})
	v.site = second
	v.gone("after a restart")
	expect(t, "new session", second.visit(`{}`).call("list", args("cwd", base+"/shop")), "argument:shop")
	expect(t, "no session, after the restart", outcomeOf(t, second.askTool("list", args("cwd", base+"/shop"))), "argument:shop")
}

// Bodies and headers that are too long, or do not come.
func TestLongAndSlowRequests(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	s := newWorld(t, base).serve(t, base, HTTP{}, func(s *transport.Server) { s.BodyTime = 300 * time.Millisecond })
	v := s.visit(`{}`)
	empty := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}`
	fits := strings.Replace(empty, `""`, `"`+strings.Repeat("x", 1<<20-len(empty))+`"`, 1)
	long := fits + " "
	if h := v.post(long); h.status != 413 || h.code() != -32000 {
		t.Errorf("%s", h)
	}
	r := s.request("POST", "/mcp", "", v.pairs...)
	r.Body, r.ContentLength, r.GetBody = http.NoBody, -1, nil
	r.Body = struct {
		*strings.Reader
		nothing
	}{strings.NewReader(long), nothing{}}
	if h := s.do(r, nil); h.status != 413 || h.code() != -32000 {
		t.Errorf("chunked: %s", h)
	}
	if h := s.send("GET", "/mcp", "", "Padding", strings.Repeat("x", 80<<10)); h.status != 431 {
		t.Errorf("header: %d", h.status)
	}
	if h := v.post(fits); h.status != 200 {
		t.Errorf("just fits: %.300s", h)
	}
	if d := transport.New(transport.Options{}).BodyTime; d != 30*time.Second {
		t.Errorf("a stalled body has %v", d)
	}
	conn := s.raw(t)
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\nAccept: */*\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", s.tokens[0])
	if answer, took := drain(t, conn); !strings.HasPrefix(answer, "HTTP/1.1 408") {
		t.Errorf("stalled body: %v %q", took, answer)
	}
	conn = s.raw(t)
	go func() { // a header without an end: the server has to end it
		_, err := io.WriteString(conn, "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nSlow: ")
		for ; err == nil; time.Sleep(100 * time.Millisecond) {
			_, err = conn.Write([]byte("x"))
		}
	}()
	if _, took := drain(t, conn); took < 4*time.Second {
		t.Errorf("slow header: closed after %v", took)
	}
}

type nothing struct{}

func (nothing) Close() error { return nil }

func (s *site) raw(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", s.port))
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// drain reads until the server closes.
func drain(t *testing.T, conn net.Conn) (string, time.Duration) {
	t.Helper()
	began := time.Now()
	_ = conn.SetReadDeadline(began.Add(waitTime))
	var all strings.Builder
	buffer := make([]byte, 4096)
	for {
		n, err := conn.Read(buffer)
		all.Write(buffer[:n])
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the connection is still open after %v", waitTime)
		}
		if err != nil {
			return all.String(), time.Since(began)
		}
	}
}
