// Package atomicfile replaces files atomically: at any moment a file holds either the old or
// the new text. It also locks, appends to and checks files that several processes change
// concurrently.
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

// Target is a file to replace. With only a Path the new file is readable by its owner alone.
type Target struct {
	Path     string
	Dir      *os.Root     // the directory in which Path is a plain name; nil to derive it from Path
	Mode     fs.FileMode  // mode of the new file; 0 for 0600
	Owner    fs.FileInfo  // the file whose owner is kept; nil for the owner of this process
	Check    func() error // called before the rename; an error cancels it; may be nil
	Volatile bool         // a power failure may lose it: do not sync
}

// Replace writes a temporary file next to the file and renames it. It creates missing
// directories for this user alone, unless Dir is set. On failure the file is unchanged and the
// temporary file is removed.
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
		_ = SyncDir(dir) // on systems that support it
	}
	return err
}

// fill writes and syncs the temporary file.
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

// Replace replaces the text of a file that only its owner can read. If path is a symbolic link,
// it replaces the link's target.
func Replace(path, text string) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return Target{Path: path}.Replace([]byte(text))
}

// Append appends lines in one write and returns the new size of the file. If the last line is
// incomplete, it is terminated first.
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

// Check returns an error for a file that cannot be trusted: it is not regular, has more than
// limit bytes, belongs to another user, or is writable by others.
func Check(file os.FileInfo, limit int64) error {
	switch {
	case !file.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case file.Size() > limit:
		return fmt.Errorf("it has more than %d bytes", limit)
	case IsForeign(file):
		return errors.New("it belongs to another user")
	case runtime.GOOS != "windows" && file.Mode()&0o022 != 0:
		return errors.New("others can write it; run chmod 600 on it")
	}
	return nil
}

// Lock locks the lock file, which it creates with its directory. It waits up to patience for
// another process. On a file system without locks it returns at once with alone set to false.
func Lock(path string, patience time.Duration) (unlock func(), alone bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, false, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, false, err
	}
	unlock = func() { _ = f.Close() } // closing also unlocks it
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		taken, err := TryLock(f)
		if err != nil || taken {
			return unlock, taken, nil
		}
		if time.Now().After(end) {
			unlock()
			return nil, false, errors.E(errors.Busy, "another process holds %s", errors.Quote(path)).Hint("", "", "try again")
		}
	}
}
