package marker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"blue/errors"
)

// answer is what became of one candidate.
type answer struct {
	path    string // as heard, clean
	start   string // the physical directory of it, empty when there is none
	outcome string // Used, Unusable, Junk, Outside, NoMarker or Refused
	detail  string // for the trace
	found   Found  // with Used

	err   *errors.Error // the failure it makes, when the outcome alone does not say
	final bool          // the failure ends the call, whatever the source

	missing    bool     // path does not exist, not even as a link
	outside    string   // with Outside, the directory that is
	projects   []string // that several directories of one value lead to
	file       bool     // path names a file in start
	shared     bool     // start is junk by mode: writable by everyone
	repository string   // nearest directory at or above start that holds .git
	linked     bool     // repository is the main tree of a linked worktree
}

// look does the disk work for one clean path.
func (g *ground) look(path string) answer {
	if reason := g.junk(path, nil); reason != "" {
		return answer{path: path, outcome: Junk, detail: reason}
	}
	if !g.serves(path) {
		return beyond(path, path)
	}
	start, err := physical(path)
	if err != nil {
		_, absent := os.Lstat(path)
		return answer{path: path, outcome: Unusable, detail: path + " " + why(err), missing: errors.Is(absent, fs.ErrNotExist)}
	}
	if reason := g.junk(start.dir, start.info); reason != "" {
		return answer{path: path, start: start.dir, outcome: Junk, detail: reason}
	}
	if !g.serves(start.dir) {
		return beyond(path, start.dir)
	}
	return g.from(path, start)
}

// lookNear is look for a path that somebody works on and that need not exist yet: when it
// is missing, its nearest existing parent decides, if that lies in a project.
func (g *ground) lookNear(path string) answer {
	a := g.look(path)
	for dir, near := path, a; near.missing && filepath.Dir(dir) != dir; {
		dir = filepath.Dir(dir)
		near = g.look(dir)
		if near.outcome == Used || near.outcome == Refused {
			near.path, near.found.Near = path, near.start
			near.detail = path + " does not exist, its nearest existing parent decides; " + near.detail
			return near
		}
	}
	return a
}

// from walks up from start, where path lies.
func (g *ground) from(path string, start place) answer {
	w := &walk{ground: g, start: start.dir}
	a := w.up(start)
	a.path, a.start, a.file = path, start.dir, start.file
	a.found.Start = start.dir
	a.repository, a.linked = w.repository, w.linked
	a.shared = open(start.info) && !g.trusts(start.dir)
	a.detail = strings.Join(append([]string{a.detail}, w.notes...), "; ")
	return a
}

// beyond is the answer for a path that leads to a directory not served.
func beyond(path, dir string) answer {
	return answer{path: path, outcome: Outside, detail: dir + " is outside the directories served", outside: dir}
}

// place is where a walk begins: a physical directory, and those above it.
type place struct {
	level
	above []level // its parent first, the root last
	file  bool    // a file in the directory was named
}

// level is one directory of a walk.
type level struct {
	dir  string
	info fs.FileInfo
}

// physical resolves the links of path, once. A regular file stands for its
// directory. Errors follow a path: "does not exist".
func physical(path string) (place, error) {
	line, links, err := lineage(path)
	if err == nil && (links || filepath.Separator == '\\') { // Windows spells names in several ways
		if path, err = filepath.EvalSymlinks(path); err == nil {
			line, _, err = lineage(path)
		}
	}
	if err != nil {
		return place{}, err
	}
	file := line[0].info.Mode().IsRegular()
	if file {
		line = line[1:]
	}
	if !line[0].info.IsDir() {
		return place{}, errors.New("is not a directory")
	}
	return place{level: line[0], above: line[1:], file: file}, nil
}

// lineage looks at path and all that lies above it. It stops at a link.
func lineage(path string) (line []level, links bool, err error) {
	for {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, false, err
		}
		line = append(line, level{path, info})
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

// folders does the disk work for WORKSPACE_FOLDER_PATHS: one path, or a list of
// which exactly one entry is an existing directory.
func (g *ground) folders(value string) answer {
	if path, ok := directory(value); ok {
		return g.look(path)
	}
	var dirs []string
	seen := map[string]bool{}
	for part := range strings.FieldsFuncSeq(value, divides) {
		path, ok := directory(strings.TrimSpace(part))
		if real, err := filepath.EvalSymlinks(path); ok && err == nil && !seen[real] && len(dirs) < maxEntries {
			seen[real] = true
			dirs = append(dirs, path)
		}
	}
	if len(dirs) == 1 {
		return g.look(dirs[0])
	}
	a := answer{outcome: Unusable, detail: fmt.Sprintf("%d directories", len(dirs))}
	for _, dir := range dirs {
		if root := g.look(dir).found.Root; root != "" && !slices.Contains(a.projects, root) {
			a.projects = append(a.projects, root)
		}
	}
	return a
}

func divides(r rune) bool { return r == ',' || r == '\n' || r == filepath.ListSeparator }

func directory(value string) (path string, ok bool) {
	path, err := Parse(value)
	if err != nil {
		return "", false
	}
	info, err := os.Stat(path)
	return path, err == nil && info.IsDir()
}

// why puts an error of the disk into words that follow a path.
func why(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be read: permission denied"
	case errors.Is(err, syscall.ELOOP), strings.Contains(err.Error(), "too many links"): // filepath.EvalSymlinks has no name for it
		return "leads through too many links"
	case errors.Is(err, syscall.ENOTDIR):
		return "lies below something that is not a directory"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return "has a name that is too long for the disk"
	case errors.Is(err, syscall.EIO):
		return "cannot be read: the disk reports a fault"
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return "cannot be used: " + e.Err.Error()
	}
	return err.Error()
}

// WorkingDir spells the working directory dir as pwd, the variable PWD, does,
// when that is an absolute path of the same directory.
func WorkingDir(dir, pwd string) string {
	if pwd == dir {
		return dir
	}
	path, err := Parse(pwd)
	if err != nil || !filepath.IsAbs(pwd) {
		return dir
	}
	there, err := os.Stat(path)
	if err != nil {
		return dir
	}
	if here, err := os.Stat(dir); err != nil || !os.SameFile(here, there) {
		return dir
	}
	return path
}
