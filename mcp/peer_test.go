package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

// peer is a client of a server that runs in this process.
type peer struct {
	t    testing.TB
	in   io.WriteCloser
	done chan error

	mu      sync.Mutex
	changed *sync.Cond
	replies map[string]said // by id as sent
	asked   []said          // requests of the server
	lines   []string
	ended   bool
}

// said is any line of the protocol.
type said struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int
		Message string
		Data    json.RawMessage
	} `json:"error"`
}

// world is what a server is started in.
type world struct {
	home    string // holds nothing but what tests put there
	dir     string // working directory of the server
	env     map[string]string
	project string // --project
	log     io.Writer
	now     func() time.Time

	textAlone bool // structured content is sent only when a call asks for it
}

func newWorld(t testing.TB, base string) world {
	t.Helper()
	home := filepath.Join(t.TempDir(), "user")
	must(t, os.MkdirAll(home, 0o755))
	return world{home: home, dir: base, env: map[string]string{}}
}

func (w world) options(t testing.TB) Options {
	out := w.log
	if out == nil {
		out = io.Discard
	}
	log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
	env := func(name string) string { return w.env[name] }
	b := blue.New(blue.Options{
		Home: w.home, Cache: filepath.Join(w.home, "cache"), State: filepath.Join(w.home, "state"), Config: filepath.Join(w.home, "config"),
		User: "tester", Env: env, Now: w.now, Log: log,
	})
	t.Cleanup(func() { b.Close() })
	var project *string
	if w.project != "" {
		project = &w.project
	}
	return Options{Version: "test", Project: project, Dir: w.dir, Blue: b, Env: env, Log: log, Structured: !w.textAlone}
}

// start serves in this process.
func (w world) start(t testing.TB) *peer {
	t.Helper()
	return startWith(t, w.options(t))
}

func startWith(t testing.TB, o Options) *peer {
	t.Helper()
	inReader, in := io.Pipe()
	outReader, out := io.Pipe()
	p := &peer{t: t, in: in, done: make(chan error, 1), replies: map[string]said{}}
	p.changed = sync.NewCond(&p.mu)
	go func() {
		p.done <- Serve(context.Background(), o, inReader, out)
		out.Close()
	}()
	go p.listen(outReader)
	t.Cleanup(func() { p.close() })
	return p
}

// slashed is a message with slashes in its paths, as those of the tests have them: on Windows the
// server writes C:\\shop.
func slashed(message string) string {
	if filepath.Separator == '/' {
		return message
	}
	return drivePath.ReplaceAllStringFunc(message, func(path string) string { return strings.ReplaceAll(path, `\\`, "/") })
}

// inLog is a pattern of a path as the log has it.
func inLog(path string) string {
	return `"?` + strings.ReplaceAll(regexp.QuoteMeta(filepath.FromSlash(path)), `\\`, `\\+`) + `"?`
}

// notAbsolute is the message for such a path.
func notAbsolute(path string) string { return filepath.ToSlash(errors.PathNotAbsolute(path).Message) }

var drivePath = regexp.MustCompile(`\b[A-Z]:(\\\\[^\\"]+)+`)

// listen sorts what the server writes.
func (p *peer) listen(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		line = slashed(line)
		p.mu.Lock()
		if err != nil {
			p.ended = true
			p.changed.Broadcast()
			p.mu.Unlock()
			return
		}
		p.lines = append(p.lines, line)
		var m said
		if json.Unmarshal([]byte(line), &m) != nil {
			p.t.Errorf("not a line of the protocol: %q", line)
		}
		switch {
		case m.Method != "" && len(m.ID) > 0:
			p.asked = append(p.asked, m)
		case m.Method == "":
			p.replies[string(m.ID)] = m
		}
		p.changed.Broadcast()
		p.mu.Unlock()
	}
}

// wait waits for a condition.
func (p *peer) wait(what string, ok func() bool) {
	p.t.Helper()
	timer := time.AfterFunc(waitTime, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended = true
		p.changed.Broadcast()
	})
	defer timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !ok() {
		if p.ended {
			p.t.Fatalf("waiting for %s: the server said no more; it had said:\n%s", what, strings.Join(p.lines, ""))
		}
		p.changed.Wait()
	}
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, strings.TrimSpace(line)+"\n"); err != nil {
		p.t.Fatalf("writing to the server: %v", err)
	}
}

// reply waits for the answer to the request with the id.
func (p *peer) reply(id any) said {
	p.t.Helper()
	key := fmt.Sprint(id)
	p.wait("the answer to "+key, func() bool { _, ok := p.replies[key]; return ok })
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.replies[key]
}

// open does the handshake of a legacy client.
func (p *peer) open(capabilities string) said {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":` + capabilities + `,"clientInfo":{"name":"peer","version":"1"}}}`)
	m := p.reply(0)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m
}

var nextID = func() func() int {
	var mu sync.Mutex
	id := 1000
	return func() int { mu.Lock(); defer mu.Unlock(); id++; return id }
}()

// ask sends a call of a tool and returns its id.
func (p *peer) ask(tool string, arguments map[string]any) int {
	p.t.Helper()
	return p.askMeta(tool, arguments, nil)
}

func (p *peer) askMeta(tool string, arguments, meta map[string]any) int {
	p.t.Helper()
	id := nextID()
	params := map[string]any{"name": "blue_" + tool, "arguments": arguments}
	if meta != nil {
		params["_meta"] = meta
	}
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
	if err != nil {
		p.t.Fatal(err)
	}
	p.send(string(line))
	return id
}

// outcome is what a test wants to know of a tool's answer.
type outcome struct {
	IsError bool
	Content []struct{ Text string }

	ResultType        string
	InputRequests     map[string]any
	StructuredContent struct {
		Project    *result.Ref
		OtherRoots []string `json:"other_roots"`
		Trace      []tried
		Error      string
		Message    string
		Candidates []string
		ID         string
		Revision   string
		Hits       []struct{ ID, Title string }
		Notes      json.RawMessage
		Created    bool
		Client     map[string]any
	}
}

type tried struct {
	Source  string
	Value   *string
	Outcome string
	Detail  string
}

func (o outcome) text() string {
	if len(o.Content) == 0 {
		return ""
	}
	return o.Content[0].Text
}

// source is "source:name" of the project found, or the kind of the failure.
func (o outcome) source() string {
	s := o.StructuredContent
	if s.Project == nil {
		if s.Error == "" {
			return "none"
		}
		return s.Error
	}
	if o.IsError {
		return s.Error
	}
	return s.Project.Source + ":" + s.Project.Name
}

// outcomeOf says of a source how it fared in the trace.
func (o outcome) outcomeOf(source string) (all []string) {
	for _, t := range o.StructuredContent.Trace {
		if t.Source == source {
			all = append(all, t.Outcome)
		}
	}
	return all
}

func (p *peer) outcome(id any) (o outcome) {
	p.t.Helper()
	m := p.reply(id)
	if m.Error != nil {
		p.t.Fatalf("call %v: protocol error %d %s", id, m.Error.Code, m.Error.Message)
	}
	if err := json.Unmarshal(m.Result, &o); err != nil {
		p.t.Fatalf("call %v: %v in %s", id, err, m.Result)
	}
	return o
}

// call calls a tool and waits.
func (p *peer) call(tool string, arguments map[string]any) outcome {
	p.t.Helper()
	return p.outcome(p.ask(tool, arguments))
}

// answer answers the n-th request of the server (from 1).
func (p *peer) answer(n int, result string) {
	p.t.Helper()
	p.wait(fmt.Sprintf("request %d of the server", n), func() bool { return len(p.asked) >= n })
	p.mu.Lock()
	id := p.asked[n-1].ID
	p.mu.Unlock()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, result))
}

func (p *peer) asks() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.asked)
}

// close ends the input and waits for the server to end.
func (p *peer) close() {
	p.in.Close()
	select {
	case err := <-p.done:
		p.done <- err
		if err != nil {
			p.t.Errorf("serving: %v", err)
		}
	case <-time.After(waitTime):
		p.t.Error("the server did not end")
	}
}

// rootsResult is the answer of a client to roots/list.
func rootsResult(dirs ...string) string {
	roots := []map[string]string{}
	for _, dir := range dirs {
		roots = append(roots, map[string]string{"uri": "file://" + strings.ReplaceAll(dir, " ", "%20")})
	}
	data, _ := json.Marshal(map[string]any{"roots": roots})
	return `"result":` + string(data)
}
