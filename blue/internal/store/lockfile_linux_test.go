package store_test

import (
	"bufio"
	"fmt"
	"os"
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

// Without locks nothing is written, and the error says so.
func TestNoLocks(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	root, _ := project(t)
	out, err := command(t, root, "lock", withoutLocks(t)...).CombinedOutput()
	if must(t, err); !strings.HasPrefix(string(out), "failed ") || !strings.Contains(string(out), "no locks available") {
		t.Errorf("%s", out)
	}
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
