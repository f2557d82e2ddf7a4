package store_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/fixtures"
)

// withoutLocks is what a process sees on a file system that has no locks.
func withoutLocks(t *testing.T) []string {
	return injected(t, "/dev/null", "flock", "error=ENOLCK")
}

func TestLockFileWhereThereAreNoLocks(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	host, err := os.Hostname()
	must(t, err)
	gone := exec.Command("true")
	must(t, gone.Run())
	rows := []struct {
		name, line, want string
		said             *bytes.Buffer
		root             string
		end              func() error
	}{
		{name: "free", want: "locked"},
		{name: "left behind", line: fmt.Sprintf("%s %d 2026-01-02T03:04:05Z\n", host, gone.Process.Pid), want: "locked"},
		{name: "held here", line: fmt.Sprintf("%s %d 2026-01-02T03:04:05Z\n", host, os.Getpid()), want: "failed busy"},
		{name: "held elsewhere", line: fmt.Sprintf("not-%s %d 2026-01-02T03:04:05Z\n", host, gone.Process.Pid), want: "failed busy"},
		{name: "unreadable", line: "nonsense", want: "failed busy"},
	}
	for i := range rows { // all at once, because the busy ones wait for 5 s
		row := &rows[i]
		row.root, _ = project(t)
		if row.line != "" {
			write(t, row.root, ".tmp-lock", row.line)
		}
		run := command(t, row.root, "lock", withoutLocks(t)...)
		row.said = &bytes.Buffer{}
		run.Stdout = row.said
		must(t, run.Start())
		row.end = run.Wait
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if err := row.end(); err != nil || !strings.HasPrefix(row.said.String(), row.want) {
				t.Fatalf("%v, %s", err, row.said)
			}
			path := filepath.Join(row.root, ".blue", ".tmp-lock")
			data, err := os.ReadFile(path)
			if row.want == "locked" && err == nil {
				t.Errorf("%s is still there: %s", path, data)
			}
			if row.want != "locked" && (string(data) != row.line || !strings.Contains(row.said.String(), path)) {
				t.Errorf("%s holds %q; said %s", path, data, row.said)
			}
		})
	}
}

func TestLockFileExcludes(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	root, s := project(t)
	write(t, root, "notes/shared.md", "")
	first := command(t, root, "edit", withoutLocks(t)...)
	var said bytes.Buffer
	first.Stdout, first.Stderr = &said, &said
	must(t, first.Start())
	out, err := command(t, root, "edit", withoutLocks(t)...).CombinedOutput()
	must(t, err)
	must(t, first.Wait())
	if lines := strings.Count(content(t, s, "notes/shared.md"), "\n"); lines != 2*edits || len(out)+said.Len() > 0 {
		t.Fatalf("%d of %d edits are there; %s", lines, 2*edits, append(out, said.Bytes()...))
	}
	noTemps(t, root)
}

// A .lock that was removed by a clean-up of ignored files locks nothing: who
// opened it before must not get in beside who locked the next one.
func TestRemovedLockFile(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	must(t, lock(t, s).Unlock())
	late := command(t, root, "lock", injected(t, "/dev/null", "flock", "delay_enter=2000000:when=1")...)
	out, err := late.StdoutPipe()
	must(t, err)
	must(t, late.Start())
	for !opened(t, filepath.Join(root, ".blue", ".lock")) { // now it is kept from locking it
		time.Sleep(time.Millisecond)
	}
	must(t, os.Remove(filepath.Join(root, ".blue", ".lock")))
	h := lock(t, s)
	said := make(chan string)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		said <- line
	}()
	select {
	case line := <-said:
		t.Errorf("another process has the lock beside us: %q", line)
	case <-time.After(2 * time.Second):
		must(t, h.Unlock())
		if line := <-said; line != "locked\n" {
			t.Errorf("said %q", line)
		}
	}
	late.Wait()
}

// opened reports whether another process has the file open.
func opened(t *testing.T, path string) bool {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	must(t, err)
	return slices.ContainsFunc(links, func(link string) bool {
		file, err := os.Readlink(link)
		return err == nil && file == path && !strings.HasPrefix(link, fmt.Sprintf("/proc/%d/", os.Getpid()))
	})
}
