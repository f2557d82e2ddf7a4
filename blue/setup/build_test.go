package setup

import (
	"runtime/debug"
	"testing"
)

func TestBuilt(t *testing.T) {
	const hash = "069b83f0c1d2e3f4a5b6c7d8e9f0a1b2c3d4e5f6"
	for name, test := range map[string]struct {
		main     string
		settings []debug.BuildSetting
		want     string
	}{
		"release":               {"v1.2.3", vcs(hash, "false"), "blue 1.2.3 (069b83f0c1d2), go1.26.8, go-sdk v1.8.0\n"},
		"candidate":             {"v1.2.3-rc.1", vcs(hash, "false"), "blue 1.2.3-rc.1 (069b83f0c1d2), go1.26.8, go-sdk v1.8.0\n"},
		"go install":            {"v1.2.3", nil, "blue 1.2.3, go1.26.8, go-sdk v1.8.0\n"},
		"changed since the tag": {"v1.2.3+dirty", vcs(hash, "true"), "blue 1.2.3+dirty (069b83f0c1d2+dirty), go1.26.8, go-sdk v1.8.0\n"},
		"no tag yet":            {"v0.0.0-20260304050607-069b83f0c1d2", vcs(hash, "false"), "blue 0.1.0-dev (069b83f0c1d2), go1.26.8, go-sdk v1.8.0\n"},
		"changed, no tag":       {"v0.0.0-20260304050607-069b83f0c1d2+dirty", vcs(hash, "true"), "blue 0.1.0-dev (069b83f0c1d2+dirty), go1.26.8, go-sdk v1.8.0\n"},
		"after a tag":           {"v1.2.4-0.20260304050607-069b83f0c1d2", vcs(hash, "false"), "blue 0.1.0-dev (069b83f0c1d2), go1.26.8, go-sdk v1.8.0\n"},
		"after a candidate":     {"v1.2.3-rc.1.0.20260304050607-069b83f0c1d2", nil, "blue 0.1.0-dev (069b83f0c1d2), go1.26.8, go-sdk v1.8.0\n"},
		"go install a commit":   {"v0.0.0-20260304050607-069b83f0c1d2", nil, "blue 0.1.0-dev (069b83f0c1d2), go1.26.8, go-sdk v1.8.0\n"},
		"not stamped":           {"(devel)", nil, "blue 0.1.0-dev, go1.26.8, go-sdk v1.8.0\n"},
		"a test":                {"", nil, "blue 0.1.0-dev, go1.26.8, go-sdk v1.8.0\n"},
	} {
		info := &debug.BuildInfo{
			GoVersion: "go1.26.8", Main: debug.Module{Path: "blue", Version: test.main}, Settings: test.settings,
			Deps: []*debug.Module{{Path: "go.yaml.in/yaml/v3", Version: "v3.0.6"}, {Path: "github.com/modelcontextprotocol/go-sdk", Version: "v1.8.0"}},
		}
		if got := describeBuild(info).Text(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func vcs(revision, modified string) []debug.BuildSetting {
	return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
}
