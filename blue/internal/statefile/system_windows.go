package statefile

import (
	"os"

	"golang.org/x/sys/windows"

	"blue/errors"
)

// tryLock takes the lock if it is free; an error means that there are no locks here.
func tryLock(f *os.File) (taken bool, err error) {
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, new(windows.Overlapped))
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// isForeign reports nothing: the directory of the file decides who may write it.
func isForeign(os.FileInfo) bool { return false }
