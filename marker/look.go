package marker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/errors"
)

// lookAtPath does the disk work for one clean path.
func (g *resolvedRules) lookAtPath(path string) answer {
	if reason := g.junkReason(path, nil); reason != "" {
		return answer{path: path, outcome: Junk, detail: reason}
	}
	if !g.servesDir(path) { // before any disk access
		return outsideAnswer(path, path)
	}
	start, err := resolveStart(path)
	if err != nil {
		_, absent := os.Lstat(path)
		return answer{path: path, outcome: Unusable, detail: path + " " + describeDiskError(err), missing: errors.Is(absent, fs.ErrNotExist)}
	}
	if reason := g.junkReason(start.dir, start.info); reason != "" {
		return answer{path: path, start: start.dir, outcome: Junk, detail: reason}
	}
	if !g.servesDir(start.dir) {
		return outsideAnswer(path, start.dir)
	}
	w := &walk{resolvedRules: g, start: start.dir}
	a := w.walkUp(start)
	a.path, a.start, a.file = path, start.dir, start.file
	a.found.Start = start.dir
	a.repository, a.linked = w.repository, w.linked
	a.shared = isWorldWritable(start.info) && !g.isTrusted(start.dir)
	a.detail = strings.Join(append([]string{a.detail}, w.notes...), "; ")
	return a
}

// lookAtNearest is like [resolvedRules.lookAtPath] for a path that need not exist yet: if it is
// missing, its nearest existing parent decides, provided that is in a project.
func (g *resolvedRules) lookAtNearest(path string) answer {
	a := g.lookAtPath(path)
	for dir, near := path, a; near.missing && filepath.Dir(dir) != dir; {
		dir = filepath.Dir(dir)
		near = g.lookAtPath(dir)
		if near.outcome == Used || near.outcome == Refused {
			near.path, near.found.Near = path, near.start
			near.detail = path + " does not exist, its nearest existing parent decides; " + near.detail
			return near
		}
	}
	return a
}

// lookAtFolders does the disk work for WORKSPACE_FOLDER_PATHS: one path, or a list in which exactly
// one entry is an existing directory.
func (g *resolvedRules) lookAtFolders(value string) answer {
	if path, ok := parseDirectory(value); ok {
		return g.lookAtPath(path)
	}
	var dirs []string
	seen := map[string]bool{}
	isSeparator := func(r rune) bool { return r == ',' || r == '\n' || r == filepath.ListSeparator }
	for part := range strings.FieldsFuncSeq(value, isSeparator) {
		path, ok := parseDirectory(strings.TrimSpace(part))
		if real, err := filepath.EvalSymlinks(path); ok && err == nil && !seen[real] && len(dirs) < maxEntries {
			seen[real] = true
			dirs = append(dirs, path)
		}
	}
	if len(dirs) == 1 {
		return g.lookAtPath(dirs[0])
	}
	a := answer{outcome: Unusable, detail: fmt.Sprintf("%d directories", len(dirs))}
	for _, dir := range dirs {
		if root := g.lookAtPath(dir).found.Root; root != "" && !slices.Contains(a.projects, root) {
			a.projects = append(a.projects, root)
		}
	}
	return a
}

func parseDirectory(value string) (path string, ok bool) {
	path, err := Parse(value)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir()
}

// startPlace is the start of a walk: a physical directory, and those above it.
type startPlace struct {
	walkLevel
	above []walkLevel // its parent first, the root last
	file  bool        // the path named a file in the directory
}

// walkLevel is one directory of a walk.
type walkLevel struct {
	dir  string
	info fs.FileInfo
}

// resolveStart resolves the links in path, once. A regular file is replaced by its directory.
// Errors are worded to follow a path: "does not exist".
func resolveStart(path string) (startPlace, error) {
	line, links, err := statAncestors(path)
	if err == nil && (links || filepath.Separator == '\\') { // Windows spells names in several ways
		if path, err = filepath.EvalSymlinks(path); err == nil {
			line, _, err = statAncestors(path)
		}
	}
	if err != nil {
		return startPlace{}, err
	}
	file := line[0].info.Mode().IsRegular()
	if file {
		line = line[1:]
	}
	if !line[0].info.IsDir() {
		return startPlace{}, errors.New("is not a directory")
	}
	return startPlace{walkLevel: line[0], above: line[1:], file: file}, nil
}

// statAncestors examines path and everything above it. It stops at a link.
func statAncestors(path string) (line []walkLevel, links bool, err error) {
	for {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, false, err
		}
		line = append(line, walkLevel{path, info})
		if info.Mode()&fs.ModeSymlink != 0 {
			return line, true, nil
		}
		parent := filepath.Dir(path)
		if parent == path {
			return line, false, nil
		}
		path = parent
	}
}
