//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// damaged is a project of an ordinary user in which something cannot be read.
type damaged struct {
	place
	as func(args ...string) *exec.Cmd
}

func newDamaged(t *testing.T, damage func(mark string) error) damaged {
	t.Helper()
	p, as := ordinaryUser(t)
	mark := filepath.Join(p.project, ".blue")
	for name, text := range map[string]string{
		"notes/good-aaaa.md": "# Good\n\nThe kettle whistles.\n", "notes/shut-bbbb.md": "# Shut\n\nThe kettle leaks.\n",
		"private/mine-cccc.md": "# Mine\n\nMy kettle.\n", "history/good-aaaa/0123456789abcdef.md": "# Older\n", "trash/old-20260101T000000.000000000Z.md": "# Old\n",
	} {
		path := filepath.Join(mark, name)
		if err := firstError(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := damage(mark); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(p.project, func(path string, _ os.DirEntry, err error) error {
		return firstError(err, os.Lchown(path, ordinary, ordinary))
	}); err != nil {
		t.Fatal(err)
	}
	return damaged{p, as}
}

// run runs a command to its end, whatever that is.
func (d damaged) run(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	c := d.as(args...)
	all, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(all), c.ProcessState.ExitCode()
}

// ask calls tools over MCP, one after the other, and returns the answers.
func (d damaged) ask(t *testing.T, calls ...string) (answers []string) {
	t.Helper()
	c := d.as("mcp")
	in := hello
	for i, call := range calls {
		in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", i+1, call)
	}
	c.Stdin = strings.NewReader(in)
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	answers = make([]string, len(calls))
	for line := range bytes.Lines(out) {
		var m struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.ID > 0 && m.ID <= len(calls) {
			answers[m.ID-1] = string(m.Result) + string(m.Error)
		}
	}
	return answers
}

func toolCall(verb, arguments string) string {
	return `{"name":"blue_` + verb + `","arguments":` + arguments + `}`
}

// A016: what cannot be read is left out by itself: every verb goes on, its reply names
// the thing, and so does `blue check`.
func TestA016UnreadablePartIsLeftOut(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(mark string) error
		named  string // in each reply, empty when nothing that is a note is missing
		found  string // by blue check
	}{
		"private closed":         {func(m string) error { return os.Chmod(m+"/private", 0) }, ".blue/private (permission denied)", ".blue/private: "},
		"private not searchable": {func(m string) error { return os.Chmod(m+"/private", 0o444) }, ".blue/private (permission denied)", ".blue/private: "},
		"private is a file": {func(m string) error {
			return firstError(os.RemoveAll(m+"/private"), os.WriteFile(m+"/private", nil, 0o644))
		}, ".blue/private (not a real directory)", ".blue/private: "},
		"private is a link":        {func(m string) error { return firstError(os.RemoveAll(m+"/private"), os.Symlink("/etc", m+"/private")) }, ".blue/private (not a real directory)", ".blue/private: "},
		"a note closed":            {func(m string) error { return os.Chmod(m+"/notes/shut-bbbb.md", 0) }, ".blue/notes/shut-bbbb.md (permission denied)", ".blue/notes/shut-bbbb.md: "},
		"a subdirectory closed":    {func(m string) error { return os.Mkdir(m+"/notes/sub", 0) }, "", ".blue/notes/sub: "},
		"a directory named x.md":   {func(m string) error { return os.Mkdir(m+"/notes/x.md", 0) }, "", ".blue/notes/x.md: "},
		"a pipe":                   {func(m string) error { return syscall.Mkfifo(m+"/notes/pipe.md", 0o600) }, "", ".blue/notes/pipe.md: "},
		"a link that leads out":    {func(m string) error { return os.Symlink("/etc/passwd", m+"/notes/out.md") }, "", ".blue/notes/out.md: "},
		"history of a note closed": {func(m string) error { return os.Chmod(m+"/history/good-aaaa", 0) }, "", ".blue/history: "},
		"trash closed":             {func(m string) error { return os.Chmod(m+"/trash", 0) }, "", ".blue/trash: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDamaged(t, test.damage)
			for _, args := range [][]string{{"list"}, {"search", "kettle"}, {"read", "good"}, {"where"}, {"write", "--title", "New", "--body", "A new matter."}, {"list", "--json"}, {"where", "--json"}} {
				out, code := d.run(t, args...)
				if code != 0 || !strings.Contains(out, test.named) {
					t.Errorf("A016: blue %q: exit %d, want 0 and %q: %s", args, code, test.named, out)
				}
				if args[0] == "list" || args[0] == "search" || args[0] == "read" {
					if !strings.Contains(out, "Good") {
						t.Errorf("A016: blue %q without the good note: %s", args, out)
					}
				}
			}
			out, code := d.run(t, "check")
			if code > 1 || !strings.Contains(out, test.found) {
				t.Errorf("A016: blue check: exit %d, want %q: %s", code, test.found, out)
			}
			for i, answer := range d.ask(t, toolCall("where", `{}`), toolCall("list", `{}`), toolCall("search", `{"query":"kettle"}`), toolCall("read", `{"id":"good-aaaa"}`),
				toolCall("write", `{"body":"Another new matter."}`), toolCall("list", `{}`)) {
				if strings.Contains(answer, `"isError":true`) || !strings.Contains(answer, test.named) {
					t.Errorf("A016: call %d: want %q: %s", i, test.named, answer)
				}
			}
			if name == "a note closed" {
				out, code := d.run(t, "read", "shut-bbbb")
				if code != 1 || !strings.Contains(out, "permission denied") {
					t.Errorf("A016: reading what cannot be read: exit %d: %s", code, out)
				}
			}
		})
	}
}

// A016: the names of what was left out are bounded, and so is the reply.
func TestA016ManyUnreadableNotes(t *testing.T) {
	t.Parallel()
	d := newDamaged(t, func(mark string) error {
		for i := range 500 {
			if err := os.WriteFile(fmt.Sprintf("%s/notes/n%03d-%s.md", mark, i, strings.Repeat("x", 150)), nil, 0); err != nil {
				return err
			}
		}
		return nil
	})
	out, code := d.run(t, "list")
	if code != 0 || !strings.Contains(out, "and 497 more; blue check names them all") || !strings.Contains(out, ".blue/notes/n000-xxx") || len(out) > 2000 {
		t.Errorf("A016: exit %d, %d bytes: %.1000s", code, len(out), out)
	}
	if out, _ := d.run(t, "check"); strings.Count(out, "permission denied") != 500 {
		t.Errorf("A016: blue check names %d of 500", strings.Count(out, "permission denied"))
	}
}

// A016: without notes/ nobody is told that there are none. The verbs fail; where
// answers, with the reason.
func TestA016UnreadableNotes(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(mark string) error
		why    string
	}{
		"closed":         {func(m string) error { return os.Chmod(m+"/notes", 0) }, "permission denied"},
		"not searchable": {func(m string) error { return os.Chmod(m+"/notes", 0o444) }, "permission denied"},
		"a file": {func(m string) error {
			return firstError(os.RemoveAll(m+"/notes"), os.WriteFile(m+"/notes", nil, 0o644))
		}, "is not a real directory"},
		"a link":          {func(m string) error { return firstError(os.RemoveAll(m+"/notes"), os.Symlink("/tmp", m+"/notes")) }, "is not a real directory"},
		"the marker shut": {func(m string) error { return os.Chmod(m, 0) }, "permission denied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDamaged(t, test.damage)
			for _, args := range [][]string{{"list"}, {"search", "kettle"}, {"read", "good"}, {"write", "--title", "New", "--body", "A new matter."}, {"check"}, {"list", "--json"}} {
				out, code := d.run(t, args...)
				if code == 0 || !strings.Contains(out, test.why) || strings.Contains(out, "No notes") || strings.Contains(out, "no note") {
					t.Errorf("A016: blue %q: exit %d, want a failure that says %q: %s", args, code, test.why, out)
				}
			}
			for _, args := range [][]string{{"where"}, {"where", "--json"}} {
				out, code := d.run(t, args...)
				if code != 0 || !strings.Contains(out, test.why) || !strings.Contains(out, d.project) {
					t.Errorf("A016: blue %q: exit %d: %s", args, code, out)
				}
			}
			answers := d.ask(t, toolCall("where", `{}`), toolCall("list", `{}`), toolCall("search", `{"query":"kettle"}`), toolCall("read", `{"id":"good-aaaa"}`))
			for i, answer := range answers {
				if strings.Contains(answer, `"isError":true`) != (i > 0) || !strings.Contains(answer, test.why) {
					t.Errorf("A016: call %d: %s", i, answer)
				}
			}
		})
	}
}

// A016: a running server sees that a directory is closed, and that it is opened again.
func TestA016ClosedWhileServing(t *testing.T) {
	t.Parallel()
	d := newDamaged(t, func(string) error { return nil })
	s := &server{cmd: d.as("mcp")}
	s.start(t)
	list := func() string {
		line, err := s.ask("list", nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(line)
	}
	for range 5 { // from the third call on the kernel is asked what has changed
		if got := list(); !strings.Contains(got, "Shut") || !strings.Contains(got, "Mine") {
			t.Fatalf("A016: %s", got)
		}
	}
	mark := filepath.Join(d.project, ".blue")
	for _, name := range []string{"private", "notes/shut-bbbb.md"} {
		path := filepath.Join(mark, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if got := list(); !strings.Contains(got, ".blue/"+name+" (permission denied)") || !strings.Contains(got, "Good") {
				t.Errorf("A016: %s is closed: %s", name, got)
			}
		}
		if err := os.Chmod(path, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if got := list(); strings.Contains(got, "left out") || !strings.Contains(got, "Shut") || !strings.Contains(got, "Mine") {
				t.Errorf("A016: %s is open again: %s", name, got)
			}
		}
	}
	s.close(t)
}
