//go:build unix

package segment

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapMemory maps a file for reading. It returns nil if the file cannot be mapped.
func mapMemory(f *os.File, size int) []byte {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return b
}

// statusOf returns the change time of a file in nanoseconds, which programs cannot set, and its
// size. The size is -1 if the status is unavailable.
func statusOf(f *os.File) (changed, size int64) {
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return 0, -1
	}
	return s.Ctim.Nano(), s.Size
}

func releaseMapping(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }

func unmapMemory(b []byte) { _ = unix.Munmap(b) }

// lockFile takes the exclusive lock of a file. It fails immediately if the lock is held.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
