//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// R009: with 32 files and 60 clients at once each is answered or turned away, none is
// left to wait, and the server says at its start that it has few files.
func TestR009FewFiles(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := p.command(t, "mcp", "--http", "127.0.0.1:0", "--allow-root", p.base)
	c.Args = append([]string{"sh", "-c", `ulimit -n 32; exec "$0" "$@"`}, append([]string{c.Path}, c.Args[1:]...)...)
	c.Path = "/bin/sh"
	s := p.listening(t, c, nil)
	if said := s.err.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, "files=32 connections=7 calls=1") {
		t.Errorf("R009: no warning at start:\n%s", said)
	}
	session := s.open(t, `{}`)
	write := fmt.Sprintf(`{"jsonrpc":"2.0","id":%%[1]d,"method":"tools/call","params":{"name":"blue_write","arguments":{"title":"Note %%[1]d","body":"On Fridays.","cwd":%q}}}`, p.project)
	count := make(chan string, 600)
	peak := 0
	var all sync.WaitGroup
	for client := range 60 {
		all.Go(func() {
			one := &http.Client{Transport: &http.Transport{}, Timeout: 20 * time.Second}
			defer one.CloseIdleConnections()
			for i := range 10 {
				r, err := http.NewRequest("POST", s.url, strings.NewReader(fmt.Sprintf(write, client*10+i)))
				if err != nil {
					t.Error(err)
					return
				}
				r.Header = http.Header{"Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"},
					"Authorization": {"Bearer " + s.token}, "Mcp-Session-Id": {session}}
				count <- ending(one.Do(r))
			}
		})
	}
	go func() { all.Wait(); close(count) }()
	outcomes := map[string]int{}
	for what := range count {
		outcomes[what]++
		files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid))
		peak = max(peak, len(files))
	}
	t.Logf("outcomes %v, at most %d files", outcomes, peak)
	if strings.Contains(s.err.String(), "too many open files") || outcomes["timeout"]+outcomes["other"] > 0 || outcomes["written"] == 0 {
		t.Errorf("R009: %v\n%s", outcomes, s.err.String())
	}
	p.held(t, s, session, fmt.Sprintf(write, 600))
}

// held opens connections that say nothing, as many as the server takes and more, and
// expects one more client to be told so; and to be served when they are gone.
func (p place) held(t *testing.T, s *served, session, write string) {
	t.Helper()
	var silent []net.Conn
	for range 40 {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp"))
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, conn)
	}
	s.client.CloseIdleConnections()
	s.client.Timeout = 20 * time.Second
	what := ending(s.request(context.Background(), http.MethodPost, session, write))
	if what != "503" && what != "closed" {
		t.Errorf("R009: beside 40 silent connections: %s\n%s", what, s.err.String())
	}
	if !strings.Contains(s.err.String(), "connection refused") {
		t.Errorf("R009: no line of a connection that was refused:\n%s", s.err.String())
	}
	for _, conn := range silent {
		conn.Close()
	}
	for end := time.Now().Add(20 * time.Second); what != "written"; time.Sleep(50 * time.Millisecond) {
		if what = ending(s.request(context.Background(), http.MethodPost, session, write)); time.Now().After(end) {
			t.Fatalf("R009: when they are gone: %s", what)
		}
	}
}

// ending says in a word how a write went.
func ending(response *http.Response, err error) string {
	if err != nil {
		if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
			return "timeout"
		}
		return "closed"
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	switch text := string(body); {
	case response.StatusCode == http.StatusServiceUnavailable && json.Valid(body):
		return "503"
	case err != nil || response.StatusCode != http.StatusOK:
		return "other"
	case strings.Contains(text, `"busy"`):
		return "busy"
	case strings.Contains(text, `"isError":true`):
		return "tool error: " + text[:min(400, len(text))]
	}
	return "written"
}
