package setup

import (
	"fmt"
	"regexp"
	"runtime/debug"
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

// Version is the version of this program, in this place alone: what is released takes it from here,
// and a test holds the files that clients read in the repository against it.
const Version = "0.1.0"

// untagged matches the pseudo-versions that Go derives from an untagged commit
// (https://go.dev/ref/mod#pseudo-versions); they end with the commit.
var untagged = regexp.MustCompile(`[.-]\d{14}-([0-9a-f]{12})(?:\+dirty)?$`)

// ReadBuild returns what the Go linker wrote into the binary.
func ReadBuild() Built {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Built{Version: Version}
	}
	return describeBuild(info)
}

// describeBuild takes the commit from the checkout in which the binary was built, or from the
// version that go install was given.
func describeBuild(info *debug.BuildInfo) Built {
	b := Built{Version: Version, Go: info.GoVersion}
	if commit := untagged.FindStringSubmatch(info.Main.Version); commit != nil {
		b.Commit = commit[1]
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
