package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"blue/errors"
)

var (
	restarts    = flag.Int("restarts", 3, "how often the server of promise 18 is restarted")
	restartTime = flag.Duration("restart-every", 300*time.Millisecond, "how long a server of promise 18 runs")
)

// visits is what clients saw while their server was restarted under them.
type visits struct {
	t       *testing.T
	p       place
	s       *served // its address and token stay
	calls   atomic.Int64
	retries atomic.Int64 // after a failure of the transport
	unknown atomic.Int64 // answers 404 to a session
	failed  atomic.Int64

	down sync.RWMutex // held while the server is restarted, and by clients that begin anew

	mu   sync.Mutex
	made map[string]bool // titles of notes that were acknowledged
}

// Promise 18: the server ends and comes again, half of the time by kill -9. Clients
// without sessions notice one failure of the transport at most for each call, those
// with sessions one 404; and no write is doubled.
func TestPromise18Restarts(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	start := func(args ...string) *served {
		return p.httpServer(t, nil, append(args, "--http", free.Addr().String(), "--allow-root", p.base)...)
	}
	s := start()
	v := &visits{t: t, p: p, s: s, made: map[string]bool{}}
	done := make(chan struct{})
	var clients sync.WaitGroup
	for i := range 3 {
		clients.Go(func() { v.stateless(fmt.Sprint("stateless ", i), done) })
		clients.Go(func() { v.session(fmt.Sprint("session ", i), done) })
	}
	clients.Go(func() { v.goClient(done) })
	for i := range *restarts {
		time.Sleep(*restartTime)
		v.down.Lock()
		if i%2 == 0 || s.quit() != nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait() // killed
		}
		s = start([][]string{nil, {"--debug"}}[i%2]...)
		v.down.Unlock()
	}
	time.Sleep(*restartTime)
	close(done)
	clients.Wait()
	v.check()
}

// check compares what was acknowledged with what is there.
func (v *visits) check() {
	v.t.Helper()
	titles := map[string]int{}
	for _, name := range v.p.notes(v.t) {
		text, err := os.ReadFile(name)
		if err != nil {
			v.t.Fatal(err)
		}
		_, title, _ := strings.Cut(string(text), "title: ")
		title, _, _ = strings.Cut(title, "\n")
		titles[title]++
	}
	doubled, lost := 0, 0
	for _, n := range titles {
		if n > 1 {
			doubled++
		}
	}
	for title := range v.made {
		if titles[title] == 0 {
			lost++
		}
	}
	if n := v.failed.Load(); n > 0 || doubled > 0 || lost > 0 || len(v.made) == 0 || v.retries.Load()+v.unknown.Load() == 0 {
		v.t.Errorf("%d failed, %d writes doubled, %d lost of %d, %d retries", n, doubled, lost, len(v.made), v.retries.Load())
	}
	v.t.Logf("%d restarts: %d calls, %d of them sent again after a failure of the transport, %d sessions ended by 404, %d failed, %d notes, %d doubled, %d lost",
		*restarts, v.calls.Load(), v.retries.Load(), v.unknown.Load(), v.failed.Load(), len(v.made), doubled, lost)
}

// work makes calls until the test is done: writes, each with a key of its own, and
// searches.
func (v *visits) work(name string, done chan struct{}, call func(tool string, arguments map[string]any) (answer, error)) {
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		time.Sleep(25 * time.Millisecond)
		title := fmt.Sprintf("%s %d", name, i)
		tool, arguments := "search", map[string]any{"cwd": filepath.ToSlash(v.p.project), "query": "text"}
		if i%2 == 0 {
			tool, arguments = "write", map[string]any{"cwd": filepath.ToSlash(v.p.project), "title": title, "body": "text of " + title, "key": title}
		}
		v.calls.Add(1)
		switch a, err := call(tool, arguments); {
		case err != nil || a.Error != "" && a.Error != "busy":
			v.failed.Add(1)
			v.t.Errorf("%s: %s: %v %+v", name, tool, err, a)
		case a.ID != "":
			v.mu.Lock()
			v.made[title] = true
			v.mu.Unlock()
		}
	}
}

// broken reports a failure of the transport, after which a call may be sent again.
func (v *visits) broken(err error) bool {
	if _, told := errors.AsType[status](err); err == nil || told {
		return false
	}
	v.retries.Add(1)
	return true
}

// stateless sends a call again once, when the server is back.
func (v *visits) stateless(name string, done chan struct{}) {
	v.work(name, done, func(tool string, arguments map[string]any) (answer, error) {
		a, err := v.s.standingAlone(tool, arguments)
		if v.broken(err) {
			v.down.RLock()
			defer v.down.RUnlock()
			return v.s.standingAlone(tool, arguments)
		}
		return a, err
	})
}

// session does too, and after a 404 opens a new session.
func (v *visits) session(name string, done chan struct{}) {
	open := func() caller { return v.s.inSession(v.s.open(v.t, `{}`)) }
	v.down.RLock()
	call := open()
	v.down.RUnlock()
	v.work(name, done, func(tool string, arguments map[string]any) (answer, error) {
		a, err := call(tool, arguments)
		if err == nil {
			return a, err
		}
		v.down.RLock()
		defer v.down.RUnlock()
		if v.broken(err) {
			a, err = call(tool, arguments)
		}
		if err != status(http.StatusNotFound) {
			return a, err
		}
		v.unknown.Add(1)
		call = open()
		return call(tool, arguments)
	})
}

// goClient is the Go SDK's, which speaks 2026-07-28. After a failure it connects anew.
func (v *visits) goClient(done chan struct{}) {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1"}, nil)
	authorized := &http.Client{Transport: bearer{v.s.token}}
	var session *mcp.ClientSession
	call := func(tool string, arguments map[string]any) (a answer, err error) {
		if session == nil {
			session, err = client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: v.s.url, HTTPClient: authorized, MaxRetries: -1}, nil)
			if err != nil {
				return a, err
			}
		}
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "blue_" + tool, Arguments: arguments})
		if err != nil {
			_ = session.Close() // it has failed
			session = nil
			return a, err
		}
		raw, err := json.Marshal(result.StructuredContent)
		return a, firstError(err, json.Unmarshal(raw, &a))
	}
	v.work("go", done, func(tool string, arguments map[string]any) (answer, error) {
		a, err := call(tool, arguments)
		if v.broken(err) {
			v.down.RLock()
			defer v.down.RUnlock()
			return call(tool, arguments)
		}
		return a, err
	})
	if session != nil {
		_ = session.Close() // there is nothing to end without sessions
	}
}

// bearer adds a token to each request.
type bearer struct{ token string }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}
