package store

import (
	"io/fs"
	"os"
	"time"

	"blue/errors"

	"golang.org/x/sys/windows"
)

// nonblock is nothing here: what Lstat calls regular opens at once.
const nonblock = 0

// errLocked says that another holder has the lock.
const errLocked = windows.ERROR_LOCK_VIOLATION

// tryFlock takes the exclusive lock of the file, or fails with errLocked at once.
// Locks are mandatory here, so it covers one byte far behind the text, which
// those who wait can then read.
func tryFlock(file *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
}

// hasNoLocks reports that the file system has no locks.
func hasNoLocks(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION)
}

func cannotFlush(err error) bool { return hasNoLocks(err) }

// syncDir does nothing: there is no flush of a directory. The file itself is
// flushed before it is renamed, and no more than that is promised.
func syncDir(*os.Root) error { return nil }

// rename moves a file over whatever has the new name. A file that another program
// has open refuses for a moment, so it is tried for 1 s.
func rename(at *os.Root, from, to string) error {
	deadline := time.Now().Add(time.Second)
	for {
		err := at.Rename(from, to)
		inUse := errors.Is(err, windows.ERROR_ACCESS_DENIED) || errors.Is(err, windows.ERROR_SHARING_VIOLATION)
		if !inUse || time.Now().After(deadline) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// processIsGone reports that no process of the id runs on this host.
func processIsGone(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer windows.CloseHandle(process)
	state, err := windows.WaitForSingleObject(process, 0)
	return err == nil && state == windows.WAIT_OBJECT_0
}

// statEntry describes an entry of a directory without opening it; change time and
// inode would need it open.
func statEntry(at *os.Root, _ *os.File, base string) (File, fs.FileMode, error) {
	info, err := at.Lstat(base)
	if err != nil {
		return File{}, 0, err
	}
	return File{Size: info.Size(), ModTime: info.ModTime()}, info.Mode(), nil
}
