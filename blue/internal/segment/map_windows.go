package segment

import (
	"os"

	"golang.org/x/sys/windows"
)

// mapMemory maps nothing, because a mapped file could be neither replaced nor removed.
func mapMemory(*os.File, int) []byte { return nil }

// statusOf is never called, because no file is mapped.
func statusOf(*os.File) (changed, size int64) { return 0, -1 }

func releaseMapping([]byte) {}

func unmapMemory([]byte) {}

// lockFile takes the exclusive lock of a file. It fails immediately if the lock is held.
func lockFile(f *os.File) error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{})
}
