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

// Rename moves a file over whatever has the new name. A file that another program has open
// refuses for a moment, so it is tried for a second.
func Rename(dir *os.Root, from, to string) error {
	for end := time.Now().Add(time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := dir.Rename(from, to)
		inUse := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !inUse || time.Now().After(end) {
			return err
		}
	}
}

// SyncDir has nothing to do: Windows has no flush of a directory. A file is flushed before it is
// renamed, and no more than that is promised.
func SyncDir(*os.Root) error { return nil }

// TryLock takes the exclusive lock of a file if it is free. An error means that it cannot be
// locked, mostly because the file system has no locks. Locks are mandatory here, so that it covers
// one byte far behind the text, which those who wait can then read.
func TryLock(f *os.File) (taken bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// isForeign reports nothing: the directory of the file decides who may write it.
func isForeign(os.FileInfo) bool { return false }
