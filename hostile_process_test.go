package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"blue/fixtures"
)

// A002: at the terminal too nothing that a clone brings is unbounded or hidden. What
// is printed without a limit, such as the findings of a check, is bounded by lines.
func TestA002HostileCloneAtTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.project = fixtures.Hostile(t)
	for _, test := range []struct {
		args  []string
		bound int // bytes of both streams
	}{
		{[]string{"where"}, 8 << 10},
		{[]string{"where", "--json"}, 16 << 10},
		{[]string{"list"}, 24 << 10},
		{[]string{"list", "--json"}, 48 << 10},
		{[]string{"search", "kettle"}, 24 << 10},
		{[]string{"search", "kettle", "--json"}, 48 << 10},
		{[]string{"read", "broken"}, 80 << 10}, // the whole note
		{[]string{"read", "hub", "--section", "none"}, 8 << 10},
		{[]string{"read", "none"}, 8 << 10},
		{[]string{"history", "hub"}, 8 << 10},
		{[]string{"edit", "broken", "--title", "x"}, 8 << 10},
		{[]string{"edit", "merge", "--append", "x"}, 8 << 10},
		{[]string{"write", "--title", "x", "--body", "kettle"}, 8 << 10},
		{[]string{"doctor"}, 40 << 10},
		{[]string{"doctor", "claude-code"}, 40 << 10},
		{[]string{"doctor", "--json"}, 80 << 10},
		{[]string{"setup", "claude-code", "--scope", "project", "--dry-run"}, 80 << 10},
		{[]string{"setup", "cursor", "--scope", "project", "--dry-run"}, 8 << 10},
		{[]string{"reindex"}, 8 << 10},
		{[]string{"check"}, 2000 * 1024},
		{[]string{"trust", "."}, 8 << 10},
		{[]string{"remove", "linker-001"}, 8 << 10},
	} {
		c := p.command(t, test.args...)
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		t.Logf("blue %q: exit %d, %d bytes", test.args, c.ProcessState.ExitCode(), len(out))
		if len(out) > test.bound || bytes.Contains(out, []byte("\u202e")) || len(out) == 0 {
			t.Errorf("A002: blue %q: %d bytes, bound %d: %.1500s", test.args, len(out), test.bound, out)
		}
		for line := range bytes.Lines(out) {
			if len(line) > 4<<10 && test.args[0] != "read" {
				t.Errorf("A002: blue %q: a line of %d bytes: %.1000s", test.args, len(line), line)
			}
		}
	}
	out, _ := p.command(t, "check").Output()
	if !strings.Contains(string(out), ".blue/project.yaml: hint: bound: the name of the project is shown as") || !strings.Contains(string(out), "at most 80 are allowed") {
		t.Errorf("A002: blue check is silent on the name: %.3000s", out[max(0, len(out)-3000):])
	}
}

// A002: `blue init` takes no name that replies could not show, and makes nothing then.
func TestA002InitRefusesNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, test := range []struct{ name, reason string }{
		{strings.Repeat("n", 81), "81 characters, at most 80 are allowed"},
		{strings.Repeat("ü", 5000), "5000 characters, at most 80 are allowed"},
		{"a\nb", "line ends"},
		{"a\u202eb", "nobody would see"},
	} {
		dir := t.TempDir()
		c := p.command(t, "init", dir, "--name", test.name)
		if strings.Contains(test.name, "a") {
			c = p.command(t, "init", "--name", test.name, dir)
		}
		out, _ := c.CombinedOutput()
		left, _ := filepath.Glob(filepath.Join(dir, ".blue", "*"))
		if c.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), test.reason) || len(left) > 0 || len(out) > 1000 {
			t.Errorf("A002: --name %.20q: exit %d, %q: %.500s", test.name, c.ProcessState.ExitCode(), left, out)
		}
	}
	for _, name := range []string{strings.Repeat("ü", 80), "Läden: \"a\" & b"} {
		dir := t.TempDir()
		if out := p.run(t, "init", "--name", name, dir); !strings.Contains(out, "Initialized") {
			t.Errorf("A002: --name %q: %s", name, out)
		}
	}
}
