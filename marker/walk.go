package marker

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"blue/errors"
)

// walk is one walk up from a physical directory.
type walk struct {
	*resolvedRules
	start      string
	notes      []string // about what was passed on the way
	repository string
	linked     bool
}

func (w *walk) addNote(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// walkUp examines start and its parents until one decides or the walk must end.
func (w *walk) walkUp(start startPlace) answer {
	at := start.walkLevel
	for n := 1; ; n++ {
		if a, ok := w.examineDir(at.dir, at.info); ok {
			if a.detail == "" {
				a.detail = fmt.Sprintf("%s: %s", w.start, countLevels(n))
			}
			return a
		}
		above := start.above[n-1:]
		if end := w.endReason(at, above, n); end != "" {
			return answer{outcome: NoMarker, detail: fmt.Sprintf("%s: %s, ended at %s", w.start, countLevels(n), end)}
		}
		at = above[0]
	}
}

func countLevels(n int) string {
	if n == 1 {
		return "1 level"
	}
	return fmt.Sprintf("%d levels", n)
}

// endReason returns the limit that ends the walk at its nth level, or "" to continue.
func (w *walk) endReason(at walkLevel, above []walkLevel, n int) string {
	switch {
	case w.isHome(at.dir, at.info):
		return "home"
	case len(above) == 0:
		return at.dir
	case slices.Contains(w.allowed, at.dir) && !w.servesDir(above[0].dir):
		return "allowed directory " + at.dir
	case n == maxLevels:
		return fmt.Sprintf("limit %d", maxLevels)
	}
	return ""
}

// examineDir looks for the marker in dir; false means to continue the walk.
func (w *walk) examineDir(dir string, info fs.FileInfo) (answer, bool) {
	path := filepath.Join(dir, Name)
	mark, err := os.Lstat(path)
	if dir != w.start {
		if reason := w.neverProjectReason(dir, info); reason != "" {
			if err == nil {
				w.addNote("%s does not count, %s", path, reason)
			}
			return answer{}, false
		}
	}
	switch {
	case err == nil && mark.IsDir():
		return w.answerForMarker(dir, info, mark), true
	case err == nil && mark.Mode()&fs.ModeSymlink != 0:
		return refusedAnswer(errors.MarkerLinked(dir)), true
	case err == nil:
		w.addNote("%s is not a directory", path)
	case errors.Is(err, fs.ErrNotExist):
	case errors.Is(err, fs.ErrPermission) && dir != w.start:
		w.addNote("%s: permission denied", dir)
	default:
		return answer{outcome: Unusable, detail: dir + " " + describeDiskError(err)}, true
	}
	return w.answerForWorktree(dir)
}

// answerForMarker returns the answer for a marker in dir, unless dir is a linked worktree that uses
// the notes of the main tree.
func (w *walk) answerForMarker(dir string, info, mark fs.FileInfo) answer {
	a, s := w.checkMarker(dir, info, mark)
	if a.outcome != Used {
		return a
	}
	t := w.readGitEntry(dir)
	if !t.linked {
		return a
	}
	if t.main != "" {
		if main, ok := w.lookAtMainTree(t.main); ok && leavesToMain(s, main.found) {
			main.found.Worktree = dir
			if main.outcome == Used {
				main.found.Sync.Mode = cmp.Or(main.found.Sync.Mode, s.Sync.Mode)
				main.found.placeNotebook(s.ID)
			}
			w.addNote("the notebook of the project leads from %s to its main tree %s", filepath.Join(dir, Name), t.main)
			return main
		}
	}
	a.found.Worktree = dir
	a.found.placeApart(t)
	return a
}

// leavesToMain reports whether a linked worktree with a marker uses the notes of its main tree: if
// its settings name the notebook, or if the main tree has the notebook of the same project, which an
// older branch in the worktree does not know about yet.
func leavesToMain(s settings, main Found) bool {
	return s.Sync.Mode != WithCode || main.Notebook && (s.ID == "" || s.ID == main.ID)
}

// answerForWorktree returns the answer for a linked worktree without a marker, in which the main
// tree takes precedence over parent directories.
func (w *walk) answerForWorktree(dir string) (answer, bool) {
	t := w.readGitEntry(dir)
	if t.git && w.repository == "" {
		w.repository, w.linked = dir, t.main != ""
		if w.linked {
			w.repository = t.main
		}
	}
	if t.main == "" {
		if t.linked {
			w.addNote("%s is a worktree of the repository %s, which does not lie in a main working tree", dir, t.common)
		}
		return answer{}, false
	}
	a, ok := w.lookAtMainTree(t.main)
	if !ok {
		w.addNote("%s is a worktree of %s, which has no marker", dir, t.main)
	} else if a.outcome == Used {
		w.addNote("%s is a worktree without a marker, so that its main tree %s answers", dir, t.main)
	}
	a.found.Worktree = dir
	return a, ok
}

func (w *walk) readGitEntry(dir string) gitEntry {
	t, err := readGitEntry(dir)
	if err != nil {
		w.addNote("ignored %s: %v", filepath.Join(dir, ".git"), err)
	}
	return t
}

// lookAtMainTree looks for a marker in the main tree of a linked worktree.
func (w *walk) lookAtMainTree(dir string) (answer, bool) {
	info, err := os.Lstat(dir)
	if err != nil {
		return answer{}, false
	}
	if reason := w.junkReason(dir, info); reason != "" {
		w.addNote("%s does not count, %s", dir, reason)
		return answer{}, false
	}
	mark, err := os.Lstat(filepath.Join(dir, Name))
	switch {
	case err != nil:
		return answer{}, false
	case !w.servesDir(dir):
		return outsideAnswer("", dir), true
	case mark.Mode()&fs.ModeSymlink != 0:
		return refusedAnswer(errors.MarkerLinked(dir)), true
	case !mark.IsDir():
		return answer{}, false
	}
	a, _ := w.checkMarker(dir, info, mark)
	return a, true
}

// checkMarker checks a marker in root, in the order of docs/detection.md, and reads the settings of
// the project.
func (w *walk) checkMarker(root string, dir, mark fs.FileInfo) (answer, settings) {
	if isWorldWritable(dir) && !w.isTrusted(root) {
		return refusedAnswer(errors.OpenToAll(root)), settings{}
	}
	me := cmp.Or(w.UID, os.Geteuid())
	if uid, ok := ownerUID(mark); ok && me != 0 && uid != me && !w.isTrusted(root) {
		return refusedAnswer(errors.OtherOwner(root, uid, me)), settings{}
	}
	s, warning := readSettings(root)
	if s.isUnknownFormat() {
		return refusedAnswer(errors.FormatUnknown(root, s.Format)), settings{}
	}
	name := cmp.Or(displayName(s.Name), displayName(filepath.Base(root)))
	f := Found{Address: Address{Root: root, Name: name, ID: cmp.Or(s.ID, root)}, NameFault: nameFault(s.Name), Shelves: s.Shelves, StartBytes: s.Start, ReviewDays: s.Review, Propose: s.Propose, Sync: s.Sync, Notes: Place{root, Name}}
	f.placeNotebook(s.ID)
	if warning != "" {
		f.Warnings = []string{warning}
	}
	f.Device, f.Inode = fileNumber(filepath.Join(root, Name), mark)
	return answer{outcome: Used, found: f}, s
}
