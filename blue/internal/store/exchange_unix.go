//go:build linux || darwin

package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// unexchangeable reports that two files cannot be exchanged on this file system, or by
// this kernel, or not by this process.
func unexchangeable(err error) bool {
	return isOneOf(err, unix.ENOSYS, unix.EINVAL, unix.ENOTSUP, unix.EOPNOTSUPP, unix.EPERM)
}

// inDir makes a system call with the directory.
func inDir(at *os.Root, call func(fd int) error) error {
	dir, err := at.Open(".")
	if err != nil {
		return err
	}
	defer dir.Close()
	return uninterrupted(func() error { return call(int(dir.Fd())) })
}
