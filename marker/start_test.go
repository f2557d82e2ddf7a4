package marker

import (
	"os"
	"path/filepath"
	"testing"
)

// The key start_bytes has its default when it is absent, empty or invalid; then a warning names the
// line and the value.
func TestStartBytes(t *testing.T) {
	for value, want := range map[string]struct {
		bytes   int
		warning string
	}{
		"":        {6000, ""},
		"0":       {0, ""},
		`"3000"`:  {3000, ""},
		"8000 # ": {8000, ""},
		"8001":    {6000, `start_bytes 8001 is not a number from 0 to 8000; it counts as 6000`},
		"-1":      {6000, `start_bytes -1 is not a number from 0 to 8000; it counts as 6000`},
		"6 kB":    {6000, `start_bytes 6 kB is not a number from 0 to 8000; it counts as 6000`},
	} {
		s, problem := parseSettings("id: shop\nstart_bytes: " + value + "\n")
		if problem != "" || s.ID != "shop" || s.Start != want.bytes || s.warning != want.warning {
			t.Errorf("%q: %d bytes, %q, %q", value, s.Start, s.warning, problem)
		}
	}
	if s, _ := parseSettings("id: shop\n"); s.Start != 6000 {
		t.Errorf("without the key: %d", s.Start)
	}
	if s, warning := readSettings(t.TempDir()); s.Start != 6000 || warning != "" {
		t.Errorf("without a file: %d, %q", s.Start, warning)
	}
}

// With the key agents, whatever its value and whatever else is wrong with the file, what agents write waits
// for a person; a value that is not propose is named.
func TestAgentsPropose(t *testing.T) {
	const other = "agents is not propose; it counts as that"
	for text, want := range map[string]struct {
		proposes bool
		warning  string
	}{
		"":                        {false, ""},
		"agent: propose":          {false, ""},
		"agents: propose":         {true, ""},
		"agents: propose # yes":   {true, ""},
		"agents: Propose":         {true, other},
		"agents: no":              {true, other},
		"agents:":                 {true, other},
		"agents: [propose]":       {true, other},
		"agents:\n  propose: yes": {true, other},
		"agents: [":               {true, ""},
		"agents: propose\nid: /":  {true, ""},
	} {
		s, problem := parseSettings("name: shop\n" + text + "\n")
		if s.Propose != want.proposes || problem == "" && s.warning != want.warning {
			t.Errorf("%s: %v, %q, %q", text, s.Propose, s.warning, problem)
		}
	}
	root := t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, Name), 0o755))
	must(t, os.WriteFile(filepath.Join(root, Name, projectFile), []byte("name: [\nagents: propose\n"), 0o644))
	if s, warning := readSettings(root); !s.Propose || warning == "" {
		t.Errorf("a file with a fault: %v, %q", s.Propose, warning)
	}
}
