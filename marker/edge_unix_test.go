//go:build unix

package marker

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"blue/errors"
)

func build(t *testing.T, dirs ...string) (base string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	for _, dir := range dirs {
		if err == nil {
			err = os.MkdirAll(filepath.Join(base, dir), 0o755)
		}
	}
	must(t, err)
	return base
}

// What may not be read. A parent without rights hides the start as
// well, so the parent's turn is shown by one step of a walk that begins elsewhere.
func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything: run as an ordinary user")
	}
	base := build(t, "p/.blue", "p/shut/start")
	shut := filepath.Join(base, "p/shut")
	must(t, os.Chmod(shut, 0))
	t.Cleanup(func() { _ = os.Chmod(shut, 0o755) })
	g := Rules{}.resolve()
	info, err := os.Lstat(shut)
	must(t, err)
	w := &walk{resolvedRules: g, start: filepath.Join(shut, "start")}
	if a, ok := w.examineDir(shut, info); ok || len(w.notes) != 1 || !strings.Contains(w.notes[0], "permission denied") {
		t.Errorf("%+v, notes %q", a, w.notes)
	}
	if a := g.lookAtPath(shut); a.outcome != Unusable || !strings.Contains(a.detail, "permission denied") {
		t.Errorf("%s %s", a.outcome, a.detail)
	}
	if _, err := Find(context.Background(), Rules{}, shut); !errors.Is(err, errors.NotDetected) {
		t.Errorf("named on purpose: %v", err)
	}
	if a := g.lookAtPath(filepath.Join(shut, "start")); a.outcome != Unusable || !strings.Contains(a.detail, "permission denied") {
		t.Errorf("%s %s", a.outcome, a.detail)
	}
}

// Neither a FIFO nor a socket is a place to start, or is ever opened.
func TestSpecialFiles(t *testing.T) {
	base := build(t, "a/.blue", "home")
	fifo, socket := filepath.Join(base, "a/fifo"), filepath.Join(base, "a/s")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Skip("no FIFO here: ", err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no socket here: ", err)
	}
	defer func() { _ = l.Close() }()
	rules := Rules{Home: filepath.Join(base, "home")}
	for _, path := range []string{fifo, socket, "/dev/null"} {
		_, err := Find(context.Background(), rules, path)
		if !errors.Is(err, errors.NotDetected) || !strings.Contains(errors.Of(err).Text(), path+" is not a directory.") {
			t.Errorf("%v", err)
		}
		found, err := Choose(context.Background(), rules, slices.Values([]Candidate{{Source: Codex, Value: path}, {Source: Cwd, Value: filepath.Join(base, "a")}}))
		if err != nil || found.Source != Cwd || found.Trace[slices.Index(chain, Codex)].Outcome != Unusable {
			t.Errorf("%s, %v, trace %v", found.Source, err, found.Trace)
		}
	}
	for _, name := range []string{projectFile, ".git"} {
		dir := filepath.Join(base, "a", map[string]string{projectFile: Name}[name])
		must(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644))
	}
	found, err := Choose(context.Background(), rules, slices.Values([]Candidate{{Source: Cwd, Value: filepath.Join(base, "a")}}))
	if err != nil || len(found.Warnings) != 1 || !strings.Contains(found.Warnings[0], "not a regular file") {
		t.Errorf("a FIFO as project.yaml: %v, %v", found.Warnings, err)
	}
}
