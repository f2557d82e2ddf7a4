package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// exchangeFiles atomically exchanges the names of two files in a directory.
func exchangeFiles(at *os.Root, one, other string) error {
	return callWithDir(at, func(fd int) error { return unix.RenameatxNp(fd, one, fd, other, unix.RENAME_SWAP) })
}
