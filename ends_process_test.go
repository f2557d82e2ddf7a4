package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

var ends = flag.Int("ends", 5, "how often each way to end the input is tried")

// The end is to come this soon.
const endLimit = 5 * time.Second

const (
	helloWithRoots = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`
	whereCall  = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_where","arguments":{}}}` + "\n"
	modernCall = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{` + modernMeta + `,"name":"blue_search","arguments":{"query":"deploys"}}}` + "\n"
	listenCall = `{"jsonrpc":"2.0","id":"listen","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"toolsListChanged":true}}}` + "\n"
	threeMore  = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}
{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"blue_search","arguments":{"query":"deploys","cwd":%q}}}
{"jsonrpc":"2.0","id":9,"method":"ping"}
`
)

// Promise 13: requests followed by the end of input are all answered, and the server
// ends well and soon.
func TestPromise13EndOfInput(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "write", "--title", "Deploys", "On Fridays.")
	three := fmt.Sprintf(threeMore, filepath.ToSlash(p.project))
	for _, test := range []struct {
		name, frames string
		want         []string
	}{
		{"four requests", hello + three, []string{"0", "7", "8", "9"}},
		{"a subscription open", listenCall + hello + three + fmt.Sprintf(modernCall, 1), []string{"0", "1", "7", "8", "9"}},
		{"a call cancelled", helloWithRoots + fmt.Sprintf(whereCall, 1) + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}` + "\n" + three, []string{"0", "7", "8", "9"}},
		{"the client owes roots", helloWithRoots + fmt.Sprintf(whereCall, 1) + three + fmt.Sprintf(whereCall, 2), []string{"0", "1", "2", "7", "8", "9"}},
	} {
		slowest := time.Duration(0)
		for range *ends {
			c := p.command(t, "mcp")
			c.Stdin = strings.NewReader(test.frames)
			began := time.Now()
			out, err := c.Output()
			took := time.Since(began)
			slowest = max(slowest, took)
			protocolOnly(t, test.name, out)
			if got := answered(out); err != nil || !slices.Equal(got, test.want) || took > endLimit {
				t.Fatalf("%s: %v after %v: answers to %v, want %v\n%s", test.name, err, took, got, test.want, out)
			}
		}
		t.Logf("%s: %d times all %d answers and exit 0, the slowest in %v from start to exit", test.name, *ends, len(test.want), slowest.Round(time.Millisecond))
	}
}

// answered are the ids of the answers, in order, but that of a subscription, which is
// not owed.
func answered(out []byte) (ids []string) {
	for line := range bytes.Lines(out) {
		var m struct {
			ID     json.RawMessage
			Result json.RawMessage
			Method string
		}
		if json.Unmarshal(line, &m) == nil && m.Method == "" && m.Result != nil && string(m.ID) != `"listen"` {
			ids = append(ids, string(m.ID))
		}
	}
	slices.Sort(ids)
	return ids
}

// Promise 15: standard output carries the protocol only, at every level of the log,
// with all that can be warned of, and when the server cannot start.
func TestPromise15OutputIsProtocolOnly(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.run(t, "write", "--title", "Deploys", "On Fridays.")
	file := filepath.Join(p.base, "file")
	empty := filepath.Join(p.base, "empty")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := firstError(os.WriteFile(file, nil, 0o600), os.MkdirAll(filepath.Join(empty, "blue"), 0o700), os.WriteFile(filepath.Join(empty, "blue", "token"), []byte("# none\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	frames := hello + "no JSON\n[]\n\n" + listenCall + fmt.Sprintf(modernCall, 1) + fmt.Sprintf(threeMore, "/nowhere") + fmt.Sprintf(whereCall, 2) +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"no_such"}}` + "\n" + `{"jsonrpc":"2.0","method":"notifications/unheard"}`
	for _, test := range []struct {
		name   string
		env    []string
		args   []string
		starts bool
	}{
		{"as it is", nil, nil, true},
		{"debug", nil, []string{"--debug"}, true},
		{"debug log that cannot be", []string{"XDG_STATE_HOME=" + file}, []string{"--debug"}, true},
		{"warnings", []string{"MCPGODEBUG=x=1", "BLUE_PROJECT=/nowhere"}, []string{"--debug", "--project", "/nowhere", "--no-auth", "--sse"}, true},
		{"no directory to write to", []string{"XDG_CACHE_HOME=" + file, "XDG_STATE_HOME=" + file, "XDG_CONFIG_HOME=" + file}, nil, true},
		{"no environment", []string{"HOME=", "USERPROFILE=", "XDG_CACHE_HOME=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME="}, []string{"--debug"}, true},
		{"unknown flag", nil, []string{"--no-such"}, false},
		{"one word too many", nil, []string{"serve"}, false},
		{"bad address", nil, []string{"--http", "127.0.0.1:x"}, false},
		{"bad port", []string{"BLUE_MCP_PORT=abc"}, []string{"--http", "127.0.0.1", "--debug"}, false},
		{"port in use", nil, []string{"--http", taken.Addr().String(), "--debug"}, false},
		{"open to others", nil, []string{"--http", "0.0.0.0:0"}, false},
		{"no token file", []string{"XDG_CONFIG_HOME=" + file}, []string{"--http", "127.0.0.1:0", "--debug"}, false},
		{"a token file without tokens", []string{"XDG_CONFIG_HOME=" + empty}, []string{"--http", "127.0.0.1:0"}, false},
	} {
		c := p.command(t, append([]string{"mcp"}, test.args...)...)
		c.Env = append(c.Env, test.env...)
		c.Stdin = strings.NewReader(frames)
		var out bytes.Buffer
		c.Stdout = &out
		err := c.Run()
		lines := protocolOnly(t, test.name, out.Bytes())
		if test.starts != (err == nil) || test.starts && lines < 9 || !test.starts && lines > 0 {
			t.Errorf("%s: %v, %d lines on standard output", test.name, err, lines)
		}
	}
}

// quit ends a server as a person would.
func (s *served) quit() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.cmd.Wait()
}
