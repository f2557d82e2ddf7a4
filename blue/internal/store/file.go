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
	"time"

	"blue/errors"
)

// Limit is the size in bytes up to which a file is read as a note.
const Limit = 1 << 20

// tries bounds how often a file that was replaced meanwhile is opened again.
const tries = 20

// File is one entry of notes/ or private/ as a listing saw it. A change of the
// file shows in its size, times or inode.
type File struct {
	Name       string // "notes/x.md" or "private/x.md"
	Size       int64  // in bytes
	ModTime    time.Time
	ChangeTime time.Time // when content or attributes changed; zero where the system does not say
	Inode      uint64    // 0 where the system does not say
	Problem    string    // why it is not served, "" when it is
}

// Files yields the entries of notes/ and then of private/, each sorted by name,
// including those that are not served, for `blue check`; temporary files are
// skipped. A directory that is not there has no entries. One that cannot be read
// yields an error with its name in the File, and the other one still follows.
func (s *Store) Files(ctx context.Context) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		for _, dir := range []string{notes, private} {
			if !s.files(ctx, dir, yield) {
				return
			}
		}
	}
}

// files yields the entries of one directory and reports whether to go on.
func (s *Store) files(ctx context.Context, dir string, yield func(File, error) bool) bool {
	at, err := s.enter(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s.Same() || yield(File{Name: dir}, errors.StoreGone(s.path))
	}
	if err != nil {
		return yield(File{Name: dir}, unreadable(s.place(dir), err))
	}
	defer at.Close()
	open, err := at.Open(".")
	if err != nil {
		return yield(File{Name: dir}, unreadable(s.place(dir), err))
	}
	defer open.Close()
	names, err := open.Readdirnames(-1)
	if err != nil {
		return yield(File{Name: dir}, unreadable(s.place(dir), err))
	}
	names = slices.DeleteFunc(names, func(base string) bool { return strings.HasPrefix(base, tempStart) })
	slices.Sort(names)
	for _, base := range names {
		if err := ctx.Err(); err != nil {
			yield(File{}, err)
			return false
		}
		file, err := s.describe(at, open, note{dir, base})
		if errors.Is(err, fs.ErrNotExist) {
			continue // gone since the names were read
		}
		if errors.Is(err, fs.ErrPermission) { // only the directory's own mode forbids a look
			return yield(File{Name: dir}, unreadable(s.place(dir), err))
		}
		if !yield(file, err) {
			return false
		}
	}
	return true
}

// describe looks at one entry of the directory at, which is also open.
func (s *Store) describe(at *os.Root, open *os.File, n note) (File, error) {
	file, mode, err := glance(at, open, n.base)
	file.Name = n.name()
	if err != nil {
		return file, errors.Unreadable(s.place(file.Name), err)
	}
	if file.Problem = SafeName(n.base); file.Problem == "" {
		file.Problem = string(trouble(mode, file.Size))
	}
	return file, nil
}

// Read returns the bytes of a note and their revision. The kinds are not_found,
// invalid for what is not served, too_large, and disk.
func (s *Store) Read(name string) (data []byte, revision string, err error) {
	texts := s.Texts()
	defer texts.Close()
	if data, err = texts.Read(name, 0); err != nil {
		return nil, "", err
	}
	return data, Revision(data), nil
}

// failed makes an error of reading a note presentable.
func (s *Store) failed(n note, err error) error {
	trouble, isTrouble := errors.AsType[problem](err)
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
	return unreadable(s.place(n.name()), err)
}

// load reads a regular file of at most [Limit] bytes. A file that was replaced
// between the look and the opening is looked at again, since every edit replaces.
func load(at *os.Root, base string) (data []byte, seen fs.FileInfo, err error) {
	for range tries {
		data, seen, err = loadOnce(at, base)
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return data, seen, err
}

func loadOnce(at *os.Root, base string) ([]byte, fs.FileInfo, error) {
	file, info, err := openFile(at, base)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	data, err := readFile(file, info.Size())
	return data, info, err
}

// openFile opens a regular file that can be a note.
func openFile(at *os.Root, base string) (*os.File, fs.FileInfo, error) {
	seen, err := at.Lstat(base)
	if err != nil {
		return nil, nil, err
	}
	if t := trouble(seen.Mode(), seen.Size()); t != "" {
		return nil, nil, t
	}
	file, err := at.OpenFile(base, os.O_RDONLY|nonblock, 0)
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

// readFile reads a file of about size bytes, and at most [Limit].
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

// problem says why a file is not served.
type problem string

const tooLarge problem = "it is larger than 1 MiB"

// Error returns the problem itself.
func (p problem) Error() string { return string(p) }

// trouble says why a file of this kind or size is not served, "" when it is.
func trouble(mode fs.FileMode, size int64) problem {
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
