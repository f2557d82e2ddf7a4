package marker

import (
	"io/fs"
	"os"
	"path/filepath"

	"blue/errors"
	"blue/marker/mount"
)

// startPlace is where a walk begins: a physical directory, and those above it.
type startPlace struct {
	walkLevel
	above []walkLevel // its parent first, the root last
	file  bool        // a file in the directory was named
}

// walkLevel is one directory of a walk.
type walkLevel struct {
	dir  string
	info fs.FileInfo
}

// resolveStart resolves the links of path, once. A regular file stands for its
// directory. Errors follow a path: "does not exist".
func resolveStart(path string) (startPlace, error) {
	line, links, err := statAncestors(path)
	if err == nil && (links || filepath.Separator == '\\') { // Windows spells names in several ways
		if path, err = mount.Resolve(path); err == nil {
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

// statAncestors looks at path and all that lies above it. It stops at a link.
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

// enclosingRoot is the root of the project in whose marker the place lies, empty when it
// lies in none.
func (p startPlace) enclosingRoot() string {
	below := p.walkLevel
	for _, parent := range p.above {
		if mark, err := os.Lstat(filepath.Join(parent.dir, Name)); err == nil && os.SameFile(mark, below.info) {
			return parent.dir
		}
		below = parent
	}
	return ""
}
