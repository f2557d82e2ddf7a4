package marker

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"blue/errors"
)

const maxLevels = 20 // directories that one walk examines, the start included

// walk is one way up from a physical start directory.
type walk struct {
	*ground
	start      string
	notes      []string // what was passed on the way
	repository string
	linked     bool
}

func (w *walk) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// up examines start and its parents.
func (w *walk) up(start place) answer {
	at := start.level
	for n := 1; ; n++ {
		if a, ok := w.examine(at.dir, at.info); ok {
			if a.detail == "" {
				a.detail = fmt.Sprintf("%s: %s", w.start, levels(n))
			}
			return a
		}
		above := start.above[n-1:]
		if end := w.end(at, above, n); end != "" {
			return answer{outcome: NoMarker, detail: fmt.Sprintf("%s: %s, ended at %s", w.start, levels(n), end)}
		}
		at = above[0]
	}
}

func levels(n int) string {
	if n == 1 {
		return "1 level"
	}
	return fmt.Sprintf("%d levels", n)
}

// end names the limit that keeps the walk from what lies above its nth level.
func (w *walk) end(at level, above []level, n int) string {
	switch {
	case w.isHome(at.dir, at.info):
		return "home"
	case len(above) == 0:
		return at.dir
	case slices.Contains(w.ceilings, at.dir):
		return "ceiling " + at.dir
	case slices.Contains(w.allowed, at.dir) && !w.serves(above[0].dir):
		return "allowed directory " + at.dir
	case n == maxLevels:
		return fmt.Sprintf("limit %d", maxLevels)
	case !w.AcrossFilesystems && mount(at.info) != mount(above[0].info):
		return "mount boundary above " + at.dir
	}
	return ""
}

// examine looks for the marker in dir; false means to go up.
func (w *walk) examine(dir string, info fs.FileInfo) (answer, bool) {
	path := filepath.Join(dir, Name)
	mark, err := os.Lstat(path)
	if dir != w.start {
		if reason := w.never(dir, info); reason != "" {
			if err == nil {
				w.note("%s does not count, %s", path, reason)
			}
			return answer{}, false
		}
	}
	switch {
	case err == nil && mark.IsDir():
		return w.own(dir, info, mark), true
	case err == nil && mark.Mode()&fs.ModeSymlink != 0:
		return refused(errors.MarkerLinked(dir)), true
	case err == nil:
		w.note("%s is not a directory", path)
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrPermission) && dir != w.start:
		w.note("%s: permission denied", dir)
	default:
		return answer{outcome: Unusable, detail: dir + " " + why(err)}, true
	}
	return w.fallback(dir)
}

func refused(err *errors.Error) answer {
	return answer{outcome: Refused, detail: err.Message, err: err, final: true}
}

// own is the answer of a marker in dir, unless dir is a linked worktree that
// leaves its notes to the main tree.
func (w *walk) own(dir string, info, mark fs.FileInfo) answer {
	a, s := w.accept(dir, info, mark)
	if a.outcome != Used {
		return a
	}
	t := w.tree(dir)
	if !t.linked {
		return a
	}
	if s.Worktree == "main" && t.main != "" {
		if main, ok := w.main(t.main); ok {
			main.found.Worktree = dir
			w.note("worktree: main in %s leads to its main tree %s", filepath.Join(dir, Name, projectFile), t.main)
			return main
		}
		w.note("worktree: main, but %s has no marker", t.main)
	}
	a.found.Worktree = dir
	return a
}

// fallback answers for a linked worktree without a marker: its main tree comes
// before any parent.
func (w *walk) fallback(dir string) (answer, bool) {
	t := w.tree(dir)
	if t.git && w.repository == "" {
		w.repository, w.linked = dir, t.main != ""
		if w.linked {
			w.repository = t.main
		}
	}
	if t.main == "" {
		if t.linked {
			w.note("%s is a worktree of the repository %s, which records no main working tree", dir, t.common)
		}
		return answer{}, false
	}
	a, ok := w.main(t.main)
	if !ok {
		w.note("%s is a worktree of %s, which has no marker", dir, t.main)
	} else if a.outcome == Used {
		w.note("%s is a worktree without a marker, so that its main tree %s answers", dir, t.main)
	}
	a.found.Worktree = dir
	return a, ok
}

func (w *walk) tree(dir string) tree {
	t, err := readTree(dir)
	if err != nil {
		w.note("ignored %s: %v", filepath.Join(dir, ".git"), err)
	}
	return t
}

// main looks for a marker in the main tree of a linked worktree. Only the mount
// boundary does not hold here.
func (w *walk) main(dir string) (answer, bool) {
	info, err := os.Lstat(dir)
	if err != nil {
		return answer{}, false
	}
	if reason := w.junk(dir, info); reason != "" {
		w.note("%s does not count, %s", dir, reason)
		return answer{}, false
	}
	mark, err := os.Lstat(filepath.Join(dir, Name))
	switch {
	case err != nil:
		return answer{}, false
	case !w.serves(dir):
		return beyond("", dir), true
	case mark.Mode()&fs.ModeSymlink != 0:
		return refused(errors.MarkerLinked(dir)), true
	case !mark.IsDir():
		return answer{}, false
	}
	a, _ := w.accept(dir, info, mark)
	return a, true
}

// accept makes the checks on a marker in root, in the order of docs/detection.md, and reads who the project is.
func (w *walk) accept(root string, dir, mark fs.FileInfo) (answer, settings) {
	if open(dir) && !w.trusts(root) {
		return refused(errors.OpenToAll(root)), settings{}
	}
	me := w.user()
	if uid, ok := owner(mark); ok && me != 0 && uid != me && !w.trusts(root) {
		return refused(errors.OtherOwner(root, uid, me)), settings{}
	}
	s, warning := readSettings(root)
	if s.later() {
		return refused(errors.FormatUnknown(root, s.Format)), settings{}
	}
	f := Found{Root: root, ID: s.ID, Name: shownName(s.Name), NameFault: NameFault(s.Name)}
	if f.ID == "" {
		f.ID = root
	}
	if f.Name == "" {
		f.Name = shownName(filepath.Base(root))
	}
	if warning != "" {
		f.Warnings = []string{warning}
	}
	f.Device, f.Inode = number(filepath.Join(root, Name), mark)
	return answer{outcome: Used, found: f}, s
}
