package marker

import "testing"

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

// With the key agents, whatever its value, what agents write waits for a person; a value that is not
// propose is named.
func TestAgentsPropose(t *testing.T) {
	for value, want := range map[string]string{"": "", "propose": "", "Propose": "agents Propose is not propose; it counts as that", "no": "agents no is not propose; it counts as that"} {
		s, problem := parseSettings("id: shop\nagents: " + value + "\n")
		if problem != "" || s.Propose != (value != "") || s.warning != want {
			t.Errorf("agents: %s: %v, %q, %q", value, s.Propose, s.warning, problem)
		}
	}
}
