package atomicfile

import (
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"

	"blue/errors"
)

// keepOwner does nothing: a new file inherits the rights of its directory.
func keepOwner(*os.File, fs.FileInfo) error { return nil }

// Rename renames a file, replacing any file with the new name. While another program has that
// file open the rename fails, so Rename retries for a second.
func Rename(dir *os.Root, from, to string) error {
	for end := time.Now().Add(time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := dir.Rename(from, to)
		inUse := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !inUse || time.Now().After(end) {
			return err
		}
	}
}

// ReadFile reads a file. Windows does not open a file at the moment in which another process puts
// it there, so ReadFile retries for a second.
func ReadFile(path string) ([]byte, error) {
	for end := time.Now().Add(time.Second); ; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(path)
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) || time.Now().After(end) {
			return data, err
		}
	}
}

// SyncDir does nothing, because Windows cannot sync a directory. A file is synced before it is
// renamed; durability of the rename is not guaranteed.
func SyncDir(*os.Root) error { return nil }

// TryLock takes the exclusive lock of a file if it is free. An error means that the file cannot
// be locked, usually because the file system has no locks. Locks are mandatory on Windows, so
// it locks one byte far beyond the text, which other processes can still read.
func TryLock(f *os.File) (taken bool, err error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// IsForeign returns false: on Windows the directory's rights decide who may write.
func IsForeign(os.FileInfo) bool { return false }
