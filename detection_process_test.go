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

// A018: the page and the manual name every variable, the limits, worktrees, the stop rule
// and several projects. A017: README says which bad values are passed over.
func TestDetectionIsDocumented(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	page, err := os.ReadFile("docs/detection.md")
	if err != nil {
		t.Fatal(err)
	}
	manual := strings.NewReplacer(`\-`, "-", `\(aq`, "'", "\n", " ").Replace(p.run(t, "man"))
	for name, text := range map[string]string{"docs/detection.md": string(page), "the manual": manual} {
		text = strings.ToLower(strings.Join(strings.Fields(text), " "))
		for _, want := range []string{
			"BLUE_PROJECT", "BLUE_MCP_PORT", "BLUE_CEILING_DIRECTORIES", "BLUE_DISCOVERY_ACROSS_FILESYSTEM", "CLAUDE_PROJECT_DIR", "WORKSPACE_FOLDER_PATHS",
			"--project", "--allow-root", "project_path", "Blue-Project", "20", "worktree: main", "stop rule", "linked worktree", "initialize",
		} {
			if !strings.Contains(text, strings.ToLower(want)) {
				t.Errorf("A018: %s does not name %s", name, want)
			}
		}
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"The first of these that leads to a project decides", "What the surroundings say may be passed over", "(docs/detection.md)"} {
		if !strings.Contains(string(readme), want) {
			t.Errorf("A017: README does not say %q", want)
		}
	}
	// as README says: a variable of the surroundings without a marker is passed over, a
	// value that somebody gave is not
	for name, want := range map[string]string{"CLAUDE_PROJECT_DIR": `"source":"cwd"`, "BLUE_PROJECT": `"error":"not_detected"`} {
		c := p.command(t, "mcp")
		c.Env = append(c.Env, name+"="+p.base, "BLUE_CEILING_DIRECTORIES="+p.base)
		c.Stdin = strings.NewReader(hello + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"blue_list","arguments":{}}}` + "\n")
		if out, err := c.Output(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("A017: %s: %v, %s", name, err, out)
		}
	}
}
