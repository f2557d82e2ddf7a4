package blue

import (
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/tree"
	"blue/errors"
)

// citeFiles turns the paths of a draft into citations with the hash of each file now.
// A path that leads out of the project is refused; one that is not there is
// cited all the same, for a note may speak of a file to come.
func (p *Project) citeFiles(paths []string) ([]note.Cited, error) {
	var files []note.Cited
	for _, name := range note.CleanWords(paths) {
		file, ok := tree.Relative(name, p.found.Root)
		if !ok {
			return nil, errors.BadFile(name, "is outside the project")
		}
		files = append(files, note.Cited{Path: file, Hash: tree.Hash(p.found.Root, file)})
	}
	return files, nil
}

// checkCited says of each citation whether its file has changed since.
func (p *Project) checkCited(files []note.Cited) []note.Cited {
	out := make([]note.Cited, len(files))
	for i, f := range files {
		f.Changed = i < note.ListLimit && p.hasChanged(f)
		f.Path, f.Hash = note.ShowLabel(f.Path, reply.PathShown), note.ShowWord(f.Hash)
		out[i] = f
	}
	return out
}

// isStale reports whether a cited file has changed.
func (p *Project) isStale(files []note.Cited) bool {
	return slices.ContainsFunc(files[:min(len(files), note.ListLimit)], p.hasChanged)
}

func (p *Project) hasChanged(f note.Cited) bool {
	return f.Hash != "" && tree.Hash(p.found.Root, f.Path) != strings.ToLower(f.Hash)
}
