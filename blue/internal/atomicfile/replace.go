// Package atomicfile replaces files whole: at any moment the old or the new text is there. It
// also locks, appends to and checks files that several processes change at once.
package atomicfile

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"blue/errors"
)

// Target is a file and what its replacement keeps to. Without more than a path it becomes
// one that its owner alone can read.
type Target struct {
	Path     string
	Dir      *os.Root     // the directory in which Path is a name; nil for that of the path
	Mode     fs.FileMode  // 0 for 0600
	Owner    fs.FileInfo  // the file whose owner is kept; nil for that of this process
	Check    func() error // asked last, before the new text gets its name; nil for no question
	Volatile bool         // what a power cut may take, so that nothing waits for the disk
}

// Replace writes a temporary file beside the file and renames it. Missing directories are
// made for this user alone. A failure leaves the file as it was and no temporary file.
func (f Target) Replace(data []byte) error {
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

func (f Target) replace(dir *os.Root, name string, data []byte) (err error) {
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
	if err = Rename(dir, fresh, name); err == nil && !f.Volatile {
		_ = SyncDir(dir) // where the system can
	}
	return err
}

// fill writes the temporary file and flushes it.
func (f Target) fill(temp *os.File, data []byte) error {
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

// Replace replaces the text of a file that only its owner can read. A link to the file stays a
// link.
func Replace(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return Target{Path: path}.Replace([]byte(text))
}

// Append adds lines in one write and returns the size of the file. It first ends a last line
// that was cut off.
func Append(path, lines string) (size int64, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = Check(info, math.MaxInt64)
	}
	if err != nil {
		return 0, err
	}
	var last [1]byte
	if _, err := f.ReadAt(last[:], info.Size()-1); err == nil && last[0] != '\n' {
		lines = "\n" + lines
	}
	n, err := f.WriteString(lines)
	return info.Size() + int64(n), err
}

// Check returns an error for a file that cannot be trusted: one that is not regular, has more
// than limit bytes, belongs to another user, or can be written by others.
func Check(file os.FileInfo, limit int64) error {
	switch {
	case !file.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case file.Size() > limit:
		return fmt.Errorf("it has more than %d bytes", limit)
	case isForeign(file):
		return errors.New("it belongs to another user")
	case runtime.GOOS != "windows" && file.Mode()&0o022 != 0:
		return errors.New("others can write it; run chmod 600 on it")
	}
	return nil
}

// Lock locks the lock file and makes its directory. It waits up to patience for another process.
// On a file system without locks it returns at once and alone is false.
func Lock(path string, patience time.Duration) (unlock func(), alone bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	unlock = func() { _ = f.Close() } // which also unlocks it
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		taken, err := TryLock(f)
		if err != nil || taken {
			return unlock, taken, nil
		}
		if time.Now().After(end) {
			unlock()
			return nil, false, errors.E(errors.Busy, "another process holds %q", path).Hint("", "", "try again")
		}
	}
}
