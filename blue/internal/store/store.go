// Package store keeps the files of a project: notes/, private/, history/ and trash/ below its
// directory of notes, and the lock. It handles bytes, not notes.
//
// Reading needs no lock. A reader sees a file either as it was before a write or as it is after
// it. Writing goes through [Held], which holds the project's one lock. A write that has
// returned without an error has reached the disk:
//
//	fsync(file) → link or rename → fsync(directory) → return
//
// Three rules ensure that nothing outside the project is touched and nothing is lost.
// Directories are entered one component at a time; each must be a real directory and still the
// one that was examined, so that no link leads out. A file is opened only if it is regular, so
// that a FIFO cannot block a reader. And the bytes that an edit replaces are in history/ before
// the edit begins. docs/notes.md describes how a write is made safe.
package store

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
)

const (
	notes   = "notes"
	private = "private"
	history = "history"
	trash   = "trash"
)

// Store is the open directory of the notes of one project. It is safe for concurrent use, and
// always refers to the directory that was opened, whatever becomes of its name. See
// [Store.Same].
type Store struct {
	path string   // for messages and for Same
	blue *os.Root // the directory
	info fs.FileInfo

	// BackupDir is the directory for copies of the notes that no sync has pushed yet, because
	// git clean may remove those of a notebook. If it is empty, no copies are made.
	BackupDir string
}

// Open opens the directory below of root. The error is of kind bad_marker for something other
// than a real directory, and of kind disk for what cannot be read. Open creates nothing: the
// first write creates notes/ and the other directories.
func Open(root, below string) (*Store, error) {
	path := filepath.Join(root, below)
	project, err := os.OpenRoot(root)
	if err != nil {
		return nil, errors.Unreadable(root, err)
	}
	s := &Store{path: root, blue: project}
	defer project.Close()
	at := project
	if parent := filepath.Dir(below); parent != "." {
		if at, err = s.enterDir(filepath.ToSlash(parent)); err != nil {
			return nil, readableError(path, err)
		}
		defer at.Close()
	}
	blue, info, err := openRealDir(at, filepath.Base(below))
	if err != nil {
		return nil, readableError(path, namedDirError(path, err))
	}
	return &Store{path: path, blue: blue, info: info}, nil
}

// Close closes the directory.
func (s *Store) Close() error { return s.blue.Close() }

// Same reports whether the path still leads to the directory that was opened, by device and
// inode. If it is not, the caller must open the store again.
func (s *Store) Same() bool {
	now, err := os.Lstat(s.path)
	return err == nil && os.SameFile(s.info, now)
}

// enterDir opens dir, a slash-separated path below the directory of the notes. The error is
// fs.ErrNotExist if it does not exist.
func (s *Store) enterDir(dir string) (*os.Root, error) { return s.walkDown(dir, openRealDir) }

// walkDown walks down dir, one step per component, and closes the directories in between.
func (s *Store) walkDown(dir string, next dirStep) (*os.Root, error) {
	at, path := s.blue, s.path
	for name := range strings.SplitSeq(dir, "/") {
		below, _, err := next(at, name)
		if at != s.blue {
			at.Close()
		}
		path = filepath.Join(path, name)
		if err != nil {
			return nil, namedDirError(path, err)
		}
		at = below
	}
	return at, nil
}

// dirStep opens one component of a path, as [openRealDir] does.
type dirStep func(at *os.Root, name string) (*os.Root, fs.FileInfo, error)

// openRealDir opens the real directory name in at. [os.Root] alone would follow a link that
// stays inside.
func openRealDir(at *os.Root, name string) (*os.Root, fs.FileInfo, error) {
	seen, err := at.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !seen.IsDir() {
		return nil, nil, errIrregular
	}
	below, err := at.OpenRoot(name)
	if err != nil {
		return nil, nil, err
	}
	opened, err := below.Stat(".")
	if err == nil && !os.SameFile(seen, opened) {
		err = errMoved
	}
	if err != nil {
		below.Close()
		return nil, nil, err
	}
	return below, seen, nil
}

// Reasons why a directory was not entered.
var (
	errIrregular = errors.New("not a real directory")
	errMoved     = errors.New("changed while it was opened")
)

// namedDirError returns an error that says why the directory could not be entered. It returns
// other errors unchanged, so that callers can test for fs.ErrNotExist.
func namedDirError(path string, err error) error {
	switch {
	case errors.Is(err, errIrregular):
		return notDirectory(path)
	case errors.Is(err, errMoved):
		return errors.KeepsChanging(path)
	}
	return err
}

// readableError turns an error of reading the file or directory at path into one that a user
// understands, unless it already is one.
func readableError(path string, err error) error {
	if _, ok := errors.AsType[*errors.Error](err); ok {
		return err
	}
	return errors.Unreadable(path, err)
}

// pathOf returns the path of a slash-separated name below that directory, for messages.
func (s *Store) pathOf(name string) string {
	return filepath.Join(s.path, filepath.FromSlash(name))
}

// listNames returns the names in the directory, unsorted.
func listNames(at *os.Root) ([]string, error) {
	dir, err := at.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// withDir calls do with the directory if it can be entered.
func (s *Store) withDir(dir string, do func(at *os.Root)) {
	if at, err := s.enterDir(dir); err == nil {
		do(at)
		at.Close()
	}
}

func noteDirs() [2]string { return [2]string{notes, private} }

// notDirectory returns the error for a part of the store that is a link or a file and is
// therefore not used.
func notDirectory(path string) *errors.Error {
	return errors.E(errors.BadMarker, "%s is not a real directory", errors.Quote(path)).
		Hint("", "", "links are not followed: put a directory in its place").
		Hint("doctor", "", "see what Blue finds")
}
