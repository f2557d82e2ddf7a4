package main

import (
	"bufio"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	writes = flag.Int("writes", 20, "trace the system calls of this many writes (promise 3: 500)")
	faults = flag.Int("faults", 1, "let the first to this call of each kind fail (promises 4 and 6: 50)")
)

// traced is the command under strace with these options, or a skipped test.
func traced(t *testing.T, c *exec.Cmd, log string, options ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("SKIPPED: strace is not installed")
	}
	if out, err := exec.Command(path, "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: strace does not work here: %s", out)
	}
	c.Args = append(append([]string{path, "-f", "-y", "-qq", "-o", log}, options...), append([]string{c.Path}, c.Args[1:]...)...)
	c.Path = path
	return c
}

// order follows the system calls of a server in the order of a trace.
type order struct {
	flushed map[string]bool // files
	dirty   map[string]bool // directories with a name that is not flushed
	named   int             // since the last reply
	replies int
	wrong   []string
}

var (
	pending = regexp.MustCompile(`^(\d+) +(.*) <unfinished \.\.\.>$`)
	resumed = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	flushes = regexp.MustCompile(`^\d+ +fsync\(\d+<([^>]*)>\) += 0`)
	names   = regexp.MustCompile(`^\d+ +(linkat|renameat|mkdirat)2?\(\d+<([^>]*)>, "([^"]*)"(?:, \d+<([^>]*)>, "([^"]*)")?.*\) += 0`)
	replies = regexp.MustCompile(`^\d+ +write\(1<[^>]*>, "\{\\"jsonrpc\\":\\"2.0\\",\\"id\\":[1-9]`)
)

// take takes one line of a trace: a call that has ended, or the start of a reply.
func (o *order) take(line string) {
	if f := flushes.FindStringSubmatch(line); f != nil {
		o.flushed[f[1]] = true
		delete(o.dirty, f[1])
	}
	if n := names.FindStringSubmatch(line); n != nil {
		call, from, to := n[1], filepath.Join(n[2], n[3]), filepath.Join(n[4], n[5])
		if call == "mkdirat" {
			o.dirty[filepath.Dir(from)] = true
			return
		}
		if strings.HasPrefix(filepath.Base(from), ".tmp-") && !o.flushed[from] {
			o.wrong = append(o.wrong, fmt.Sprintf("reply %d: %s got its name before it was flushed", o.replies+1, to))
		}
		if filepath.Dir(from) != filepath.Dir(to) {
			o.dirty[filepath.Dir(from)] = true
		}
		o.dirty[filepath.Dir(to)] = true
		o.named++
	}
	if replies.MatchString(line) {
		o.replies++
		if o.named == 0 || len(o.dirty) > 0 {
			o.wrong = append(o.wrong, fmt.Sprintf("reply %d after %d names, before the flush of %v", o.replies, o.named, slices.Collect(maps.Keys(o.dirty))))
		}
		o.named = 0
	}
}

// read reads a trace.
func (o *order) read(t *testing.T, path string) {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	begun := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		if p := pending.FindStringSubmatch(line); p != nil && !replies.MatchString(line) {
			begun[p[1]] = line[:len(line)-len(" <unfinished ...>")]
			continue
		}
		if r := resumed.FindStringSubmatch(line); r != nil {
			line = begun[r[1]] + r[2]
			delete(begun, r[1])
			if replies.MatchString(line) {
				continue // taken when it began
			}
		}
		o.take(line)
	}
	must(t, lines.Err())
}

// Promise 3: the reply comes after the disk has it: a file is flushed before it
// gets its name, its directory after, and only then Blue answers.
func TestPromise3Order(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	o := order{flushed: map[string]bool{}, dirty: map[string]bool{}}
	const once = 150 // below the rate at which a server is busy
	for begun := 0; begun < *writes; begun += once {
		log := filepath.Join(t.TempDir(), "trace")
		s := greet(t, traced(t, p.command(t, "mcp"), log, "-e", "trace=fsync,linkat,/^renameat,mkdirat,write"))
		pen := newPen(fmt.Sprintf("t%dx", begun))
		for range min(once, *writes-begun) {
			if gone, err := pen.step(s); gone || err != nil {
				t.Fatal(gone, err)
			}
		}
		s.close(t)
		o.read(t, log)
	}
	if len(o.wrong) > 0 || o.replies != *writes {
		t.Fatalf("%d replies to %d writes: %q", o.replies, *writes, o.wrong)
	}
	t.Logf("%d of %d writes in order", o.replies, *writes)
}

// calls are the system calls that are made to fail, each in its turn. Turns are counted by
// thread; a flush that is made beside the others is met by its directory, named behind it.
var calls = []string{"openat", "write", "pwrite64", "fsync", "fsync .blue/notes", "linkat", "/^renameat", "renameat2", "mkdirat", "unlinkat", "close", "flock", "utimensat"}

// Promises 4 and 6: no fault at any system call leaves half a note, a fault that
// is not reported, or the former text nowhere; after a kill, history and restore
// bring it back.
func TestPromise4And6Faults(t *testing.T) {
	model := newTrial(t, newPlace(t))
	for verb := range trials {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			met, killed, steps := 0, 0, map[string]bool{}
			for _, call := range calls {
				for _, fault := range []string{"error=EIO", "error=ENOSPC", "error=EDQUOT", "error=EINTR", "signal=KILL"} {
					if call == "close" && fault != "signal=KILL" {
						continue // Blue has no use for its result after a flush
					}
					for n, missed := 1, 0; n <= *faults && missed < 3; n++ {
						step, dead := model.fault(t, verb, call, fmt.Sprintf("%s:when=%d", fault, n))
						if missed++; step == "" {
							continue
						}
						missed, met, steps[step] = 0, met+1, true
						if dead {
							killed++
						}
					}
				}
			}
			if met == 0 {
				t.Fatal("no fault was met: nothing was tested")
			}
			t.Logf("%d faults, %d of them kills, at %d steps: 0 torn, 0 lost, 0 unreported", met, killed, len(steps))
			t.Log(strings.Join(slices.Sorted(maps.Keys(steps)), ", "))
		})
	}
}

var injected = regexp.MustCompile(`(?m)^\d+ +(\w+)\((?:AT_FDCWD|\d+)<([^>]*)>(?:, "([^"]*)")?.*\(INJECTED\)`)

// fault runs a trial under one fault and judges it; step is the call that was
// hit, "" when none was.
func (tr trial) fault(t *testing.T, verb, call, fault string) (step string, killed bool) {
	t.Helper()
	base, err := os.MkdirTemp(t.TempDir(), "")
	must(t, err)
	defer os.RemoveAll(base)
	tr = tr.again(t, verb, place{base, filepath.Join(base, "shop")})
	log := filepath.Join(base, "trace")
	call, only, _ := strings.Cut(call, " ")
	arguments := []string{"-e", "trace=" + call, "-e", "inject=" + call + ":" + fault}
	if only != "" {
		arguments = append(arguments, "-P", filepath.Join(tr.p.project, only))
	}
	o := try(traced(t, tr.command(t), log, arguments...))
	data, err := os.ReadFile(log)
	must(t, err)
	if o.killed {
		step = call + " killed"
	} else if hit := injected.FindStringSubmatch(string(data)); hit != nil {
		step = tr.step(hit)
	} else if !strings.Contains(string(data), "INJECTED") {
		return "", false
	} else {
		step = call + " of a file elsewhere"
	}
	wrong := tr.judge(t, o)
	if call == "unlinkat" {
		wrong = slices.DeleteFunc(wrong, func(w string) bool { return strings.HasPrefix(w, "temporary") })
	}
	if o.code == 0 && !o.killed && o.Durable && strings.HasPrefix(step, "fsync .blue") && !strings.Contains(fault, "EINTR") {
		wrong = append(wrong, "it is said to be durable")
	}
	if !tr.restores(t) {
		wrong = append(wrong, "the former text does not come back")
	}
	if len(wrong) > 0 {
		t.Errorf("%s, %s %s (%s): %q; blue says %+v", verb, call, fault, step, wrong, o)
	}
	return step, o.killed
}

var random = regexp.MustCompile(`\.tmp-\d+-\w+|[0-9a-f]{16}|-[a-z0-9]{4}\b|-\d{8}T[0-9.]+Z`)

// step shortens a line of a trace: the call, and the file within .blue.
func (tr trial) step(hit []string) string {
	path := hit[2]
	switch {
	case filepath.IsAbs(hit[3]):
		path = hit[3]
	case strings.HasSuffix(hit[1], "at"): // what a write writes is no name
		path = filepath.Join(path, hit[3])
	}
	path, inside := strings.CutPrefix(path, tr.p.project+"/")
	if !inside {
		return hit[1] + " of a file elsewhere"
	}
	return hit[1] + " " + random.ReplaceAllString(path, "*")
}
