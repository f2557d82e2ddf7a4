package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSetupOffers: at a terminal, and there alone, setup asks whether to set up what it
// has found, and does so after a yes.
func TestSetupOffers(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		typed         bool
		answer        string
		asked, writes bool
	}{
		"yes":          {true, "y\n", true, true},
		"no":           {true, "n\n", true, false},
		"a line end":   {true, "\n", true, false},
		"the end":      {true, "", true, false},
		"not a screen": {false, "y\n", false, false},
	} {
		p := newPlace(t, nil)
		if err := os.MkdirAll(filepath.Join(filepath.Dir(p.dir), ".cursor"), 0o755); err != nil {
			t.Fatal(err)
		}
		p.std.Typed, p.std.Watched, p.std.In = row.typed, row.typed, strings.NewReader(row.answer)
		out, code := p.run("setup")
		_, err := os.Stat(filepath.Join(p.dir, ".cursor", "hooks.json"))
		if code != 0 || strings.Contains(out, "Set up all that were found (1) now? [y/N] ") != row.asked || (err == nil) != row.writes || strings.Contains(out, "written: hooks in ") != row.writes {
			t.Errorf("%s: exit %d, %v\n%s", name, code, err, out)
		}
	}
}
