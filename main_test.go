package main

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/crypto/x509roots/fallback/bundle"

	"blue/blue/program"
	"blue/blue/server"
	"blue/fixtures"
	"blue/fixtures/executable"
)

var update = flag.Bool("update", false, "accept new output in fixtures/scripts")

// TestMain makes this binary the program `blue`, and `tool`, when it is started
// under those names.
func TestMain(m *testing.M) {
	testscript.Main(scripts{m}, map[string]func(){
		"blue": func() { os.Exit(program.Run(executable.Now)) },
		"tool": func() { os.Exit(tool(os.Args[1:])) },
	})
}

// scripts runs the tests where the binary is not started as a program.
type scripts struct{ m *testing.M }

func (s scripts) Run() int { return fixtures.Main(s.m) }

// TestScripts runs the stories of fixtures/scripts through both doors.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "fixtures/scripts", RequireExplicitExec: false, UpdateScripts: *update,
		Setup: func(e *testscript.Env) error {
			home := filepath.Join(e.WorkDir, ".home")
			if err := os.MkdirAll(home, 0o755); err != nil {
				return err
			}
			e.Setenv("HOME", home)
			e.Setenv("USERPROFILE", home)
			e.Setenv("USER", "tester")
			e.Setenv("NO_COLOR", "1")
			e.Setenv("GORACE", "atexit_sleep_ms=0") // else each command under the race detector waits a second
			e.Setenv("BLUE_TEST_NOW", "2026-03-04T05:06:07Z")
			kinds := []string{"CACHE", "STATE", "CONFIG"}
			if runtime.GOOS == "windows" {
				kinds = append(kinds, "DATA") // which HOME does not move there
			}
			for _, kind := range kinds {
				e.Setenv("XDG_"+kind+"_HOME", filepath.Join(home, kind))
			}
			return nil
		},
	})
}

// tool calls one tool of `blue mcp`, started in this directory, and prints its
// structured content: a result on standard output, a failure on standard error.
// It stops the test when anything but JSON-RPC is on the server's output.
//
//	tool NAME JSON
func tool(args []string) int {
	if len(args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tool NAME JSON")
		return 2
	}
	reply, err := callTool(args[0], args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, reply.StructuredContent, "", "  "); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if reply.IsError {
		fmt.Fprintln(os.Stderr, pretty.String())
		return 1
	}
	fmt.Println(pretty.String())
	return 0
}

type toolReply struct {
	IsError           bool
	StructuredContent json.RawMessage
	Content           []struct{ Text string }
}

func callTool(name, arguments string) (reply toolReply, err error) {
	server := exec.Command("blue", "mcp", "--structured")
	in, err := server.StdinPipe()
	if err != nil {
		return reply, err
	}
	out, err := server.StdoutPipe()
	if err != nil {
		return reply, err
	}
	if err := server.Start(); err != nil {
		return reply, err
	}
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"tester","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}
`, name, arguments)
	if err := in.Close(); err != nil {
		return reply, err
	}
	err = readReply(out, &reply)
	return reply, firstError(err, server.Wait())
}

func readReply(out io.Reader, reply *toolReply) error {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return fmt.Errorf("the server ended without an answer")
		}
		if err != nil {
			return err
		}
		var message struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &message); err != nil {
			return fmt.Errorf("on standard output: %q: %w", line, err)
		}
		if message.ID != 2 {
			continue
		}
		if message.Error != nil {
			return fmt.Errorf("protocol error: %s", message.Error)
		}
		if err := json.Unmarshal(message.Result, reply); err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, lines)
		return err
	}
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Where the system has no authorities of TLS, as the image has none, the program knows those
// that browsers know.
func TestAuthorities(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have authorities")
	}
	if os.Getenv("SSL_CERT_FILE") != os.DevNull { // which is read once
		again := exec.Command(os.Args[0], "-test.run=^TestAuthorities$")
		again.Env = append(os.Environ(), "SSL_CERT_FILE="+os.DevNull, "SSL_CERT_DIR="+t.TempDir())
		if said, err := again.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
		return
	}
	server.TrustAuthorities()
	known := 0
	for root := range bundle.Roots() {
		authority, err := x509.ParseCertificate(root.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := authority.Verify(x509.VerifyOptions{CurrentTime: authority.NotBefore, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}}); err == nil {
			known++
		}
	}
	if known < 50 {
		t.Errorf("%d authorities are known", known)
	}
}
