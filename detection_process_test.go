package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A008: a PWD that is no usable spelling of the working directory does not hide the
// project: the system's own name of the directory counts.
func TestUnusablePWD(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	src := filepath.Join(p.project, "src")
	if err := os.Mkdir(src, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir, spellings := range map[string][]string{
		p.project: {"/" + p.project, src + "/..", p.project + "/./", "shop", "/none", ""},
		src:       {"/" + src, p.project + "/src/../src", p.project},
	} {
		for _, pwd := range spellings {
			c := p.command(t, "where")
			c.Dir, c.Env = dir, append(c.Env, "PWD="+pwd)
			out, err := c.CombinedOutput()
			if err != nil || !strings.HasPrefix(string(out), "Project: shop at "+p.project+" (source: cwd)\n") {
				t.Errorf("A008: in %s with PWD=%s: %v\n%s", dir, pwd, err, out)
			}
		}
	}
	for _, cwd := range []string{src + "/../src", "/" + src, "../shop/src/..", src + "/."} {
		c := p.command(t, "where", "--cwd", cwd)
		out, err := c.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "Project: shop at "+p.project+" (source: argument)\n") {
			t.Errorf("A008: --cwd %s: %v\n%s", cwd, err, out)
		}
	}
}

// The failure that a person sees at the terminal.
func TestGuidedFailureAtTheTerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	dir := filepath.Join(p.base, "elsewhere")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := p.command(t, "list")
	c.Dir, c.Env = dir, append(c.Env, "BLUE_CEILING_DIRECTORIES="+p.base)
	out, err := c.CombinedOutput()
	want := strings.ReplaceAll(`blue: error: Blue project not found. Run 'blue init' or pass 'cwd' parameter.
Process cwd: $/elsewhere
- working directory: $/elsewhere - no .blue/ there or above: 2 levels, ended at ceiling $
Not set: --cwd, BLUE_PROJECT
blue: hint: name the directory of the project: --cwd DIR
blue: hint: to make a new project: blue init $/elsewhere
`, "$", p.base)
	if c.ProcessState.ExitCode() != 4 || string(out) != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, out, want)
	}
}

// A005: the debug log says which process wrote a line, of which version, and how it was
// started.
func TestDebugLogNamesTheProcess(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	c := p.command(t, "mcp", "--debug", "--project", p.project)
	c.Stdin = strings.NewReader(hello)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(p.base, "home", "STATE", "blue", "mcp-debug.log"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	for _, want := range []string{"msg=starting", fmt.Sprintf("pid=%d ", c.Process.Pid), "version=", `arguments="mcp --debug --project ` + p.project + `"`, "dir=" + p.project} {
		if !strings.Contains(first, want) {
			t.Errorf("A005: the first line lacks %s: %s", want, first)
		}
	}
}
