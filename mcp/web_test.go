package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/fixtures"
	"blue/mcp/internal/transport"
)

// site is a server on HTTP in this process, behind a real listener.
type site struct {
	t      testing.TB
	d      *door
	server *mcp.Server
	root   string // http://127.0.0.1:PORT
	port   int
	tokens []string
	client *http.Client
	stop   func() error
}

// serve starts a site. Without AllowRoots it serves what lies below base.
func (w world) serve(t testing.TB, base string, h HTTP, change ...func(*transport.Server)) *site {
	t.Helper()
	o := w.options(t)
	if h.Addr == "" {
		h.Addr = "127.0.0.1:0"
	}
	if h.AllowRoots == nil && base != "" {
		h.AllowRoots = []string{base}
	}
	at, err := h.check(o)
	must(t, err)
	known, err := h.tokens(o)
	must(t, err)
	listener, err := at.Listen()
	must(t, err)
	at.Port = listener.Addr().(*net.TCPAddr).Port
	d, server := newHTTPDoor(o, h, at, known)
	s := &site{t: t, d: d, server: server, root: "http://" + listener.Addr().String(), port: at.Port}
	for _, c := range change {
		c(d.web)
	}
	if known != nil {
		data, err := os.ReadFile(known.Path)
		must(t, err)
		s.tokens = strings.Fields(string(data))
	}
	s.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.web.Run(ctx, listener) }()
	s.stop = func() error {
		cancel()
		err := <-ended
		ended <- err
		return err
	}
	t.Cleanup(func() {
		s.client.CloseIdleConnections() // one never used would be waited for
		if err := s.stop(); err != nil {
			t.Errorf("ending the server: %v", err)
		}
	})
	return s
}

// openSite is a site of the fixture, with its base directory.
func openSite(t testing.TB, h HTTP) (string, *site) {
	t.Helper()
	base := filepath.ToSlash(fixtures.Project(t, "shop"))
	w := newWorld(t, filepath.Join(base, "elsewhere"))
	return base, w.serve(t, base, h)
}

// heard is an answer of the server.
type heard struct {
	status   int
	header   http.Header
	body     string
	messages []said
}

// message is the one message of the body.
func (h heard) message() said {
	if len(h.messages) == 0 {
		return said{}
	}
	return h.messages[len(h.messages)-1]
}

func (h heard) code() int {
	if e := h.message().Error; e != nil {
		return e.Code
	}
	return 0
}

func (h heard) String() string { return fmt.Sprintf("%d %v %s", h.status, h.header, h.body) }

// request makes one. Pairs are headers, "" takes one away.
func (s *site) request(method, path, body string, pairs ...string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequest(method, s.root+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if len(s.tokens) > 0 {
		r.Header.Set("Authorization", "Bearer "+s.tokens[0])
	}
	for i := 0; i < len(pairs); i += 2 {
		switch {
		case pairs[i] == "Host":
			r.Host = pairs[i+1]
		case pairs[i+1] == "":
			r.Header.Del(pairs[i])
		default:
			r.Header.Set(pairs[i], pairs[i+1])
		}
	}
	return r
}

// send makes a request and reads the whole answer.
func (s *site) send(method, path, body string, pairs ...string) heard {
	s.t.Helper()
	return s.do(s.request(method, path, body, pairs...), nil)
}

// do reads an answer; asked gets each request of the server as it comes.
func (s *site) do(r *http.Request, asked func(said)) heard {
	s.t.Helper()
	response, err := s.client.Do(r)
	if err != nil {
		s.t.Errorf("%s %s: %v", r.Method, r.URL, err)
		return heard{}
	}
	defer response.Body.Close()
	h := heard{status: response.StatusCode, header: response.Header}
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		data, _ := io.ReadAll(response.Body)
		h.body = slashed(string(data))
		var m said
		if json.Unmarshal([]byte(h.body), &m) == nil {
			h.messages = append(h.messages, m)
		}
		return h
	}
	events(response.Body, func(data string) bool {
		var m said
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			s.t.Errorf("event %q: %v", data, err)
		}
		h.body += data + "\n"
		h.messages = append(h.messages, m)
		if m.Method != "" && len(m.ID) > 0 && asked != nil {
			asked(m)
		}
		return true
	})
	return h
}

// events reads a stream until it ends or next is false.
func events(stream io.Reader, next func(data string) bool) {
	lines := bufio.NewReader(stream)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok && !next(slashed(strings.TrimSpace(data))) {
			return
		}
	}
}

func (s *site) post(body string, pairs ...string) heard {
	s.t.Helper()
	return s.send(http.MethodPost, "/mcp", body, pairs...)
}

const openBody = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":%s,"clientInfo":{"name":"visitor","version":"1"}}}`

// visitor is a legacy session.
type visitor struct {
	*site
	id    string
	path  string
	pairs []string
	roots func(said) string // answers roots/list with `"result":…`, "" with silence
	asks  int
}

func (s *site) visit(capabilities string, pairs ...string) *visitor {
	s.t.Helper()
	h := s.post(fmt.Sprintf(openBody, capabilities), pairs...)
	v := &visitor{site: s, id: h.header.Get("Mcp-Session-Id"), path: "/mcp", pairs: append([]string{"Mcp-Session-Id", h.header.Get("Mcp-Session-Id")}, pairs...)}
	if v.id == "" {
		s.t.Errorf("no session: %s", h)
	}
	if h := v.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`); h.status != http.StatusAccepted || h.body != "" {
		s.t.Errorf("notifications/initialized: %s", h)
	}
	return v
}

func (v *visitor) post(body string, pairs ...string) heard {
	v.t.Helper()
	return v.do(v.request(http.MethodPost, v.path, body, append(v.pairs[:len(v.pairs):len(v.pairs)], pairs...)...), func(m said) {
		v.asks++
		if v.roots == nil {
			return
		}
		if answer := v.roots(m); answer != "" {
			v.send(http.MethodPost, v.path, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, answer), v.pairs...)
		}
	})
}

func callBody(t testing.TB, id any, tool string, arguments, meta map[string]any) string {
	t.Helper()
	params := map[string]any{"name": "blue_" + tool, "arguments": arguments}
	if meta != nil {
		params["_meta"] = meta
	}
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
	must(t, err)
	return string(data)
}

// call calls a tool in the session.
func (v *visitor) call(tool string, arguments map[string]any, pairs ...string) outcome {
	v.t.Helper()
	return outcomeOf(v.t, v.post(callBody(v.t, nextID(), tool, arguments, nil), pairs...))
}

func outcomeOf(t testing.TB, h heard) (o outcome) {
	t.Helper()
	m := h.message()
	if m.Error != nil || m.Result == nil {
		t.Errorf("no result: %s", h)
		return o
	}
	if err := json.Unmarshal(m.Result, &o); err != nil {
		t.Errorf("%v in %s", err, m.Result)
	}
	return o
}

// alone is a request of 2026-07-28.
type alone struct {
	method       string
	params       map[string]any
	capabilities string // of the client, "{}" when empty
	path         string
	id           any
	bare         bool // without _meta
}

// ask sends it.
func (s *site) ask(a alone, pairs ...string) heard {
	s.t.Helper()
	params := map[string]any{}
	for name, value := range a.params {
		params[name] = value
	}
	if a.capabilities == "" {
		a.capabilities = "{}"
	}
	if _, own := params["_meta"]; !own && !a.bare {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": json.RawMessage(a.capabilities),
			"io.modelcontextprotocol/clientInfo":         map[string]string{"name": "loner", "version": "1"},
		}
	}
	message := map[string]any{"jsonrpc": "2.0", "method": a.method, "params": params}
	if a.id == nil && !strings.HasPrefix(a.method, "notifications/") {
		a.id = nextID()
	}
	if a.id != nil {
		message["id"] = a.id
	}
	data, err := json.Marshal(message)
	if err != nil {
		s.t.Fatal(err)
	}
	head := []string{"MCP-Protocol-Version", "2026-07-28", "Mcp-Method", a.method}
	for _, name := range []string{"name", "uri"} {
		if value, ok := params[name].(string); ok {
			head = append(head, "Mcp-Name", value)
		}
	}
	if a.path == "" {
		a.path = "/mcp"
	}
	return s.send(http.MethodPost, a.path, string(data), append(head, pairs...)...)
}

func (s *site) askTool(tool string, arguments map[string]any, pairs ...string) heard {
	s.t.Helper()
	return s.ask(alone{method: "tools/call", params: map[string]any{"name": "blue_" + tool, "arguments": arguments}}, pairs...)
}

// stopped is a tool that waits in its handler until let is closed.
type stopped struct {
	inside atomic.Int64
	let    chan struct{}
	hungUp chan struct{} // one for each handler whose context ended first
}

// addStopped adds the tool blue_stopped.
func (s *site) addStopped() *stopped {
	w := &stopped{let: make(chan struct{}), hungUp: make(chan struct{}, 100)}
	s.server.AddTool(&mcp.Tool{Name: "blue_stopped", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		w.inside.Add(1)
		defer w.inside.Add(-1)
		select {
		case <-ctx.Done():
			w.hungUp <- struct{}{}
		case <-w.let:
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "let go"}}}, nil
	})
	return w
}

// hangUp sends a request and goes away when the server has come so far.
func (s *site) hangUp(r *http.Request, what string, far func() bool) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(r.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		if response, err := s.client.Do(r.WithContext(ctx)); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
	}()
	within(s.t, what, far)
	cancel()
	<-gone
}

// within waits for a condition.
func within(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > waitTime {
			t.Errorf("after %v: not %s", waitTime, what)
			return
		}
	}
}

// waitTime is how long a test waits for what has to happen before it says that it does
// not happen. It is no measure of speed: no test fails because a machine is slow.
const waitTime = time.Minute

// whole checks the end of a file.
func whole(t *testing.T, name, end string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(string(data), end) {
		t.Errorf("%s is torn (%v)", name, err)
	}
}

func notes(dir string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, ".blue", "notes", "*"))
	return names
}

func appendLine(t testing.TB, path, line string) {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	must(t, os.WriteFile(path, append(data, line...), 0o600))
}
