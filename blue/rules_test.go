package blue

import (
	"path/filepath"
	"slices"
	"testing"
)

// What the environment says of walks, and of directories that are
// never projects.
func TestRulesOfTheEnvironment(t *testing.T) {
	env := map[string]string{
		"BLUE_CEILING_DIRECTORIES": "/a" + string(filepath.ListSeparator) + "/b c", "SystemRoot": `C:\WINDOWS`, "ProgramFiles": `C:\Program Files`,
	}
	for across, want := range map[string]bool{"": false, "0": false, "1": true} {
		env["BLUE_DISCOVERY_ACROSS_FILESYSTEM"] = across
		b := New(Options{Home: "/home/u", Env: func(name string) string { return env[name] }})
		if r := b.rules; r.AcrossFilesystems != want || r.Home != "/home/u" || !slices.Equal(r.Ceilings, []string{"/a", "/b c"}) ||
			!slices.Equal(r.Installed, []string{env["SystemRoot"], env["ProgramFiles"]}) {
			t.Errorf("across %q: %+v", across, r)
		}
	}
}
