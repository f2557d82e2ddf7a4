package atomicfile

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"

	"blue/errors"
)

// keepOwner has nothing to do: a new file takes the rights of its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// rename tries again for a second, because a program that has the file open
// at that moment makes it fail.
func rename(dir *os.Root, from, to string) error {
	err := dir.Rename(from, to)
	for range 20 {
		if err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
		err = dir.Rename(from, to)
	}
	return err
}

// flushDir has nothing to do: Windows has no flush of a directory.
func flushDir(*os.Root) {}

// tryLock takes the lock if it is free. An error means that the file system has no locks.
func tryLock(f *os.File) (taken bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// isForeign reports nothing: the directory of the file decides who may write it.
func isForeign(os.FileInfo) bool { return false }
