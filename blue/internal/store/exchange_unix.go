//go:build linux || darwin

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// cannotExchange reports whether two files cannot be exchanged on this file system, by this
// kernel, or by this process.
func cannotExchange(err error) bool {
	return isOneOf(err, unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EOPNOTSUPP, unix.EPERM)
}

// callWithDir makes a system call with the descriptor of the directory.
func callWithDir(at *os.Root, call func(fd int) error) error {
	dir, err := at.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return retryInterrupted(func() error { return call(int(dir.Fd())) })
}
