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

	"blue/errors"
)

// Create makes dir, an existing directory given as Parse takes it, a project: the
// marker and its three small files. An empty name is the base name of the directory; one
// that cannot be a name is of kind invalid. A marker that is there is kept as it is, but
// for those of the files that are missing; created reports whether there was none.
//
// Where a project could never be, as in the home directory, the error is of kind
// bad_path; a linked marker is bad_marker, one of a later Blue is unknown_format, a
// fault of the disk is disk.
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
			_ = top.Remove(Name) // stays when another process has put something there
		}
		return "", false, errors.MarkerNotMade(start, err)
	}
	return start, created, nil
}

const (
	ignoreFile = ".gitignore"
	ignoreText = "private/\nhistory/\ntrash/\n.lock\n.tmp-*\nnotebook/\n"
)

// WriteIgnoreFile writes the .gitignore of the project at root when it is missing, so that
// private notes, which a bare marker may come to hold, stay out of git.
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

// checkRoot resolves dir and refuses what cannot be the root of a project.
func checkRoot(dir string, g *resolvedRules) (start startPlace, err error) {
	path, err := Parse(dir)
	if err != nil {
		return start, err
	}
	if err := CheckMount(path); err != nil {
		return start, err
	}
	start, err = resolveStart(path)
	if err != nil {
		return start, errors.PathUnusable(dir, "the directory "+describeDiskError(err))
	}
	if start.file {
		return start, errors.PathUnusable(dir, "not a directory")
	}
	if reason := cmp.Or(g.reservedReason(start.dir, start.info), g.ownedReason(start.dir)); reason != "" {
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

// checkPlace returns the error of detection for a project at start, for one that is there
// as for one that would be made.
func (g *resolvedRules) checkPlace(start startPlace) error {
	if _, err := Parse(start.dir); err != nil { // it was reached by a link
		return err
	}
	if isWorldWritable(start.info) && !g.isTrusted(start.dir) {
		return errors.OpenToAll(start.dir)
	}
	mark, err := os.Lstat(filepath.Join(start.dir, Name))
	if err != nil || !mark.IsDir() { // mark says what is in the way
		return nil
	}
	w := &walk{resolvedRules: g, start: start.dir}
	if a, _ := w.checkMarker(start.dir, start.info, mark); a.err != nil {
		return a.err
	}
	return nil
}

// makeMarker makes the marker in top, unless there is one.
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

// writeMarkerFiles writes the small files of the marker in top that are missing: all of
// them or none.
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
	project := "format: 1\nid: " + strings.ToLower(rand.Text()) + "\nname: " + strconv.Quote(name) + "\n"
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

// addFile writes a file, whole or not at all, and leaves one that is there as it is.
func addFile(m *os.Root, name, text string) (added bool, err error) {
	if _, err := m.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	err = putFile(m, name, text, m.Link) // unlike a rename, replaces nothing
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = putFile(m, name, text, m.Rename) // on file systems without links
		return err == nil, err
	}
	return err == nil, nil
}

// putFile writes a temporary file, which place then gives its name.
func putFile(m *os.Root, name, text string, place func(from, to string) error) error {
	temporary := ".tmp-" + rand.Text()
	f, err := m.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { _ = m.Remove(temporary) }()
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	return place(temporary, name)
}

// flushDir flushes the names in a directory to the disk. Not every system can, and the
// files are whole without it.
func flushDir(dir *os.Root) {
	if f, err := dir.Open("."); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Surroundings says what dir lies in, for a person who is about to make a project
// there: outer is the root of the project around it, repository the nearest
// directory at or above it that holds .git. Each is empty when there is none.
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

// SharedProject says whose notes dir works with because it lies in a linked worktree
// without a marker: main is the root of the project in the main tree, worktree the
// top of the linked one. Both are empty when dir is, or lies in, a project of its
// own, or when the main tree has none.
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

// SetSyncKey sets a key of [Sync] in the project.yaml of root, or removes it if value is empty. Every
// other line stays.
func SetSyncKey(root, key, value string) error {
	return inPlace(Place{root, Name}, func(m *os.Root) error {
		err := rewriteFile(m, projectFile, func(text string) string { return setLine(text, key, value) })
		if err != nil || key != "notes" {
			return err
		}
		return rewriteFile(m, ignoreFile, ignoreNotebook)
	})
}

// ignoreNotebook adds the notebook to the text of an ignore file. Earlier versions ignored notes/.
func ignoreNotebook(text string) string {
	lines := slices.DeleteFunc(slices.Collect(strings.Lines(text)), func(line string) bool {
		return slices.Contains([]string{"notes/", notebookName + "/"}, strings.TrimSpace(line))
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
		found, _, _ := parseLine(strings.TrimRight(line, "\r\n"))
		return found == key
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

// rewriteFile replaces the text of a small file by what change returns for it.
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
