package setup

import (
	"os"
	"regexp"
	"runtime/debug"
	"testing"
)

// server.json and the newest version in CHANGELOG.md are that of the program. For the files of the
// plugin, TestTree in blue/internal/clients says so.
func TestVersionInTheRepository(t *testing.T) {
	const number = `(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)` // as Go accepts it in a tag
	if !regexp.MustCompile(`^` + number + `$`).MatchString(Version) {
		t.Errorf("%q is no version", Version)
	}
	for name, pattern := range map[string]string{
		"server.json":  `(?:"version": "|/releases/download/v)` + number,
		"CHANGELOG.md": `(?m)\A(?s:.*?)^## ` + number,
	} {
		text, err := os.ReadFile("../../" + name)
		found := regexp.MustCompile(pattern).FindAllSubmatch(text, -1)
		if err != nil || len(found) == 0 {
			t.Errorf("%s says no version: %v", name, err)
		}
		for _, m := range found {
			if string(m[1]) != Version {
				t.Errorf("%s says version %s, the program is %s", name, m[1], Version)
			}
		}
	}
}

func TestBuilt(t *testing.T) {
	const hash = "069b83f0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6"
	for name, test := range map[string]struct {
		main     string
		settings []debug.BuildSetting
		want     string
	}{
		"release":               {"v1.2.3", vcs(hash, "false"), " (069b83f0c1d2)"},
		"candidate":             {"v1.2.3-rc.1", vcs(hash, "false"), " (069b83f0c1d2)"},
		"go install":            {"v1.2.3", nil, ""},
		"changed since the tag": {"v1.2.3+dirty", vcs(hash, "true"), " (069b83f0c1d2+dirty)"},
		"no tag yet":            {"v0.0.0-20260304050607-069b83f0c1d2", vcs(hash, "false"), " (069b83f0c1d2)"},
		"changed, no tag":       {"v0.0.0-20260304050607-069b83f0c1d2+dirty", vcs(hash, "true"), " (069b83f0c1d2+dirty)"},
		"after a tag":           {"v1.2.4-0.20260304050607-069b83f0c1d2", vcs(hash, "false"), " (069b83f0c1d2)"},
		"after a candidate":     {"v1.2.3-rc.1.0.20260304050607-069b83f0c1d2", nil, " (069b83f0c1d2)"},
		"go install a commit":   {"v0.0.0-20260304050607-069b83f0c1d2", nil, " (069b83f0c1d2)"},
		"not stamped":           {"(devel)", nil, ""},
		"a test":                {"", nil, ""},
	} {
		info := &debug.BuildInfo{
			GoVersion: "go1.26.8", Main: debug.Module{Path: "blue", Version: test.main}, Settings: test.settings,
			Deps: []*debug.Module{{Path: "go.yaml.in/yaml/v3", Version: "v3.0.6"}, {Path: "github.com/modelcontextprotocol/go-sdk", Version: "v1.8.0"}},
		}
		if got, want := describeBuild(info).Text(), "blue "+Version+test.want+", go1.26.8, go-sdk v1.8.0\n"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func vcs(revision, modified string) []debug.BuildSetting {
	return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
}
