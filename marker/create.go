package marker

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/errors"
)

// Create makes dir a project: it writes the marker and its three small files. dir must be an
// existing directory in a form that Parse accepts. If name is empty, the name of the directory is
// used; an invalid name is an error of kind invalid. In an existing marker only missing files are
// added; created reports whether there was none.
//
// The error is of kind bad_path where a project is never allowed, as in the home directory,
// bad_marker for a marker that is a link, unknown_format for one of a later version of Blue, and
// disk for a failure of the disk.
func Create(dir, name string, r Rules) (root string, created bool, err error) {
	if fault := nameFault(name); fault != "" {
		return "", false, errors.BadProjectName(name, fault)
	}
	place, err := checkRoot(dir, r.resolve())
	if err != nil {
		return "", false, err
	}
	start := place.dir
	if name == "" {
		name = displayName(filepath.Base(start))
	}
	top, err := os.OpenRoot(start)
	if err != nil {
		return "", false, errors.MarkerNotMade(start, err)
	}
	defer func() { _ = top.Close() }()
	created, err = makeMarker(top)
	if err != nil {
		return "", false, err
	}
	if s, _ := readSettings(start); s.isUnknownFormat() {
		return "", false, errors.FormatUnknown(start, s.Format)
	}
	if err := writeMarkerFiles(top, name); err != nil {
		if created {
			_ = top.Remove(Name) // fails if another process has added a file
		}
		return "", false, errors.MarkerNotMade(start, err)
	}
	return start, created, nil
}

const (
	ignoreFile = ".gitignore"
	ignoreText = "private/\nhistory/\ntrash/\n.lock\n.tmp-*\nnotebook/\n"
)

// WriteIgnoreFile writes the .gitignore of the project at root if it is missing. It makes git
// ignore private notes, which may be added later even to a bare marker.
func WriteIgnoreFile(root string) error {
	m, err := os.OpenRoot(filepath.Join(root, Name))
	if err == nil {
		defer func() { _ = m.Close() }()
		_, err = addFile(m, ignoreFile, ignoreText)
	}
	if err != nil {
		return errors.MarkerNotMade(root, err)
	}
	return nil
}

// checkRoot resolves dir and returns an error if it cannot be the root of a project.
func checkRoot(dir string, g *resolvedRules) (start startPlace, err error) {
	path, err := Parse(dir)
	if err != nil {
		return start, err
	}
	start, err = resolveStart(path)
	if err != nil {
		return start, errors.PathUnusable(dir, "the directory "+describeDiskError(err))
	}
	if start.file {
		return start, errors.PathUnusable(dir, "not a directory")
	}
	if reason := cmp.Or(g.reservedReason(start.dir, start.info), g.installedReason(start.dir)); reason != "" {
		return start, errors.PathUnusable(dir, reason)
	}
	below := start.walkLevel
	for _, parent := range start.above {
		if mark, err := os.Lstat(filepath.Join(parent.dir, Name)); err == nil && os.SameFile(mark, below.info) {
			return start, errors.PathUnusable(dir, "it lies inside the .blue directory of the project "+errors.Path(parent.dir)).
				Hint("where", "--cwd "+errors.Argument(parent.dir), "see that project")
		}
		below = parent
	}
	return start, g.checkPlace(start)
}

// checkPlace returns the error of detection for an existing or new project at start.
func (g *resolvedRules) checkPlace(start startPlace) error {
	if _, err := Parse(start.dir); err != nil { // start was reached by a link
		return err
	}
	if isWorldWritable(start.info) && !g.isTrusted(start.dir) {
		return errors.OpenToAll(start.dir)
	}
	mark, err := os.Lstat(filepath.Join(start.dir, Name))
	if err != nil || !mark.IsDir() { // makeMarker reports what is in the way
		return nil
	}
	w := &walk{resolvedRules: g, start: start.dir}
	if a, _ := w.checkMarker(start.dir, start.info, mark); a.err != nil {
		return a.err
	}
	return nil
}

// makeMarker creates the marker in top, unless it exists.
func makeMarker(top *os.Root) (created bool, err error) {
	err = top.Mkdir(Name, 0o755)
	if err == nil {
		flushDir(top)
		return true, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, errors.MarkerNotMade(top.Name(), err)
	}
	info, err := top.Lstat(Name)
	switch {
	case err != nil:
		return false, errors.MarkerNotMade(top.Name(), err)
	case info.Mode()&fs.ModeSymlink != 0:
		return false, errors.MarkerLinked(top.Name())
	case !info.IsDir():
		return false, errors.PathUnusable(top.Name(), "a file named .blue is in the way")
	}
	return false, nil
}

// writeMarkerFiles writes the missing files of the marker in top: all of them or none.
func writeMarkerFiles(top *os.Root, name string) (err error) {
	m, err := top.OpenRoot(Name)
	if err != nil {
		return err
	}
	var made []string
	defer func() {
		for _, name := range made {
			if err != nil {
				_ = m.Remove(name)
			}
		}
		_ = m.Close()
	}()
	project := "format: 1\nid: " + newID() + "\nname: " + strconv.Quote(name) + "\n"
	for _, file := range [][2]string{
		{projectFile, project},
		{ignoreFile, ignoreText},
		{".gitattributes", "*.md text eol=lf\n"},
	} {
		added, err := addFile(m, file[0], file[1])
		if err != nil {
			return fmt.Errorf("writing %s: %w", file[0], err)
		}
		if added {
			made = append(made, file[0])
		}
	}
	flushDir(m)
	return nil
}

// addFile writes a file atomically, unless it exists.
func addFile(m *os.Root, name, text string) (added bool, err error) {
	if _, err := m.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = putFile(m, name, text, m.Link) // unlike a rename, a link never replaces a file
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = putFile(m, name, text, m.Rename) // for file systems without links
		return err == nil, err
	}
	return err == nil, nil
}

// putFile writes a temporary file and calls place to give it its name.
func putFile(m *os.Root, name, text string, place func(from, to string) error) error {
	temporary := ".tmp-" + rand.Text()
	f, err := m.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer removeSoon(m, temporary)
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	return place(temporary, name)
}

// removeSoon removes a file, if it exists. Windows does so only when no process is reading it, under
// any of its names.
func removeSoon(m *os.Root, name string) {
	for range 20 {
		if err := m.Remove(name); err == nil || errors.Is(err, fs.ErrNotExist) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// flushDir syncs a directory to disk. Not every system supports that, and the files are complete
// without it.
func flushDir(dir *os.Root) {
	if f, err := dir.Open("."); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Surroundings returns what dir lies in, for a person who is about to create a project there: outer
// is the root of the enclosing project, repository the nearest directory at or above dir that
// contains .git. Each is "" if there is none.
func Surroundings(ctx context.Context, r Rules, dir string) (outer, repository string) {
	g := r.resolve()
	start, err := checkRoot(dir, g)
	if err != nil {
		return "", ""
	}
	outer, _ = Find(ctx, r, filepath.Dir(start.dir))
	for _, at := range append([]walkLevel{start.walkLevel}, start.above...) {
		if _, err := os.Lstat(filepath.Join(at.dir, ".git")); err == nil && g.neverProjectReason(at.dir, at.info) == "" {
			return outer, at.dir
		}
	}
	return outer, ""
}

// SharedProject returns the project whose notes dir uses because it is in a linked worktree without
// a marker: main is the root of the project in the main tree, worktree the top of the linked one.
// Both are "" if dir is in a project of its own, or if the main tree has none.
func SharedProject(ctx context.Context, r Rules, dir string) (main, worktree string) {
	found, err := Choose(ctx, r, slices.Values([]Candidate{{Source: Argument, Value: dir}}))
	if err != nil || found.Worktree == "" || found.Worktree == found.Root {
		return "", ""
	}
	if mark, err := os.Lstat(filepath.Join(found.Start, Name)); err == nil && mark.IsDir() {
		return "", ""
	}
	return found.Root, found.Worktree
}

func newID() string { return strings.ToLower(rand.Text()) }

// WriteID gives the project at root an id, in its project.yaml, and returns it. A file that cannot be
// parsed is an error: it may have one.
func WriteID(root string) (id string, err error) {
	path := filepath.Join(root, Name, projectFile)
	text, err := ReadFile(path, maxProjectFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if _, problem := parseSettings(string(text)); problem != "" {
		return "", errors.E(errors.Invalid, "%s: %s", errors.Quote(path), problem).
			Hint("", "", "mend the file: until then the id of the project is not known, and it gets no other one")
	}
	id = newID()
	return id, inPlace(Place{root, Name}, func(m *os.Root) error {
		return rewriteFile(m, projectFile, func(text string) string {
			if text == "" {
				text = "format: 1\n"
			}
			return setLine(text, "id", id)
		})
	})
}

// SetSyncKey sets a key of [Sync] in the project.yaml of root, or removes it if value is empty. All
// other lines are unchanged.
func SetSyncKey(root, key, value string) error {
	return inPlace(Place{root, Name}, func(m *os.Root) error {
		err := rewriteFile(m, projectFile, func(text string) string { return setLine(text, key, value) })
		if err != nil || key != "notes" {
			return err
		}
		return rewriteFile(m, ignoreFile, ignoreNotebook)
	})
}

// ignoreNotebook adds the notebook to the text of an ignore file.
func ignoreNotebook(text string) string {
	lines := slices.DeleteFunc(slices.Collect(strings.Lines(text)), func(line string) bool {
		return strings.TrimSpace(line) == notebookName+"/"
	})
	if text = strings.Join(lines, ""); text == "" {
		return ignoreText
	}
	return endLine(text) + notebookName + "/\n"
}

// setLine sets or removes the line of a key.
func setLine(text, key, value string) string {
	lines := slices.Collect(strings.Lines(text))
	at := slices.IndexFunc(lines, func(line string) bool {
		name, _, ok := strings.Cut(line, ":")
		return ok && strings.Trim(strings.TrimRight(name, " \t"), `"'`) == key
	})
	switch {
	case at < 0 && value == "":
	case at < 0:
		lines = append(lines[:len(lines):len(lines)], key+": "+value+"\n")
		if n := len(lines); n > 1 {
			lines[n-2] = endLine(lines[n-2])
		}
	case value == "":
		lines = slices.Delete(lines, at, at+1)
	default:
		lines[at] = key + ": " + value + "\n"
	}
	return strings.Join(lines, "")
}

func endLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// rewriteFile replaces the text of a small file with the result of change.
func rewriteFile(m *os.Root, name string, change func(text string) string) error {
	text, err := ReadFile(filepath.Join(m.Name(), name), maxProjectFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	after := change(string(text))
	if after == string(text) && err == nil {
		return nil
	}
	return putFile(m, name, after, m.Rename)
}
