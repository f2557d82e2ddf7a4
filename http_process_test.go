package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// output is what a process says, while it says it.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// served is a running `blue mcp --http`.
type served struct {
	cmd    *exec.Cmd
	out    output // which stays empty (promise 15)
	err    output
	url    string
	token  string
	client *http.Client
}

var boundURL = regexp.MustCompile(`(?m)^Blue MCP on (http://[^,]+/mcp), (token in (.+)|without a token)$`)

// httpServer starts a server and waits until it has named its URL.
func (p place) httpServer(t testing.TB, env []string, args ...string) *served {
	t.Helper()
	return p.listening(t, p.command(t, append([]string{"mcp"}, args...)...), env)
}

// listening starts the command of a server.
func (p place) listening(t testing.TB, command *exec.Cmd, env []string) *served {
	t.Helper()
	s := &served{cmd: command, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	s.cmd.Env = append(s.cmd.Env, env...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.err
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		if said := s.out.String(); said != "" {
			t.Errorf("promise 15: a server on HTTP says on standard output: %q", said)
		}
	})
	for end := time.Now().Add(10 * time.Second); s.url == ""; time.Sleep(5 * time.Millisecond) {
		if m := boundURL.FindStringSubmatch(s.err.String()); m != nil {
			s.url = m[1]
		}
		if time.Now().After(end) {
			t.Fatalf("no URL; standard error:\n%s", s.err.String())
		}
	}
	data, _ := os.ReadFile(p.config("token"))
	s.token = strings.TrimSpace(string(data))
	return s
}

func (p place) config(name string) string {
	return filepath.Join(p.base, "home", "CONFIG", "blue", name)
}

func (s *served) request(ctx context.Context, verb, session, body string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, verb, s.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	return s.client.Do(r)
}

// post sends a message and returns the whole answer, and the session it opened.
func (s *served) post(session, body string) (answer, opened string, err error) {
	response, err := s.request(context.Background(), http.MethodPost, session, body)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return string(data), response.Header.Get("Mcp-Session-Id"), err
}

// open opens a session.
func (s *served) open(t testing.TB, capabilities string) string {
	t.Helper()
	_, session, err := s.post("", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"test","version":"1"}}}`)
	if err != nil || session == "" {
		t.Fatalf("no session: %v\n%s", err, s.err.String())
	}
	if _, _, err := s.post(session, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		t.Fatal(err)
	}
	return session
}

// fails runs a command that must fail and returns its exit code and what it says.
func (p place) fails(t *testing.T, env []string, args ...string) (code int, said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c := p.command(t, args...)
	timed := exec.CommandContext(ctx, c.Path, c.Args[1:]...)
	timed.Dir, timed.Env = c.Dir, append(c.Env, env...)
	out, err := timed.CombinedOutput()
	if err == nil || ctx.Err() != nil {
		t.Errorf("blue %s did not fail: %s", strings.Join(args, " "), out)
	}
	return timed.ProcessState.ExitCode(), string(out)
}

// A021: without a home directory the hints are commands that work.
func TestA021HomeUnset(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	unset := []string{"HOME=", "USERPROFILE="}
	code, said := p.fails(t, unset, "mcp", "--http", "127.0.0.1:0")
	if code != 2 || !strings.Contains(said, "home directory is unknown") || !strings.Contains(said, "set HOME to") {
		t.Errorf("exit %d: %s", code, said)
	}
	hints := regexp.MustCompile(`(?m)^blue: hint: .*: blue (mcp .*)$`).FindAllStringSubmatch(said, -1)
	for _, hint := range hints {
		args := strings.Fields(strings.ReplaceAll(hint[1], "DIR", p.base))
		if slices.Equal(args, []string{"mcp", "--http", "127.0.0.1:0"}) {
			t.Errorf("the hint repeats the command: %q", hint[0])
		}
		p.httpServer(t, unset, args[1:]...) // fails the test unless it serves
	}
	if len(hints) != 1 {
		t.Errorf("%d commands in %s", len(hints), said)
	}
}

// X064, X065, X067, X079, X080, X083: what keeps a server from starting.
func TestHTTPRefusesToStart(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	busy := taken.Addr().String()
	_, port, _ := net.SplitHostPort(busy)
	for _, test := range []struct {
		row, env string
		args     []string
		code     int
		said     []string
	}{
		{"X065", "", []string{"--http", "0.0.0.0:0", "--no-auth", "--host-name", "x", "--allow-root", p.base}, 2, []string{"--no-auth"}},
		{"X067", "", []string{"--http", "0.0.0.0:0", "--no-auth"}, 2, []string{"--no-auth", "--host-name", "--allow-root"}},
		{"X067", "", []string{"--http", "0.0.0.0:0"}, 2, []string{"--host-name", "--allow-root"}},
		{"X079", "", []string{"--http", busy}, 1, []string{"port " + port + " is already in use", "blue mcp --http 127.0.0.1:"}},
		{"X080", "BLUE_MCP_PORT=abc", []string{"--http", "127.0.0.1"}, 2, []string{"BLUE_MCP_PORT"}},
		{"X083", "", []string{"--http", "127.0.0.1:x"}, 2, []string{"HOST:PORT, HOST or PORT"}},
		{"X083", "", []string{"--http", ""}, 2, []string{"HOST:PORT, HOST or PORT"}},
		{"X083", "", []string{"--http", "127.0.0.1:0", "--no-such"}, 2, []string{"--no-such", "--project", "--debug", "--http", "--host-name", "--allow-root", "--no-auth", "--sse", "--session-timeout"}},
		{"X083", "", []string{"--http", "127.0.0.1:0", "--session-timeout", "long"}, 2, []string{"session-timeout"}},
		{"X083", "", []string{"--http", "127.0.0.1:0", "--session-timeout", "0s"}, 2, []string{"--session-timeout"}},
		{"A021", "", []string{"--http", "127.0.0.1:0", "--allow-root", p.base + "/nope"}, 2, []string{`--allow-root cannot be "` + p.base + `/nope": it does not exist`}},
		{"A021", "", []string{"--http", port}, 1, []string{"port " + port + " is already in use"}},
		{"X083", "", []string{"--http", "127.0.0.1:0", "extra"}, 2, []string{"extra"}},
	} {
		code, said := p.fails(t, []string{test.env}, append([]string{"mcp"}, test.args...)...)
		if code != test.code || strings.Contains(said, "Blue MCP on") {
			t.Errorf("%s: %q: exit %d: %s", test.row, test.args, code, said)
		}
		for _, want := range test.said {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q: no %q in %s", test.row, test.args, want, said)
			}
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("the rest needs modes and links")
	}
	if info, err := os.Stat(p.config("token")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("X064: %v %v", info, err)
	}
	if err := os.Chmod(p.config("token"), 0o644); err != nil {
		t.Fatal(err)
	}
	if code, said := p.fails(t, nil, "mcp", "--http", "127.0.0.1:0"); code != 2 || !strings.Contains(said, "chmod 600 "+p.config("token")) {
		t.Errorf("X064: exit %d: %s", code, said)
	}
	if err := os.Rename(p.config("token"), p.config("other")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.config("other"), p.config("token")); err != nil {
		t.Fatal(err)
	}
	if code, said := p.fails(t, nil, "mcp", "--http", "127.0.0.1:0"); code != 2 {
		t.Errorf("X064: exit %d: %s", code, said)
	}
}

// X065, X080, X081, X094: what a server says of itself.
func TestHTTPStarts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.httpServer(t, []string{"MCPGODEBUG=x=1"}, "--http", ":0", "--debug")
	if strings.HasSuffix(s.url, ":0/mcp") || !strings.HasPrefix(s.url, "http://127.0.0.1:") || s.token == "" {
		t.Errorf("X081: %s", s.err.String())
	}
	path := filepath.Join(p.base, "home", "STATE", "blue", "http", fmt.Sprint(s.cmd.Process.Pid))
	data, err := os.ReadFile(path)
	if err != nil || strings.TrimSpace(string(data)) != s.url {
		t.Errorf("X081: %v: %q, want %q", err, data, s.url)
	}
	if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("X081: mode %v", info.Mode())
	}
	p.run(t, "setup", "cursor", "--scope", "project", "--http", "running")
	if text, err := os.ReadFile(filepath.Join(p.project, ".cursor", "mcp.json")); err != nil || !strings.Contains(string(text), s.url) {
		t.Errorf("X081: setup, of a server on %s: %v: %s", s.url, err, text)
	}
	if said := p.run(t, "doctor", "cursor"); !strings.Contains(said, s.url) {
		t.Errorf("X081: doctor, of a server on %s:\n%s", s.url, said)
	}
	session := s.open(t, `{}`)
	s.url += "?token=" + s.token
	if answer, _, err := s.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_where","arguments":{"cwd":"/nowhere"}}}`); err != nil || !strings.Contains(answer, "not used over HTTP") && !strings.Contains(answer, "outside") {
		t.Errorf("blue_where: %v %s", err, answer)
	}
	if n := strings.Count(s.err.String(), "MCPGODEBUG"); n != 1 {
		t.Errorf("X094: %d warnings:\n%s", n, s.err.String())
	}
	token := s.token
	s.token = ""
	if answer, _, err := s.post(session, hello); err != nil || !strings.Contains(answer, `"error"`) {
		t.Errorf("X062: a token in the URL alone: %v %s", err, answer)
	}
	debug, _ := filepath.Glob(filepath.Join(p.base, "home", "STATE", "blue", "*debug*"))
	logs := ""
	for _, path := range debug {
		data, err := os.ReadFile(path)
		must(t, err)
		logs += string(data)
	}
	if !strings.Contains(logs, "tool=blue_where") || strings.Contains(logs+s.err.String(), token) {
		t.Errorf("X062: standard error:\n%s\nthe debug log %q:\n%s", s.err.String(), debug, logs)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(free.Addr().String())
	free.Close()
	open := p.httpServer(t, []string{"BLUE_MCP_PORT=" + port}, "--http", "127.0.0.1", "--no-auth")
	if open.url != "http://127.0.0.1:"+port+"/mcp" {
		t.Errorf("X080: %s", open.url)
	}
	open.token = ""
	open.open(t, `{}`)
	if n := strings.Count(open.err.String(), "level=WARN"); n != 1 || !strings.Contains(open.err.String(), "--no-auth") {
		t.Errorf("X065: %d warnings:\n%s", n, open.err.String())
	}
}

// X082, D172: flags of HTTP mean nothing on stdio.
func TestHTTPFlagsOnStdio(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := p.command(t, "mcp", "--no-auth", "--host-name", "x", "--sse", "--allow-root", "/w")
	c.Stdin = strings.NewReader(hello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_list","arguments":{}}}` + "\n")
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil || !strings.Contains(string(out), `"serverInfo"`) {
		t.Errorf("X082: %v %s", err, out)
	}
	if !strings.Contains(string(out), "Project: shop at "+p.project+" (source: cwd)") {
		t.Errorf("D172: --allow-root counts on stdio: %s", out)
	}
	for _, name := range []string{"--no-auth", "--host-name", "--sse", "--allow-root"} {
		if n := strings.Count(stderr.String(), "warning: "+name+" "); n != 1 {
			t.Errorf("X082 D172: %d warnings of %s:\n%s", n, name, stderr.String())
		}
	}
}

// X087: the end of a server with one call running and one stream open.
func TestHTTPStops(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("X087 needs signals")
	}
	p := newPlace(t)
	for _, twice := range []bool{false, true} {
		s := p.httpServer(t, nil, "--http", "127.0.0.1:0")
		session := s.open(t, `{"roots":{}}`)
		stream, err := s.request(context.Background(), http.MethodGet, session, "")
		if err != nil || stream.StatusCode != http.StatusOK {
			t.Fatal(err, stream)
		}
		defer stream.Body.Close()
		type result struct {
			text string
			err  error
		}
		answered := make(chan result, 1)
		asked, err := s.request(context.Background(), http.MethodPost, session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_list","arguments":{}}}`)
		if err != nil {
			t.Fatal(err)
		}
		defer asked.Body.Close() // headers come with the question for roots, to which no answer is given
		go func() {
			data, err := io.ReadAll(asked.Body)
			answered <- result{string(data), err}
		}()
		began := time.Now()
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if twice {
			time.Sleep(200 * time.Millisecond)
			_ = s.cmd.Process.Signal(syscall.SIGTERM)
		}
		err = s.cmd.Wait()
		took := time.Since(began)
		if twice {
			if err == nil || took > time.Second {
				t.Errorf("X087: a second signal: %v after %v", err, took)
			}
			continue
		}
		if r := <-answered; err != nil || took > 10*time.Second || r.err != nil || !strings.Contains(r.text, "no_project") {
			t.Errorf("X087: %v after %v: %+v\n%s", err, took, r, s.err.String())
		}
		if _, err := io.ReadAll(stream.Body); err != nil {
			t.Errorf("X087: the stream: %v", err)
		}
		if left, _ := filepath.Glob(filepath.Join(p.base, "home", "STATE", "blue", "http", "*")); len(left) > 0 {
			t.Errorf("X081: left behind: %v", left)
		}
	}
}

// X088, promise 24: 2,000 calls at once are all answered, in bounded memory.
func TestHTTPFlood(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "write", "--title", "Deploys", "On Fridays.")
	s := p.httpServer(t, nil, "--http", "127.0.0.1:0", "--allow-root", p.base)
	var sessions []string
	for range 50 {
		sessions = append(sessions, s.open(t, `{}`))
	}
	small := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_search","arguments":{"query":"deploys","cwd":%q}}}`
	large := strings.TrimSuffix(small, "}}}") + `,"type":"` + strings.Repeat("x", 1000<<10) + `"}}}`
	var lost atomic.Int64
	var calls sync.WaitGroup
	all := 2000
	if testing.Short() {
		all = 400
	}
	for i := range all {
		calls.Go(func() {
			body := small
			if i%20 == 0 {
				body = large
			}
			answer, _, err := s.post(sessions[i%50], fmt.Sprintf(body, i, filepath.ToSlash(p.project)))
			if err != nil || !strings.Contains(answer, "too many large messages") && (!strings.Contains(answer, fmt.Sprintf(`"id":%d,`, i)) || !strings.Contains(answer, `"hits"`) && !strings.Contains(answer, `"busy"`)) {
				t.Logf("X088: call %d: %v %.300s", i, err, answer)
				lost.Add(1)
			}
		})
	}
	calls.Wait()
	if lost.Load() > 0 {
		t.Errorf("X088: %d of %d calls without an answer", lost.Load(), all)
	}
	peak := peakMemory(s.cmd.Process.Pid)
	if peak > 150<<10 {
		t.Errorf("X088: peak memory %d kB", peak)
	}
	t.Logf("%d calls at once, one of twenty of 1 MB: peak memory %d kB", all, peak)
}
