package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// D167: over HTTP a cwd outside the allowed directories is refused without a look at
// it, nor at anything on the way to it. The system calls of the server are the proof:
// every one that takes a path is traced.
func TestNoStatOutsideTheAllowedDirectories(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED: D167: strace is not on this machine")
	}
	if out, err := exec.Command(strace, "-o", os.DevNull, "/bin/true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: D167: processes cannot be traced here: %v: %s", err, out)
	}
	p := newPlace(t)
	outside, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Join(outside, "etc", "p", ".blue"), p.project + "-evil/.blue"} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	trace := filepath.Join(p.base, "trace")
	s := p.httpServer(t, nil, "--http", "127.0.0.1:0", "--allow-root", p.project)
	tracer := exec.Command(strace, "-f", "-qq", "-s", "4096", "-e", "trace=%file", "-o", trace, "-p", strconv.Itoa(s.cmd.Process.Pid))
	var said output
	tracer.Stderr = &said
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tracer.Process.Kill(); _ = tracer.Wait() }() // killed, when the test has failed
	traced := func() string { text, _ := os.ReadFile(trace); return string(text) }
	inside := func() string {
		a, err := s.standingAlone("list", map[string]any{"cwd": p.project})
		if err != nil {
			t.Fatal(err)
		}
		return a.Error
	}
	for end := time.Now().Add(10 * time.Second); !strings.Contains(traced(), p.project); time.Sleep(20 * time.Millisecond) {
		if strings.Contains(said.String(), "not permitted") {
			t.Skipf("SKIPPED: D167: this user cannot trace a running process: %s", said.String())
		}
		if inside() != "" || time.Now().After(end) {
			t.Fatalf("D167: no call is traced: %s", s.err.String())
		}
	}
	call := s.inSession(s.open(t, `{}`))
	for _, cwd := range []string{filepath.Join(outside, "etc", "p"), filepath.Join(outside, "missing"), p.project + "-evil", "/etc", "/etc/blue-is-not-here", "/proc/self/root/etc"} {
		for _, asks := range []caller{s.standingAlone, call} {
			for tool, arguments := range map[string]map[string]any{"list": {}, "search": {"query": "x"}, "write": {"body": "x"}} {
				arguments["cwd"] = cwd
				if a, err := asks(tool, arguments); err != nil || a.Error != "outside_allowed_roots" {
					t.Errorf("D167: %s of %s: %v %+v", tool, cwd, err, a)
				}
			}
			_, _ = asks("where", map[string]any{"cwd": cwd}) // has an answer of its own shape
		}
	}
	inside()
	if err := s.quit(); err != nil {
		t.Errorf("D167: %v", err)
	}
	_ = tracer.Wait() // ends with the server
	text, looked := traced(), 0
	for line := range strings.Lines(text) {
		for _, path := range []string{outside, p.project + "-evil", `"/etc`, "/proc/self/root"} {
			if strings.Contains(line, path) {
				t.Errorf("D167: the server looked outside: %s", line)
			}
		}
		looked++
	}
	t.Logf("D167: %d system calls with a path, none outside", looked)
}
