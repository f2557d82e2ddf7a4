package setup

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"
)

// Built describes the build of a binary.
type Built struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // 12 hex digits; +dirty if files had been changed
	Go      string `json:"go"`
	SDK     string `json:"sdk"`
}

// Text returns one line.
func (b Built) Text() string {
	commit := ""
	if b.Commit != "" {
		commit = " (" + b.Commit + ")"
	}
	return fmt.Sprintf("blue %s%s, %s, go-sdk %s\n", b.Version, commit, b.Go, b.SDK)
}

// unreleased is the version of a binary that was not built from a release's tag.
const unreleased = "0.1.0-dev"

// untagged matches the pseudo-versions that Go derives from an untagged commit
// (https://go.dev/ref/mod#pseudo-versions); they end with the commit.
var untagged = regexp.MustCompile(`[.-]\d{14}-([0-9a-f]{12})(?:\+dirty)?$`)

// Version returns the version of this binary.
func Version() string { return ReadBuild().Version }

// ReadBuild returns what the Go linker wrote into the binary.
func ReadBuild() Built {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Built{Version: unreleased}
	}
	return describeBuild(info)
}

// describeBuild takes the version from the tag at which the binary was built, in a checkout or
// by go install, and the commit from either.
func describeBuild(info *debug.BuildInfo) Built {
	b := Built{Version: unreleased, Go: info.GoVersion}
	if commit := untagged.FindStringSubmatch(info.Main.Version); commit != nil {
		b.Commit = commit[1]
	} else if version, tagged := strings.CutPrefix(info.Main.Version, "v"); tagged {
		b.Version = version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Commit += "+dirty"
		}
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/modelcontextprotocol/go-sdk" {
			b.SDK = m.Version
		}
	}
	return b
}
