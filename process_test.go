package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// These tests drive the program as it is built for people. The race detector sees
// nothing of it, so that they do not run with -short.

var (
	builtDirs []string // what was built; [leaving] removes it
	build     = sync.OnceValues(func() (string, error) { return buildBlue(".", os.Environ()) })
)

func buildBlue(source string, env []string, flags ...string) (string, error) {
	dir, err := os.MkdirTemp("", "blue-built-*")
	if err != nil {
		return "", err
	}
	builtDirs = append(builtDirs, dir)
	path := filepath.Join(dir, "blue.exe")
	c := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), source)...)
	c.Env = env
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
}

// built is the path of the program.
func built(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: tests of the built program")
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// place is a project with a home directory of its own beside it.
type place struct{ base, project string }

func newPlace(t testing.TB) place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{base, filepath.Join(base, "shop")}
	for _, dir := range []string{p.project, filepath.Join(base, "home")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p.run(t, "init")
	return p
}

func (p place) command(t testing.TB, args ...string) *exec.Cmd {
	c := exec.Command(built(t), args...)
	c.Dir = p.project
	home := filepath.Join(p.base, "home")
	c.Env = []string{"HOME=" + home, "USERPROFILE=" + home, "LOCALAPPDATA=" + home, "PATH=" + os.Getenv("PATH"), "SystemRoot=" + os.Getenv("SystemRoot"),
		"TZ=UTC"} // which reads no /etc/localtime: D167
	for _, kind := range []string{"CACHE", "STATE", "CONFIG"} {
		c.Env = append(c.Env, "XDG_"+kind+"_HOME="+filepath.Join(home, kind))
	}
	return c
}

// run runs a command that must succeed and returns its output.
func (p place) run(t testing.TB, args ...string) string {
	t.Helper()
	out, err := p.command(t, args...).Output()
	if err != nil {
		t.Fatalf("blue %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// server is a running `blue mcp`.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func (p place) serve(t testing.TB) *server {
	t.Helper()
	s := &server{cmd: p.command(t, "mcp")}
	s.start(t)
	return s
}

// start starts the command of the server and opens a session.
func (s *server) start(t testing.TB) {
	t.Helper()
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.out = bufio.NewReader(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(s.in, hello); err != nil {
		t.Fatal(err)
	}
	if _, err := s.out.ReadBytes('\n'); err != nil {
		t.Fatal(err)
	}
}

// answer is what the tests look at in a tool's answer.
type answer struct {
	Error    string
	ID       string
	Revision string
	Body     string
	Created  bool
	Notes    []struct{ ID, Body, Revision string }
	Hits     []struct{ ID string }
}

// call calls a tool; the error is that of a server that is gone.
func (s *server) call(tool string, arguments map[string]any) (answer, error) {
	line, err := s.ask(tool, arguments)
	if err != nil {
		return answer{}, err
	}
	return readAnswer(line)
}

// ask is call, the answer as it came.
func (s *server) ask(tool string, arguments map[string]any) ([]byte, error) {
	s.id++
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"blue_%s","arguments":%s}}`+"\n", s.id, tool, raw); err != nil {
		return nil, err
	}
	return s.out.ReadBytes('\n')
}

func (s *server) close(t testing.TB) {
	t.Helper()
	s.in.Close()
	rest, _ := io.ReadAll(s.out) // that the process ended well, Wait says
	protocolOnly(t, "blue mcp", rest)
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("blue mcp: %v", err)
	}
}

// Promise 1: what was acknowledged is there after kill -9, and whole.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	kills := 200
	if testing.Short() {
		kills = 20
	}
	acknowledged := map[string]string{}
	for i := range kills {
		s := p.serve(t)
		timer := time.AfterFunc(time.Duration(rand.IntN(50_000))*time.Microsecond, func() { s.cmd.Process.Kill() })
		for j := 0; ; j++ {
			body := fmt.Sprintf("note %d of run %d: %s end", j, i, strings.Repeat("text ", rand.IntN(800)))
			a, err := s.call("write", map[string]any{"title": fmt.Sprintf("n %d %d", i, j), "body": body})
			if err != nil {
				break
			}
			if a.ID == "" {
				t.Fatalf("refused: %+v", a)
			}
			acknowledged[a.ID] = body
		}
		timer.Stop()
		_ = s.cmd.Wait() // killed
	}
	s := p.serve(t)
	defer s.close(t)
	for id, body := range acknowledged {
		a, err := s.call("read", map[string]any{"id": id})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Notes) != 1 || strings.TrimSpace(a.Notes[0].Body) != body {
			t.Errorf("note %s is lost or torn: %+v", id, a)
		}
	}
	checkWhole(t, p)
	t.Logf("%d kills, %d acknowledged notes, none lost or torn", kills, len(acknowledged))
}

// checkWhole finds files that were cut off.
func checkWhole(t *testing.T, p place) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.project, ".blue", "notes", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil || !strings.HasSuffix(string(data), " end\n") {
			t.Errorf("%s is torn (%v): …%q", name, err, data[max(0, len(data)-40):])
		}
	}
}

// D204, D205, D206, D207: standard output is protocol only, and the debug log is
// private.
func TestDebugLog(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	run := func() (out, log string) {
		c := p.command(t, "mcp", "--debug")
		c.Stdin = strings.NewReader(hello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_where","arguments":{}}}` + "\n")
		var stderr strings.Builder
		c.Stderr = &stderr
		data, err := c.Output()
		if err != nil {
			t.Fatal(err)
		}
		protocolOnly(t, "D205", data)
		return string(data), stderr.String()
	}
	path := filepath.Join(p.base, "home", "STATE", "blue", "mcp-debug.log")
	_, log := run()
	if !strings.Contains(log, "debug log: "+path) {
		t.Errorf("D206: standard error: %s", log)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("D206: %v %v", info, err)
	}
	if data, _ := os.ReadFile(path); !strings.Contains(string(data), "level=DEBUG") || !strings.Contains(string(data), "level=INFO msg=detected") {
		t.Errorf("D206 D208: %s", data)
	}
	target := filepath.Join(p.base, "target")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(target, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if _, log = run(); !strings.Contains(log, "no debug log") {
		t.Errorf("D207: %s", log)
	}
	if data, _ := os.ReadFile(target); string(data) != "mine" {
		t.Errorf("D207: the link's target is now %q", data)
	}
}

// D206, D207: without --debug nothing is written by a session, and with it nothing where
// others write, or where the log cannot be. The server runs all the same.
func TestNoDebugLog(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		row  string
		make func(dir string) error
	}{
		"not asked for":      {"D206", func(string) error { return nil }},
		"a shared directory": {"D206", func(dir string) error { return firstError(os.MkdirAll(dir, 0o755), os.Chmod(dir, 0o777)) }},
		"a file in its place": {"D207", func(dir string) error {
			return firstError(os.MkdirAll(filepath.Dir(dir), 0o755), os.WriteFile(dir, nil, 0o644))
		}},
	} {
		if name == "a shared directory" && os.PathSeparator != '/' {
			continue // modes of Unix
		}
		p := newPlace(t)
		home := filepath.Join(p.base, "home")
		if err := test.make(filepath.Join(home, "STATE", "blue")); err != nil {
			t.Fatal(err)
		}
		before := filesBelow(t, home)
		c := p.command(t, "mcp", "--debug")
		if name == "not asked for" {
			c = p.command(t, "mcp")
		}
		c.Stdin = strings.NewReader(hello + `{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
		var stderr strings.Builder
		c.Stderr = &stderr
		out, err := c.Output()
		if err != nil || protocolOnly(t, "D205", out) != 2 || !strings.Contains(string(out), "blue_where") {
			t.Errorf("%s %s: %v %s", test.row, name, err, out)
		}
		if warned := strings.Count(stderr.String(), `level=WARN msg="no debug log"`); warned != map[bool]int{true: 0, false: 1}[name == "not asked for"] || strings.Contains(stderr.String(), "debug log: ") {
			t.Errorf("%s %s: %s", test.row, name, stderr.String())
		}
		if after := filesBelow(t, home); after != before {
			t.Errorf("%s %s: the files\n%s\nare now\n%s", test.row, name, before, after)
		}
	}
}

func filesBelow(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		all = append(all, path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

// D205: a server that cannot start says so on standard error alone.
func TestStartUpFailures(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, args := range [][]string{
		{"--nope"}, {"extra"}, {"--project"}, {"--http", "127.0.0.1:x"}, {"--http", "127.0.0.1:0", "--session-timeout", "x"}, {"--debug", "--http", "0.0.0.0:0"},
	} {
		c := p.command(t, append([]string{"mcp"}, args...)...)
		var stderr strings.Builder
		c.Stderr = &stderr
		out, err := c.Output()
		if err == nil || len(out) > 0 || !strings.Contains(stderr.String(), "blue: error: ") {
			t.Errorf("D205: blue mcp %v: %v, standard output %q, standard error %s", args, err, out, stderr.String())
		}
	}
}

// D122, D123, D210: how failures of detection end at the terminal, and a URI as --cwd.
func TestExitCodesOfDetection(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	home := filepath.Join(p.base, "home")
	for _, test := range []struct {
		row, cwd, first string
		code            int
	}{
		{"D210", home, "Blue not detected in: " + home + ". Expected .blue/ directory. Run 'blue init DIR' or pass 'cwd' parameter.", 4},
		{"D123", "", "Path '' must be absolute (e.g. /path/to/project or file:///path/to/project)", 2},
		{"D107", "file://host/x", "Path 'file://host/x' is not usable: the URI names another host", 2},
	} {
		code, said := p.fails(t, nil, "list", "--cwd", test.cwd)
		if first, _, _ := strings.Cut(said, "\n"); code != test.code || first != "blue: error: "+test.first {
			t.Errorf("%s: --cwd %q: exit %d: %s", test.row, test.cwd, code, said)
		}
	}
	if code, said := p.fails(t, []string{"BLUE_PROJECT=shop"}, "list"); code != 2 || !strings.HasPrefix(said, "blue: error: Path 'shop' must be absolute") {
		t.Errorf("D121: BLUE_PROJECT=shop: exit %d: %s", code, said)
	}
	c := p.command(t, "where", "--cwd", (&url.URL{Scheme: "file", Host: "localhost", Path: p.project}).String())
	c.Dir = home
	if out, err := c.Output(); err != nil || !strings.Contains(string(out), "Project: shop at "+p.project+" (source: argument)") {
		t.Errorf("D122: %v %s", err, out)
	}
	c = p.command(t, "list")
	c.Dir = home
	if out, err := c.CombinedOutput(); c.ProcessState.ExitCode() != 4 || !strings.HasPrefix(string(out), "blue: error: Blue project not found. ") {
		t.Errorf("D210: no project: %v %s", err, out)
	}
}

// TestReadmeNamesTheVerbs compares the table of the README with the commands and
// the tools that there are.
func TestReadmeNamesTheVerbs(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(readme), "\n"); n > 150 {
		t.Errorf("README.md has %d lines, more than 150", n)
	}
	commands, tools := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(readme)) {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		if words := strings.Fields(strings.Trim(cells[1], " `")); len(words) > 1 && words[0] == "blue" {
			commands[words[1]] = true
		}
		if tool := strings.Trim(cells[2], " `"); strings.HasPrefix(tool, "blue_") {
			tools[tool] = true
		}
	}
	_, list, _ := strings.Cut(newPlace(t).run(t, "--help"), "COMMANDS:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		name := strings.Fields(line)[0]
		if !commands[name] {
			t.Errorf("the README does not name blue %s", name)
		}
		delete(commands, name)
	}
	for name := range commands {
		t.Errorf("the README names blue %s, which is no command", name)
	}
	files, err := filepath.Glob("fixtures/tools/*.json")
	if err != nil || len(files) != len(tools) {
		t.Errorf("%d tools, %d in the README (%v)", len(files), len(tools), err)
	}
	for _, file := range files {
		if !tools[strings.TrimSuffix(filepath.Base(file), ".json")] {
			t.Errorf("the README does not name %s", file)
		}
	}
}
