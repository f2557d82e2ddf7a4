//go:build unix

package statefile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"blue/errors"
)

// tryLock takes the lock if it is free; an error means that there are no locks here.
func tryLock(f *os.File) (taken bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// isForeign reports whether another user owns a file.
func isForeign(file os.FileInfo) bool {
	stat, ok := file.Sys().(*syscall.Stat_t)
	return ok && os.Geteuid() != 0 && int(stat.Uid) != os.Geteuid()
}
