package blue

import (
	"fmt"
	"runtime/debug"
)

// Built says what a binary is made of.
type Built struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	SDK     string `json:"sdk"`
}

// Text is one line.
func (b Built) Text() string {
	commit := ""
	if b.Commit != "" {
		commit = " (" + b.Commit + ")"
	}
	return fmt.Sprintf("blue %s%s, %s, go-sdk %s\n", b.Version, commit, b.Go, b.SDK)
}

// release is the version of the source; the CHANGELOG has the same.
const release = "0.1.0-dev"

// Version is the version of this binary.
func Version() string { return Build().Version }

// Build reads what the Go linker wrote into the binary.
func Build() Built {
	built := Built{Version: release}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return built
	}
	built.Go = info.GoVersion
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			built.Commit = s.Value[:min(len(s.Value), 12)]
		}
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/modelcontextprotocol/go-sdk" {
			built.SDK = m.Version
		}
	}
	return built
}
