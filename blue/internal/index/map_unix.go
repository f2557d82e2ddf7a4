//go:build unix

package index

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapped maps a file for reading, nil when it cannot be mapped.
func mapped(f *os.File, size int) []byte {
	b, err := unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return b
}

func release(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }

func unmap(b []byte) { _ = unix.Munmap(b) }

// lock takes the exclusive lock of a file, or fails at once.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
