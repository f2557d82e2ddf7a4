package marker

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	if fault := NameFault(name); fault != "" {
		return "", false, errors.BadProjectName(name, fault)
	}
	start, err := site(dir, r.survey())
	if err != nil {
		return "", false, err
	}
	if name == "" {
		name = shownName(filepath.Base(start))
	}
	top, err := os.OpenRoot(start)
	if err != nil {
		return "", false, errors.MarkerNotMade(start, err)
	}
	defer func() { _ = top.Close() }()
	created, err = mark(top)
	if err != nil {
		return "", false, err
	}
	if s, _ := readSettings(start); s.later() {
		return "", false, errors.FormatUnknown(start, s.Format)
	}
	if err := furnish(top, name); err != nil {
		if created {
			_ = top.Remove(Name) // stays when another process has put something there
		}
		return "", false, errors.MarkerNotMade(start, err)
	}
	return start, created, nil
}

const (
	ignoreFile = ".gitignore"
	ignored    = "private/\nhistory/\ntrash/\n.lock\n.tmp-*\n"
)

// Ignore writes the .gitignore of the project at root when it is missing, so that
// private notes, which a bare marker may come to hold, stay out of git.
func Ignore(root string) error {
	m, err := os.OpenRoot(filepath.Join(root, Name))
	if err != nil {
		return errors.MarkerNotMade(root, err)
	}
	defer func() { _ = m.Close() }()
	if _, err := add(m, ignoreFile, ignored); err != nil {
		return errors.MarkerNotMade(root, err)
	}
	return nil
}

// site is the physical directory that dir names, if it may be a root.
func site(dir string, g *ground) (string, error) {
	path, err := Parse(dir)
	if err != nil {
		return "", err
	}
	start, err := physical(path)
	if err != nil {
		return "", errors.PathUnusable(dir, "the directory "+why(err))
	}
	if start.file {
		return "", errors.PathUnusable(dir, "not a directory")
	}
	if reason := cmp.Or(g.reserved(start.dir, start.info), g.owned(start.dir)); reason != "" {
		return "", errors.PathUnusable(dir, reason)
	}
	if root := start.marked(); root != "" {
		return "", errors.InsideMarker(dir, root)
	}
	if err := g.refusal(start); err != nil {
		return "", err
	}
	return start.dir, nil
}

// marked is the root of the project in whose marker the place lies, empty when it
// lies in none.
func (p place) marked() string {
	below := p.level
	for _, parent := range p.above {
		if mark, err := os.Lstat(filepath.Join(parent.dir, Name)); err == nil && os.SameFile(mark, below.info) {
			return parent.dir
		}
		below = parent
	}
	return ""
}

// refusal is the error of detection for a project at start, one that is there or
// one that would be made.
func (g *ground) refusal(start place) error {
	if _, err := Parse(start.dir); err != nil { // it was reached by a link
		return err
	}
	if open(start.info) && !g.trusts(start.dir) {
		return errors.OpenToAll(start.dir)
	}
	mark, err := os.Lstat(filepath.Join(start.dir, Name))
	if err != nil || !mark.IsDir() { // mark says what is in the way
		return nil
	}
	w := &walk{ground: g, start: start.dir}
	if a, _ := w.accept(start.dir, start.info, mark); a.err != nil {
		return a.err
	}
	return nil
}

// mark makes the marker in top, unless there is one.
func mark(top *os.Root) (created bool, err error) {
	err = top.Mkdir(Name, 0o755)
	if err == nil {
		flush(top)
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

// furnish writes the small files of the marker in top that are missing: all of
// them or none.
func furnish(top *os.Root, name string) (err error) {
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
		{ignoreFile, ignored},
		{".gitattributes", "*.md text eol=lf\n"},
	} {
		added, err := add(m, file[0], file[1])
		if err != nil {
			return fmt.Errorf("writing %s: %w", file[0], err)
		}
		if added {
			made = append(made, file[0])
		}
	}
	flush(m)
	return nil
}

// add writes a whole file, or leaves the one that is there; added reports which.
func add(m *os.Root, name, text string) (added bool, err error) {
	if _, err := m.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	temporary := ".tmp-" + rand.Text()
	defer func() { _ = m.Remove(temporary) }()
	if err := write(m, temporary, text); err != nil {
		return false, err
	}
	err = m.Link(temporary, name) // unlike a rename, replaces nothing
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err == nil, nil
	}
	err = m.Rename(temporary, name) // on file systems without links
	return err == nil, err
}

func write(m *os.Root, name, text string) error {
	f, err := m.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// flush makes names in a directory last. Not every system can, and the files are
// whole without it.
func flush(dir *os.Root) {
	if f, err := dir.Open("."); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// Surroundings says what dir lies in, for a person who is about to make a project
// there: outer is the root of the project around it, repository the nearest
// directory at or above it that holds .git. Each is empty when there is none.
func Surroundings(ctx context.Context, r Rules, dir string) (outer, repository string) {
	start, err := site(dir, r.survey())
	if err != nil {
		return "", ""
	}
	outer, _ = Find(ctx, r, filepath.Dir(start))
	return outer, r.survey().repository(start)
}

func (g *ground) repository(dir string) string {
	for {
		info, _ := os.Lstat(dir)
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && g.never(dir, info) == "" {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
