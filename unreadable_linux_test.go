package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A016: so it is when the disk fails for one file, which strace makes it do.
func TestA016BrokenFile(t *testing.T) {
	t.Parallel()
	d := newDamaged(t, func(string) error { return nil })
	bad := filepath.Join(d.project, ".blue", "notes", "shut-bbbb.md")
	c := d.as("list")
	c.SysProcAttr = nil
	c = traced(t, c, os.DevNull, "-P", bad, "-e", "trace=read", "-e", "inject=read:error=EIO")
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), ".blue/notes/shut-bbbb.md (input/output error)") || !strings.Contains(string(out), "Good") {
		t.Errorf("A016: %v: %s", err, out)
	}
}
