package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"blue/blue"
)

// TestSetupOffers: at a terminal, and there alone, setup asks whether to set up what it
// has found, and does so after a yes; init goes on with the same question, and no other. Blue is
// not on the PATH of these tests, so that the hooks are inert, and setup exits with 1.
func TestSetupOffers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		typed         bool
		answer        string
		asked, writes bool
		code          int
	}{
		"yes":          {true, "y\n", true, true, 1},
		"no":           {true, "n\n", true, false, 0},
		"a line end":   {true, "\n", true, true, 1},
		"a number":     {true, "1\n", true, true, 1},
		"a wrong one":  {true, "2\nnone\n", true, false, 0},
		"the end":      {true, "", true, false, 0},
		"not a screen": {false, "y\n", false, false, 0},
	} {
		for _, command := range []string{"setup", "init"} {
			p := newPlace(t, nil)
			must(t, os.MkdirAll(filepath.Join(filepath.Dir(p.dir), ".cursor"), 0o755))
			p.std.Typed, p.std.Watched, p.std.In = row.typed, row.typed, strings.NewReader(row.answer)
			out, code := p.run(command)
			_, err := os.Stat(filepath.Join(p.dir, ".cursor", "hooks.json"))
			if code != row.code || strings.Contains(out, "are inert") != row.writes || strings.Contains(out, "Set up Cursor? [Y/n] ") != row.asked || (err == nil) != row.writes || strings.Contains(out, "hooks in "+filepath.FromSlash(".cursor/hooks.json")) != row.writes {
				t.Errorf("%s, %s: exit %d, %v\n%s", command, name, code, err, out)
			}
			if command == "init" && strings.Contains(out, "past sessions") {
				t.Errorf("init, %s: asks a second question\n%s", name, out)
			}
		}
	}
}

// A wrong answer is named, with what may be answered, and asked for again.
func TestSetupNamesAWrongAnswer(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	says := map[string]string{".cursor": "Set up Cursor? [Y/n] blue: error: \"7\" is neither y nor n\nblue: hint: answer y or n",
		".codex": "Set up 1 Cursor, 2 Codex? [ALL/1,2/none] blue: error: \"7\" is not one of the numbers\nblue: hint: answer all, none, or numbers from 1 to 2"}
	for _, dir := range []string{".cursor", ".codex"} {
		must(t, os.MkdirAll(filepath.Join(filepath.Dir(p.dir), dir), 0o755))
		p.std.Typed, p.std.Watched, p.std.In = true, true, strings.NewReader("7\nnone\n")
		if out, code := p.run("setup"); code != 0 || !strings.Contains(out, says[dir]) {
			t.Errorf("exit %d, want %s:\n%s", code, says[dir], out)
		}
	}
}

// Where blue is not on the PATH the hooks of the project are inert. Setup says so, names
// the remedy and exits with 1, unless --force is given. A person's own files name the binary
// by its path.
func TestSetupWithoutBlueOnThePath(t *testing.T) {
	t.Parallel()
	for _, client := range []string{"claude-code", "codex", "gemini", "qwen-code", "copilot-cli", "cursor", "opencode"} {
		for line, row := range map[string]struct {
			code  int
			inert bool
		}{
			"setup " + client:                           {1, true},
			"setup --force " + client:                   {0, true},
			"setup --only mcp " + client:                {0, false},
			"setup --print " + client:                   {0, false},
			"setup --dry-run " + client:                 {0, false},
			"setup --remove " + client:                  {0, false},
			"setup --scope user --only hooks " + client: {1, false}, // the file that Self names is not there
		} {
			if _, err := exec.LookPath("sh"); err != nil && client != "opencode" && strings.Contains(line, "--scope") {
				continue // the hook cannot be tried
			}
			p := newPlace(t, nil)
			p.std.Self = filepath.Join(p.dir, "nowhere", "blue")
			out, code := p.run(strings.Fields(line)...)
			inert := strings.Contains(out, "are inert: they run blue, which is not on your PATH") && strings.Contains(out, "blue setup "+client+" --scope user")
			if code != row.code || inert != row.inert {
				t.Errorf("%s: exit %d, said to be inert: %v\n%s", line, code, inert, out)
			}
		}
	}
}

// After a client was set up at a terminal, a person is asked once whether past sessions are
// to be searched; setup does not ask in a pipe, with --json, in CI, or by a run that changes nothing.
func TestSetupAsksOnce(t *testing.T) {
	t.Parallel()
	const question = "Also search what you and your agents said in past sessions?"
	for name, row := range map[string]struct {
		line      string
		typed     bool
		ci        string
		answer    string
		asked, on bool
	}{
		"yes":      {"setup cursor", true, "", "y\n", true, true},
		"no":       {"setup cursor", true, "", "\n", true, false},
		"both yes": {"setup", true, "", "y\ny\n", true, true},
		"none":     {"setup", true, "", "n\n", false, false},
		"a pipe":   {"setup cursor", false, "", "y\n", false, false},
		"json":     {"setup cursor --json", true, "", "y\n", false, false},
		"ci":       {"setup cursor", true, "true", "y\n", false, false},
		"dry run":  {"setup cursor --dry-run", true, "", "y\n", false, false},
		"removal":  {"setup cursor --remove", true, "", "y\n", false, false},
	} {
		p := newPlace(t, nil)
		if row.ci != "" {
			top := filepath.Dir(p.dir)
			p.b = blue.New(blue.Options{Home: top, Cache: filepath.Join(top, "cache"), State: filepath.Join(top, "state"), Config: filepath.Join(top, "config"),
				Env: func(name string) string { return map[string]string{"CI": row.ci}[name] }})
			t.Cleanup(func() { _ = p.b.Close() })
		}
		must(t, os.MkdirAll(filepath.Join(filepath.Dir(p.dir), ".cursor"), 0o755))
		p.std.Typed, p.std.Watched, p.std.In = row.typed, row.typed, strings.NewReader(row.answer)
		out, _ := p.run(strings.Fields(row.line)...)
		if strings.Contains(out, question) != row.asked || p.b.SessionsOn() != row.on || p.b.SessionsDecided() != row.asked {
			t.Errorf("%s: on %t\n%s", name, p.b.SessionsOn(), out)
		}
		p.std.In = strings.NewReader("y\n")
		if again, _ := p.run(strings.Fields(row.line)...); row.asked && strings.Contains(again, question) {
			t.Errorf("%s: asked again", name)
		}
	}
}

// TestSetupOfABrokenFile: a client's file that does not parse fails setup with its path and line, also
// between other clients.
func TestSetupOfABrokenFile(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"setup vscode", "setup vscode zed", "setup zed vscode", "setup vscode --dry-run", "setup vscode --remove"} {
		p := newPlace(t, nil)
		file := filepath.Join(p.dir, ".vscode", "mcp.json")
		must(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must(t, os.WriteFile(file, []byte("{\n\"a\" 1}"), 0o644))
		if out, code := p.run(strings.Fields(line)...); code != 1 || !strings.Contains(out, `mcp.json" untouched: line 2: `) {
			t.Errorf("%s: exit %d\n%s", line, code, out)
		}
	}
}
