package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/clients"
	"blue/errors"
	"blue/marker"
)

// Plugin is the result of writing a plugin.
type Plugin struct {
	Dir   string      `json:"dir"`
	Files []Rewritten `json:"files"`
	Notes []string    `json:"notes"`
}

// Text lists the files, and tells how to install the plugin.
func (p Plugin) Text() string {
	var b strings.Builder
	for _, f := range p.Files {
		fmt.Fprintf(&b, "%s: %s\n", f.Outcome, f.Path)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(&b, "- %s\n", n)
	}
	return b.String()
}

// Plugin writes a directory that Claude Code, Codex and Copilot CLI load as a plugin; its
// directory gemini is an extension of Gemini CLI. The directory must be new or empty, or hold such
// a plugin, which is then updated.
func (m Machine) Plugin(dir string) (Plugin, error) {
	p := Plugin{Dir: dir, Files: []Rewritten{}}
	if root, real := marker.LinkOut(dir); root != "" {
		return p, errors.ConfigOutside(dir, real, root)
	}
	made := clients.Plugin(dir, Version)
	entries, _ := os.ReadDir(dir) // an unreadable directory cannot be written either
	manifest, err := clients.Load(made[0].Path)
	if err == nil && len(entries) > 0 && !bytes.Contains(manifest, []byte(`"name": "blue"`)) {
		err = errors.BadValue("plugin", dir, "a directory that is new, empty, or holds a plugin of Blue")
	}
	if err != nil {
		return p, err
	}
	for _, f := range made {
		before, err := f.Load()
		change := Rewritten{Path: f.Path, Holds: "plugin", Outcome: "unchanged"}
		if err == nil && !bytes.Equal(before, f.Text) {
			change.Outcome = "written"
			err = f.Write(before, f.Text) // a plugin keeps no backup copies
		}
		if err != nil {
			return p, err
		}
		p.Files = append(p.Files, change)
	}
	p.Notes = []string{
		"Claude Code: claude plugin marketplace add " + dir + ", then: claude plugin install blue@blue (it reads the directory itself, so keep it)",
		"Codex: codex plugin marketplace add " + dir + ", then: codex plugin add blue@blue, and review its hooks with /hooks",
		"Copilot CLI: copilot plugin marketplace add " + dir + ", then: copilot plugin install blue@blue",
		"Gemini CLI: gemini extensions install " + filepath.Join(dir, "gemini"),
	}
	return p, nil
}
