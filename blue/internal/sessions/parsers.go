package sessions

import (
	"iter"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/index"
)

// parsers returns the parsers by the names that clients have in `blue setup`.
func parsers() map[string]parser {
	return map[string]parser{
		"claude-code": claude{}, "codex": codex{}, "gemini": gemini{}, "qwen-code": qwen{}, "copilot-cli": copilot{},
	}
}

// List returns the transcripts of all clients.
func List(h Homes) (all []Transcript) {
	for _, p := range parsers() {
		all = append(all, p.list(h)...)
	}
	return all
}

// Read yields the turns of a transcript in order. An error ends it: what was read until then is
// right, but there may be more.
func Read(t Transcript) iter.Seq2[Turn, error] { return parsers()[t.Client].read(t) }

// transcripts returns the transcripts in files. A file without an id is none.
func transcripts(client string, files []string, id func(path string) string) (all []Transcript) {
	for _, path := range files {
		info, err := os.Stat(path)
		if name := id(path); name != "" && err == nil && info.Mode().IsRegular() {
			stamp := index.Stamp{Size: info.Size(), ModTime: info.ModTime().UnixNano()}
			all = append(all, Transcript{Client: client, ID: name, Path: path, Stamp: stamp})
		}
	}
	return all
}

// stem returns the name of a file without its extension.
func stem(path string) string {
	return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
}

// glob returns the files below a directory whose names, relative to it, match patterns, one for
// each level.
func glob(dir string, patterns ...string) (files []string) {
	if len(patterns) == 0 {
		return []string{dir}
	}
	entries, _ := os.ReadDir(dir) // without it there are no files
	for _, e := range entries {
		if matches, _ := filepath.Match(patterns[0], e.Name()); matches && (e.IsDir() || len(patterns) == 1) {
			files = append(files, glob(filepath.Join(dir, e.Name()), patterns[1:]...)...)
		}
	}
	return files
}

// within returns the directory that an environment variable names, else one below the home
// directory.
func (h Homes) within(variable string, names ...string) string {
	if dir := h.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(append([]string{h.User}, names...)...)
}
