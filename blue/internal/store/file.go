package store

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"blue/errors"
)

// Files yields the entries of notes/ and then of private/, each sorted by name. It includes
// those that are not served, for `blue check`, but skips temporary files. A directory that does
// not exist has no entries. For one that cannot be read it yields an error with the directory's
// name in the File, and continues with the other one.
func (s *Store) Files(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, dir := range noteDirs() {
			if !s.yieldFiles(ctx, dir, yield) {
				return
			}
		}
	}
}

// yieldFiles yields the entries of one directory and reports whether to continue.
func (s *Store) yieldFiles(ctx context.Context, dir string, yield func(File, error) bool) bool {
	at, err := s.enterDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s.Same() || yield(File{Name: dir}, errors.StoreGone(s.path))
	}
	var open *os.File
	if err == nil {
		defer at.Close()
		open, err = at.Open(".")
	}
	var names []string
	if err == nil {
		defer open.Close()
		names, err = open.Readdirnames(-1)
	}
	if err != nil {
		return yield(File{Name: dir}, readableError(s.pathOf(dir), err))
	}
	names = slices.DeleteFunc(names, func(base string) bool { return strings.HasPrefix(base, tempStart) })
	slices.Sort(names)
	for _, base := range names {
		if err := ctx.Err(); err != nil {
			yield(File{}, err)
			return false
		}
		file, err := s.describeEntry(at, open, notePath{dir, base})
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the names were read
		}
		if errors.Is(err, fs.ErrPermission) { // only the mode of the directory itself forbids this
			return yield(File{Name: dir}, readableError(s.pathOf(dir), err))
		}
		if !yield(file, err) {
			return false
		}
	}
	return true
}

// describeEntry describes one entry of the directory at, which is also open.
func (s *Store) describeEntry(at *os.Root, open *os.File, n notePath) (File, error) {
	file, mode, err := statEntry(at, open, n.base)
	file.Name = n.name()
	if err != nil {
		return file, errors.Unreadable(s.pathOf(file.Name), err)
	}
	if file.Problem = SafeName(n.base); file.Problem == "" {
		file.Problem = string(whyNotServed(mode, file.Size))
	}
	return file, nil
}

// readError turns an error of reading a note into one that a user understands.
func (s *Store) readError(n notePath, err error) error {
	trouble, isTrouble := errors.AsType[notServedReason](err)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.Same():
		return errors.StoreGone(s.path)
	case errors.Is(err, fs.ErrNotExist):
		return errors.NoNote(n.id())
	case errors.Is(err, errMoved):
		return errors.KeepsChanging(n.name())
	case trouble == tooLarge:
		return errors.NoteTooLarge(n.name(), Limit)
	case isTrouble:
		return errors.NotServed(n.name(), string(trouble))
	}
	return readableError(s.pathOf(n.name()), err)
}

// loadFile reads a regular file of at most [Limit] bytes. It retries if the file was replaced
// between lstat and open, because every edit replaces the file.
func loadFile(at *os.Root, base string) (data []byte, seen fs.FileInfo, err error) {
	for range maxTries {
		var file *os.File
		if file, seen, err = openFile(at, base); err == nil {
			data, err = readFile(file, seen.Size())
			file.Close()
		}
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return data, seen, err
}

// openFile opens a regular file that can be a note.
func openFile(at *os.Root, base string) (*os.File, fs.FileInfo, error) {
	seen, err := at.Lstat(base)
	if err != nil {
		return nil, nil, err
	}
	if t := whyNotServed(seen.Mode(), seen.Size()); t != "" {
		return nil, nil, t
	}
	file, err := at.OpenFile(base, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(seen, opened) {
		err = errMoved
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, opened, nil
}

// readFile reads a file of about size bytes. It fails with tooLarge beyond [Limit].
func readFile(file *os.File, size int64) ([]byte, error) {
	data := bytes.NewBuffer(make([]byte, 0, min(size, Limit)+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(file, Limit+1)); err != nil {
		return nil, err
	}
	if data.Len() > Limit {
		return nil, tooLarge
	}
	return data.Bytes(), nil
}

// Error returns the reason.
func (p notServedReason) Error() string { return string(p) }

// hasBytes reports whether a file has these bytes.
func hasBytes(at *os.Root, base string, data []byte) bool {
	now, _, err := loadFile(at, base)
	return err == nil && bytes.Equal(now, data)
}

// Texts reads many notes, each as [Store.Read] does but without its revision. It enters each
// directory only once. Its methods except Close are safe for concurrent use.
type Texts struct {
	s    *Store
	mu   sync.Mutex
	dirs map[string]*os.Root
}

// Texts returns a reader of many notes. The caller must close it.
func (s *Store) Texts() *Texts { return &Texts{s: s, dirs: map[string]*os.Root{}} }

// Read returns the present bytes of a note, whichever inode a listing has seen. Its errors have
// the kinds of [Store.Read].
func (t *Texts) Read(name string, _ uint64) (data []byte, err error) {
	n, err := parseName(name)
	if err != nil {
		return nil, err
	}
	dir, err := t.enterOnce(n.dir)
	if err == nil {
		data, _, err = loadFile(dir, n.base)
	}
	if err != nil {
		return nil, t.s.readError(n, err)
	}
	return data, nil
}

func (t *Texts) enterOnce(name string) (*os.Root, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if dir := t.dirs[name]; dir != nil {
		return dir, nil
	}
	dir, err := t.s.enterDir(name)
	if err == nil {
		t.dirs[name] = dir
	}
	return dir, err
}

// Close closes the directories.
func (t *Texts) Close() {
	for _, dir := range t.dirs {
		dir.Close()
	}
}

// Read returns the bytes of a note and their revision. The kinds of its errors are not_found,
// invalid for a file that is not served, too_large, and disk.
func (s *Store) Read(name string) (data []byte, revision string, err error) {
	texts := s.Texts()
	defer texts.Close()
	if data, err = texts.Read(name, 0); err != nil {
		return nil, "", err
	}
	return data, Revision(data), nil
}

// Limit is the maximum size in bytes of a file that is read as a note.
const Limit = 1 << 20

// Mark identifies one change of a project in a database. After a loss of changes, as when a
// backup is restored, their numbers are used again, but At and Entry of the audit line differ.
type Mark struct {
	Seq       uint64
	At, Entry int64 // of the audit line
}

// maxTries bounds how often a file that was replaced concurrently is opened again.
const maxTries = 20

// File is one entry of notes/ or private/ as a listing saw it. A change of the file shows in
// its size, times or inode.
type File struct {
	Name       string // "notes/ID.md" or "private/ID.md"
	Size       int64  // in bytes
	ModTime    time.Time
	ChangeTime time.Time // when content or attributes changed; zero if the system does not tell
	Inode      uint64    // 0 if the system does not tell
	Problem    string    // why it is not served; "" if it is
}

// notServedReason is the reason why a file is not served.
type notServedReason string

const tooLarge notServedReason = "it is larger than 1 MiB"

// whyNotServed returns why a file of this mode or size is not served, or "" if it is.
func whyNotServed(mode fs.FileMode, size int64) notServedReason {
	switch {
	case mode.IsRegular() && size > Limit:
		return tooLarge
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "it is a directory"
	case mode&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "it is a FIFO"
	}
	return "it is not a regular file"
}

// timeLayout formats the time in the name of a trashed note, in UTC. Its length is fixed, so
// that the order of names is that of times.
const timeLayout = "20060102T150405.000000000Z"
