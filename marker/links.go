package marker

import (
	"os"
	"path/filepath"

	"blue/marker/mount"
)

// LinkOut reports a path that is spelled as one inside a project or a git repository while
// a link puts it elsewhere: root is the top of that tree, real the place that is meant.
// Both are empty otherwise. The last names of the path need not exist.
func LinkOut(path string) (root, real string) {
	if mount.Check(path) != nil {
		return "", ""
	}
	if real = realPath(path); real == "" {
		return "", ""
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		if isTop(dir) {
			rel, err := filepath.Rel(realPath(dir), real)
			if err != nil || !filepath.IsLocal(rel) {
				return dir, real
			}
		}
		if dir == filepath.Dir(dir) {
			return "", ""
		}
	}
}

// isTop reports whether a directory holds a marker or the data of git.
func isTop(dir string) bool {
	for _, name := range []string{Name, ".git"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// realPath follows the links of the names that exist.
func realPath(path string) string {
	if real, err := mount.Resolve(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return ""
	}
	if parent = realPath(parent); parent == "" {
		return ""
	}
	return filepath.Join(parent, filepath.Base(path))
}
