// Package atomicfile replaces files whole: at any moment the old or the new text is there.
package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"

	"blue/errors"
)

// File is a file and what its replacement keeps to. Without more than a path it becomes
// one that its owner alone can read.
type File struct {
	Path     string
	Mode     fs.FileMode  // 0 for 0600
	Owner    fs.FileInfo  // the file whose owner is kept; nil for that of this process
	Check    func() error // asked last, before the new text gets its name; nil for no question
	Volatile bool         // what a power cut may take, so that nothing waits for the disk
}

// Replace writes a temporary file beside the file and renames it. Missing directories are
// made for this user alone. A failure leaves the file as it was and no temporary file.
func (f File) Replace(data []byte) (err error) {
	dir := filepath.Dir(f.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".blue-new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name())
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
	if err = rename(temp.Name(), f.Path); err == nil && !f.Volatile {
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
