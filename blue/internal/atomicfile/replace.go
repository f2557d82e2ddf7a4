// Package atomicfile replaces files whole: at any moment the old or the new text is there. It
// also locks, appends to and checks files of the user's state directory, which several processes
// change at once.
package atomicfile

import (
	"crypto/rand"
	"io/fs"
	"os"
	"path/filepath"

	"blue/errors"
)

// File is a file and what its replacement keeps to. Without more than a path it becomes
// one that its owner alone can read.
type File struct {
	Path     string
	Dir      *os.Root     // the directory in which Path is a name; nil for that of the path
	Mode     fs.FileMode  // 0 for 0600
	Owner    fs.FileInfo  // the file whose owner is kept; nil for that of this process
	Check    func() error // asked last, before the new text gets its name; nil for no question
	Volatile bool         // what a power cut may take, so that nothing waits for the disk
}

// Replace writes a temporary file beside the file and renames it. Missing directories are
// made for this user alone. A failure leaves the file as it was and no temporary file.
func (f File) Replace(data []byte) error {
	if f.Dir != nil {
		return f.replace(f.Dir, f.Path, data)
	}
	path := filepath.Dir(f.Path)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return f.replace(dir, filepath.Base(f.Path), data)
}

func (f File) replace(dir *os.Root, name string, data []byte) (err error) {
	fresh := ".blue-new-" + rand.Text()
	temp, err := dir.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = dir.Remove(fresh)
		}
	}()
	if err = errors.Join(f.fill(temp, data), temp.Close()); err != nil {
		return err
	}
	if f.Check != nil {
		if err = f.Check(); err != nil {
			return err
		}
	}
	if err = rename(dir, fresh, name); err == nil && !f.Volatile {
		flushDir(dir)
	}
	return err
}

// fill writes the temporary file and flushes it.
func (f File) fill(temp *os.File, data []byte) error {
	_, err := temp.Write(data)
	if err == nil && f.Owner != nil {
		err = keepOwner(temp, f.Owner)
	}
	if err == nil && f.Mode != 0 {
		err = temp.Chmod(f.Mode)
	}
	if err == nil && !f.Volatile {
		err = temp.Sync()
	}
	return err
}
