package blue

import (
	"slices"
	"testing"
)

// What the environment says of directories that are never projects.
func TestRulesOfTheEnvironment(t *testing.T) {
	env := map[string]string{"SystemRoot": `C:\WINDOWS`, "ProgramFiles": `C:\Program Files`}
	b := New(Options{Home: "/home/u", Env: func(name string) string { return env[name] }})
	if r := b.rules; r.Home != "/home/u" || !slices.Equal(r.Installed, []string{env["SystemRoot"], env["ProgramFiles"]}) {
		t.Errorf("%+v", r)
	}
}
