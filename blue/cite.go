package blue

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/errors"
)

// citeLimit is the size up to which a cited file is hashed; a larger one is cited
// by its path alone.
const citeLimit = 16 << 20

// citeFiles turns the paths of a draft into citations with the hash of each file now.
// A path that leads out of the project is refused; one that is not there is
// cited all the same, for a note may speak of a file to come.
func (p *Project) citeFiles(paths []string) ([]note.Cited, error) {
	var files []note.Cited
	for _, name := range note.CleanWords(paths) {
		slashed := path.Clean(filepath.ToSlash(name))
		if path.IsAbs(slashed) || filepath.IsAbs(name) {
			rel, err := filepath.Rel(p.found.Root, name)
			if err != nil {
				return nil, errors.BadFile(name, "is outside the project")
			}
			slashed = filepath.ToSlash(rel)
		}
		if slashed == "." || !filepath.IsLocal(filepath.FromSlash(slashed)) {
			return nil, errors.BadFile(name, "is outside the project")
		}
		files = append(files, note.Cited{Path: slashed, Hash: p.hashFile(slashed)})
	}
	return files, nil
}

// hashFile returns the hash of a project's file now, empty when it cannot be had.
func (p *Project) hashFile(name string) string {
	root, err := os.OpenRoot(p.found.Root)
	if err != nil {
		return ""
	}
	defer root.Close()
	name = filepath.FromSlash(name)
	if stat, err := root.Stat(name); err != nil || !stat.Mode().IsRegular() || stat.Size() > citeLimit {
		return ""
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may be a FIFO by now
	if err != nil {
		return ""
	}
	defer f.Close()
	if stat, err := f.Stat(); err != nil || !stat.Mode().IsRegular() {
		return ""
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, citeLimit+1)); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
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
	return f.Hash != "" && p.hashFile(f.Path) != strings.ToLower(f.Hash)
}
