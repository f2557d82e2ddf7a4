package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchangeFiles gives each of two files of a directory the name of the other, in one step.
func exchangeFiles(at *os.Root, one, other string) error {
	return callWithDir(at, func(fd int) error { return unix.Renameat2(fd, one, fd, other, unix.RENAME_EXCHANGE) })
}

// isBeingWritten reports that a program has the file open for writing. The kernel grants
// no lease for reading then; where it grants none at all, nobody is known to write.
func isBeingWritten(file *os.File) bool {
	_, err := unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	if err == nil {
		_, _ = unix.FcntlInt(file.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	}
	return err == unix.EAGAIN
}
