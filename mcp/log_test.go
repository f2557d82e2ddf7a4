package mcp

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"blue/fixtures"
)

const (
	logWriters = 4
	logLines   = 600
	smallLog   = 128 << 10 // bytes of a full file in these tests
)

var logWriter = flag.String("log-writer", "", "not a test but one of the processes of TestManyProcesses, which logs to this directory")

// TestLogWriter is another process.
func TestLogWriter(t *testing.T) {
	if *logWriter == "" {
		t.Skip("only as another process")
	}
	file, err := openDebug(*logWriter)
	if err != nil {
		t.Fatal(err)
	}
	file.limit = smallLog
	log := slog.New(slog.NewTextHandler(&bounded{w: file}, nil))
	for i := range logLines {
		log.Info("line", "pid", os.Getpid(), "i", i, "padding", strings.Repeat("x", 120+i%40))
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// Several processes write past several rotations, and every line is there once.
func TestManyProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	var processes []*exec.Cmd
	for range logWriters {
		c := exec.Command(program, "-test.run", "^TestLogWriter$", "-log-writer", dir)
		c.Stdout, c.Stderr = io.Discard, os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		processes = append(processes, c)
		for i := range logLines {
			want[fmt.Sprintf("pid=%d i=%d ", c.Process.Pid, i)] = true
		}
	}
	for _, c := range processes {
		if err := c.Wait(); err != nil {
			t.Errorf("a writer: %v", err)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "mcp-debug.log*"))
	full := 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if info, _ := os.Stat(name); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v", name, info.Mode())
		}
		if len(data) >= smallLog {
			full++
		}
		if len(data) > smallLog+lineLimit {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		for line := range strings.Lines(string(data)) {
			_, rest, _ := strings.Cut(line, " msg=line ")
			id, padding, ok := strings.Cut(rest, "padding=")
			if !ok || !want[id] || !strings.HasSuffix(padding, "x\n") {
				t.Errorf("torn, or there twice: %q", line)
			}
			delete(want, id)
		}
	}
	if len(want) > 0 || full < 3 || len(files) != full+2 { // the one that is open, and the lock
		t.Errorf("%d lines are lost, %d full files of %q", len(want), full, files)
	}
}

// The number of files has a bound, and the youngest lines are kept.
func TestDebugLogRotation(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, err := openDebug(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.limit = 1
	for i := range 10 {
		if _, err := fmt.Fprintln(file, i); err != nil {
			t.Fatal(err)
		}
	}
	for n := range formerOnes + 2 {
		data, err := os.ReadFile(fmt.Sprintf("%s.%d", file.path, n))
		if kept := n > 0 && n <= formerOnes; kept != (err == nil) || kept && string(data) != fmt.Sprintln(10-n) {
			t.Errorf("file %d: %q, %v", n, data, err)
		}
	}
}

// A process that was stopped with the lock delays others once; their lines are
// written, and nothing is renamed.
func TestStoppedProcess(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	stopped, err := openDebug(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer stopped.Close()
	if err := tryLock(stopped.lock); err != nil {
		t.Fatal(err)
	}
	file, err := openDebug(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.limit = 1
	began := time.Now()
	for i := range 100 {
		if _, err := fmt.Fprintln(file, i); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < logPatience {
		t.Errorf("100 lines took %v", took)
	}
	if data, err := os.ReadFile(file.path); err != nil || strings.Count(string(data), "\n") != 100 {
		t.Errorf("%v: %q", err, data)
	}
	if err := unlock(stopped.lock); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(file, "more")
	if _, err := os.Stat(file.path + ".1"); err != nil {
		t.Errorf("once the lock is free: %v", err)
	}
}

// No name of the log leads out of its directory.
func TestDebugLogLinks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mcp-debug.log", "mcp-debug.log.lock"} {
		dir, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		if _, err := openDebug(dir); err == nil {
			t.Errorf("%s is a link, and was followed", name)
		}
		if _, err := os.Lstat(target); err == nil {
			t.Errorf("%s: the target was made", name)
		}
	}
}
