//go:build unix

package segment

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapMemory maps a file for reading, nil when it cannot be mapped.
func mapMemory(f *os.File, size int) []byte {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return b
}

// statusOf is when a file was changed last, in nanoseconds, which no program can set, and its
// size; -1 when it cannot be asked for.
func statusOf(f *os.File) (changed, size int64) {
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return 0, -1
	}
	return s.Ctim.Nano(), s.Size
}

func releaseMapping(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }

func unmapMemory(b []byte) { _ = unix.Munmap(b) }

// lockFile takes the exclusive lock of a file, or fails at once.
func lockFile(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
