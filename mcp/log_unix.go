//go:build unix

package mcp

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const noFollow = syscall.O_NOFOLLOW

// errLocked says that another process has the lock.
const errLocked = unix.EWOULDBLOCK

// tryLock takes the lock of a file, or fails at once.
func tryLock(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

func unlock(file *os.File) error { return unix.Flock(int(file.Fd()), unix.LOCK_UN) }
