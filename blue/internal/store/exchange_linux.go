package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchangeFiles atomically exchanges the names of two files in a directory.
func exchangeFiles(at *os.Root, one, other string) error {
	return callWithDir(at, func(fd int) error { return unix.Renameat2(fd, one, fd, other, unix.RENAME_EXCHANGE) })
}

// isBeingWritten reports whether a program has the file open for writing: the kernel then
// grants no lease for reading. Where it grants no leases at all, no writer is known.
func isBeingWritten(file *os.File) bool {
	_, err := unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return err == unix.EAGAIN
}
