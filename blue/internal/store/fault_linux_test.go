package store_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/blue/internal/store"
	"blue/fixtures"
)

// strace returns the command line that runs a process under strace, or skips.
// strace is a command before another that traces its system calls.
func strace(t *testing.T, args ...string) []string {
	t.Helper()
	if reason := noStrace(); reason != "" {
		t.Skip(reason)
	}
	return append([]string{"strace"}, args...)
}

// noStrace says why nothing can be traced here, "" where strace works.
var noStrace = sync.OnceValue(func() string {
	if out, err := exec.Command("strace", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		return fmt.Sprintf("SKIPPED: strace is not installed or does not work here: %v %s", err, out)
	}
	return ""
})

// injected is [strace] that lets a system call fail or wait, or kills at it. Where it can it
// stops the other process at this call alone, which with a signal is never delivered.
func injected(t *testing.T, log, call, how string) []string {
	options := []string{"-f", "-o", log, "-e", "trace=" + call, "-e", "inject=" + call + ":" + how}
	if !strings.HasPrefix(how, "signal=") {
		options = append(options, "--seccomp-bpf")
	}
	return strace(t, options...)
}

// What a trace says of a write, in the order of the patterns: a flush of a
// temporary file, of a directory, a name given, a reply.
var steps = []*regexp.Regexp{
	regexp.MustCompile(`^(fsync)\(\d+<[^>]*/\.blue/([a-z]+)[^>]*(/\.tmp)-[^>/]*>`),
	regexp.MustCompile(`^(fsync)\(\d+<[^>]*/\.blue/?([a-z]*)[^>]*>`),
	regexp.MustCompile(`^(linkat|renameat)2?\(`),
	regexp.MustCompile(`^write\(1<[^>]*>, "(created|replaced|removed)`),
}

// step shortens one line of a trace, "" when it is none of the steps.
func step(line string) string {
	for _, pattern := range steps {
		if parts := pattern.FindStringSubmatch(line); parts != nil {
			return strings.Join(parts[1:], " ")
		}
	}
	return ""
}

// Promise 3: the reply comes after the disk has it.
func TestOrderOfSystemCalls(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	root, _ := project(t)
	trace := filepath.Join(t.TempDir(), "trace")
	run := command(t, root, "write", strace(t, "-ff", "-y", "-o", trace, "-e", "trace=fsync,linkat,/^renameat,write")...)
	out, err := run.CombinedOutput()
	if err != nil || strings.Count(string(out), "<nil>") != 150 {
		t.Fatalf("%v\n%s", err, out)
	}
	want := map[string]string{
		"created":  "fsync notes /.tmp, linkat, fsync notes",
		"replaced": "fsync history /.tmp, renameat, fsync history, fsync notes /.tmp, renameat, fsync notes",
		"removed":  "renameat, fsync trash, fsync notes",
	}
	replies := 0
	var done []string
	for line := range strings.Lines(threadOf(t, trace)) {
		now := step(line)
		order, isReply := want[now]
		if !isReply && now != "" {
			done = append(done, now)
		}
		if !isReply {
			continue
		}
		replies++
		got := strings.Join(done, ", ")
		if replies == 1 { // a new directory is flushed into the one above, history/ behind the first note
			got = strings.ReplaceAll(got, "fsync , ", "")
		}
		if !strings.HasSuffix(got, order) || (replies > 3 && got != order && now != "replaced") {
			t.Errorf("%s after\n%s, want\n%s", now, got, order)
		}
		done = nil
	}
	if replies != 150 {
		t.Fatalf("%d replies in the trace", replies)
	}
}

// threadOf returns the trace of the thread that wrote.
func threadOf(t *testing.T, trace string) string {
	t.Helper()
	paths, err := filepath.Glob(trace + ".*")
	must(t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must(t, err)
		if strings.Contains(string(data), "linkat(") {
			return string(data)
		}
	}
	t.Fatal("no thread has written")
	return ""
}

// Promises 4 and 6: no fault at any system call leaves half a note, a note that
// was reported as saved and is not, or the former text nowhere.
func TestFaults(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	for _, row := range []struct{ call, fault, want string }{
		{"openat", "error=EIO", "failed disk"},
		{"write", "error=ENOSPC", "failed disk"},
		{"write", "error=EDQUOT", "failed disk"},
		{"fsync", "error=EIO", "failed disk"},
		{"fsync", "error=EIO", "saved false"}, // of a directory
		{"fsync", "error=EINVAL", "saved false"},
		{"fsync", "error=EINTR", "saved true"},
		{"/^renameat", "error=EIO", "failed disk"},
		{"renameat2", "error=EIO", "failed disk"},
		{"renameat2", "error=EINVAL", "saved true"}, // a file system that exchanges nothing
		{"renameat2", "error=ENOSYS", "saved true"},
		{"/^mkdirat", "error=ENOSPC", "failed disk"},
		{"openat", "signal=KILL", ""},
		{"write", "signal=KILL", ""},
		{"fsync", "signal=KILL", ""},
		{"/^renameat", "signal=KILL", ""},
		{"unlinkat", "signal=KILL", ""},
		{"close", "signal=KILL", ""},
	} {
		t.Run(row.call+" "+row.fault+" "+row.want, func(t *testing.T) {
			t.Parallel()
			found := false
			for n := 1; n <= 60; n++ {
				said, met := fault(t, row.call, fmt.Sprintf("%s:when=%d", row.fault, n))
				if !met {
					break
				}
				found = found || strings.HasPrefix(said, row.want)
			}
			if !found {
				t.Errorf("no such fault led to %q", row.want)
			}
		})
	}
}

// fault runs replaceOne under one fault, checks what it left behind, and returns
// what it said.
func fault(t *testing.T, call, how string) (said string, met bool) {
	t.Helper()
	root, s := project(t)
	first := hot("notes/x.md", 1)
	write(t, root, "notes/x.md", string(first))
	trace := filepath.Join(t.TempDir(), "trace")
	run := command(t, root, "replace", injected(t, trace, call, how)...)
	out, _ := run.Output()
	log, err := os.ReadFile(trace)
	must(t, err)
	said = string(out)

	data, _, err := s.Read("notes/x.md")
	must(t, err)
	now := count(t, "notes/x.md", data)
	if strings.HasPrefix(said, "saved") && now != 2 || strings.HasPrefix(said, "failed") && now != 1 {
		t.Errorf("%s %s: %q, but the note is at %d", call, how, said, now)
	}
	if now == 2 {
		past, err := s.ReadPast("notes/x.md", store.Revision(first))
		if err != nil || count(t, "notes/x.md", past) != 1 {
			t.Errorf("%s %s: the former text: %v", call, how, err)
		}
	}
	if said != "" && !strings.Contains(said, "panic") {
		noTemps(t, root)
	}
	must(t, lock(t, s).Unlock())
	return said, strings.Contains(string(log), "INJECTED") || strings.Contains(string(log), "killed by SIGKILL")
}

// An editor that saves in the middle of an edit without a revision loses nothing:
// what it wrote is in the history too.
func TestEditorInTheMiddle(t *testing.T) {
	t.Parallel()
	root, s := project(t)
	path := write(t, root, "notes/x.md", "before")
	run := command(t, root, "replace", injected(t, "/dev/null", "fsync", "delay_enter=2000000:when=1")...)
	must(t, run.Start())
	for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(time.Millisecond) {
		if _, err := os.Lstat(filepath.Join(root, ".blue", "history")); err == nil {
			break // it has read the note, and is kept from flushing the new directory
		}
	}
	must(t, os.WriteFile(path, []byte("by hand"), 0o644))
	must(t, run.Wait())
	if data := content(t, s, "notes/x.md"); data != string(hot("notes/x.md", 2)) {
		t.Fatalf("the note is %q", data)
	}
	if past, err := s.ReadPast("notes/x.md", store.Revision([]byte("by hand"))); err != nil {
		t.Errorf("%q, %v", past, err)
	}
}

// An editor saves after Blue's last look at the note, before the new text gets its
// name: what comes out is put back, and goes into the history by the next attempt.
func TestSavedBeforeTheExchange(t *testing.T) {
	t.Parallel()
	for how, save := range map[string]func(path, text string) error{"by rename": saveByRename, "in place": saveInPlace} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			root, s := project(t)
			path := write(t, root, "notes/x.md", "before")
			log := filepath.Join(t.TempDir(), "trace")
			run := command(t, root, "replace", injected(t, log, "renameat2", "delay_enter=1000000:when=1")...)
			must(t, run.Start())
			for begun := time.Now(); time.Since(begun) < 20*time.Second; time.Sleep(time.Millisecond) {
				if temps, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".tmp-*")); len(temps) > 0 {
					break // it has read the note, and is kept from giving the new text its name
				}
			}
			must(t, save(path, "by hand"))
			must(t, run.Wait())
			if data := content(t, s, "notes/x.md"); data != string(hot("notes/x.md", 2)) {
				t.Errorf("the note is %q", data)
			}
			for _, text := range []string{"before", "by hand"} {
				if past, err := s.ReadPast("notes/x.md", store.Revision([]byte(text))); err != nil || string(past) != text {
					t.Errorf("%q: %q, %v", text, past, err)
				}
			}
			noTemps(t, root)
			said, err := os.ReadFile(log)
			must(t, err)
			if calls := strings.Count(string(said), "RENAME_EXCHANGE"); calls != 3 {
				t.Errorf("%d exchanges, want the new text in, out, and in again:\n%s", calls, said)
			}
		})
	}
}
