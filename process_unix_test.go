//go:build unix

package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// D160, D161, D162, D164, promise 20: an ordinary user is refused on ground that is
// somebody else's or everybody's, with the remedy, and `blue trust` cures it.
func TestOrdinaryUserOnForeignGround(t *testing.T) {
	const user, other = ordinary, 65533
	p, as := ordinaryUser(t)
	t.Parallel()
	run := func(args ...string) (string, int) {
		c := as(args...)
		out, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Fatal(err)
		}
		return string(out), c.ProcessState.ExitCode()
	}
	mark := filepath.Join(p.project, ".blue")
	for _, ground := range []struct {
		row, first string
		make, undo func() error
	}{
		{"D160", "Untrusted project: " + p.project + " belongs to uid 65533, you are 65534. Run: blue trust " + p.project,
			func() error { return os.Chown(mark, other, other) }, func() error { return os.Chown(mark, user, user) }},
		{"D162", "Untrusted project: " + p.project + " is writable by everyone. Run: blue trust " + p.project,
			func() error { return firstError(os.Chown(mark, user, user), os.Chmod(p.project, 0o777)) }, func() error { return os.Chmod(p.project, 0o755) }},
	} {
		if err := ground.make(); err != nil {
			t.Fatal(err)
		}
		out, code := run("list")
		if first, _, _ := strings.Cut(out, "\n"); code != 6 || first != "blue: error: "+ground.first {
			t.Errorf("%s: exit %d\ngot  %s\nwant blue: error: %s", ground.row, code, first, ground.first)
		}
		if out, code := run("trust", p.project); code != 0 {
			t.Errorf("%s: trust: exit %d: %s", ground.row, code, out)
		}
		if out, code := run("list"); code != 0 {
			t.Errorf("%s: after trust: exit %d: %s", ground.row, code, out)
		}
		if err := firstError(ground.undo(), os.RemoveAll(filepath.Join(p.base, "home", "CONFIG"))); err != nil {
			t.Fatal(err)
		}
	}
}

// ordinary is the id of a user whom the modes of files hold back.
const ordinary = 65534

// ordinaryUser is a place that belongs to such a user, and the command that they run
// there. Only root can do that.
func ordinaryUser(t *testing.T) (p place, as func(args ...string) *exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("SKIPPED: only root can run a program as another user")
	}
	p = newPlace(t)
	for _, dir := range []string{filepath.Dir(p.base), p.base} { // let the user in
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(filepath.Join(p.base, "home"), func(path string, _ os.DirEntry, err error) error {
		return firstError(err, os.Chown(path, ordinary, ordinary))
	}); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(p.base, "blue")
	copyFile(t, built(t), program)
	return p, func(args ...string) *exec.Cmd {
		c := p.command(t, args...)
		c.Path = program
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
		return c
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		syscall.ForkLock.RLock() // a process that starts meanwhile would hold the file open: "text file busy"
		err = os.WriteFile(to, data, 0o755)
		syscall.ForkLock.RUnlock()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// D124, D125, D147: PWD spells the working directory of the program and never names
// another; one that is gone is said to be unknown.
func TestWorkingDirectoryOfTheProcess(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	other, link, bare := filepath.Join(p.base, "other"), filepath.Join(p.base, "link"), filepath.Join(p.base, "bare")
	for _, dir := range []string{filepath.Join(other, ".blue"), filepath.Join(p.project, "src"), bare, filepath.Join(p.base, "gone")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(p.project, "src"), link); err != nil {
		t.Fatal(err)
	}
	for pwd, spelled := range map[string]string{"unset": "", ".": "", "..": "", "./foo": "", "src": "", other: "", filepath.Join(p.base, "none"): "", link: link} {
		c := p.command(t, "where", "--json")
		c.Dir = filepath.Join(p.project, "src")
		if pwd != "unset" {
			c.Env = append(c.Env, "PWD="+pwd)
		}
		if spelled == "" {
			spelled = c.Dir
		}
		out, err := c.Output()
		var where struct {
			Project struct{ Root, Source string }
			Trace   []struct{ Source, Value, Outcome string }
		}
		if err := firstError(err, json.Unmarshal(out, &where)); err != nil {
			t.Fatalf("PWD=%s: %v: %s", pwd, err, out)
		}
		last := where.Trace[len(where.Trace)-1]
		if where.Project.Root != p.project || last.Source != "cwd" || last.Value != spelled {
			t.Errorf("D124 D125: PWD=%s: root %s, trace ends with %+v", pwd, where.Project.Root, last)
		}
	}
	if err := firstError(os.Remove(link), os.Symlink(bare, link)); err != nil {
		t.Fatal(err)
	}
	for pwd, spelled := range map[string]string{link: link, other: bare} {
		c := p.command(t, "list")
		c.Dir, c.Env = bare, append(c.Env, "PWD="+pwd)
		if out, _ := c.CombinedOutput(); !strings.Contains(string(out), "Process cwd: "+spelled+"\n") {
			t.Errorf("D125: PWD=%s: %s", pwd, out)
		}
	}
	gone := p.command(t, "list")
	gone.Args = append([]string{"sh", "-c", `rmdir "$PWD" && exec "$0" "$@"`, gone.Path}, gone.Args[1:]...)
	gone.Path, gone.Dir = "/bin/sh", filepath.Join(p.base, "gone")
	if out, _ := gone.CombinedOutput(); gone.ProcessState.ExitCode() != 4 || !strings.Contains(string(out), "Process cwd: <unknown>\n") {
		t.Errorf("D147: %s", out)
	}
}
