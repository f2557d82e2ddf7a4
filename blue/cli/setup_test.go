package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSetupOffers: at a terminal, and there alone, setup asks whether to set up what it
// has found, and does so after a yes. G021: blue is not on the PATH of these tests, so that
// the hooks are inert, and setup exits with 1.
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
		"a line end":   {true, "\n", true, false, 0},
		"the end":      {true, "", true, false, 0},
		"not a screen": {false, "y\n", false, false, 0},
	} {
		p := newPlace(t, nil)
		if err := os.MkdirAll(filepath.Join(filepath.Dir(p.dir), ".cursor"), 0o755); err != nil {
			t.Fatal(err)
		}
		p.std.Typed, p.std.Watched, p.std.In = row.typed, row.typed, strings.NewReader(row.answer)
		out, code := p.run("setup")
		_, err := os.Stat(filepath.Join(p.dir, ".cursor", "hooks.json"))
		if code != row.code || strings.Contains(out, "are inert") != row.writes || strings.Contains(out, "Set up all that were found (1) now? [y/N] ") != row.asked || (err == nil) != row.writes || strings.Contains(out, "written: hooks in ") != row.writes {
			t.Errorf("%s: exit %d, %v\n%s", name, code, err, out)
		}
	}
}

// G021: where blue is not on the PATH the hooks of the project are inert. Setup says so, names
// the remedy and exits with 1, unless --force is given. A person's own files name the binary
// by its path.
func TestG021SetupWithoutBlueOnThePath(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and nothing in it runs beside another")
	}
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
