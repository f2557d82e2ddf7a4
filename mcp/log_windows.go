package mcp

import (
	"os"

	"golang.org/x/sys/windows"
)

const noFollow = 0 // the check of openPrivate is all there is

// errLocked says that another process has the lock.
const errLocked = windows.ERROR_LOCK_VIOLATION

// tryLock takes the lock of a file, or fails at once.
func tryLock(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}

func unlock(file *os.File) error {
	return windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, &windows.Overlapped{})
}
