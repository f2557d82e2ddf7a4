//go:build unix

package store

import (
	"io/fs"
	"os"
	"slices"
	"time"

	"blue/errors"

	"golang.org/x/sys/unix"
)

// cannotFlush reports whether the error means that the file system has no fsync (on macOS no
// F_FULLFSYNC, which os.File.Sync uses).
func cannotFlush(err error) bool {
	return isOneOf(err, unix.ENOTSUP, unix.EOPNOTSUPP, unix.EINVAL, unix.ENOTTY)
}

func isOneOf(err error, codes ...unix.Errno) bool {
	return slices.ContainsFunc(codes, func(code unix.Errno) bool { return errors.Is(err, code) })
}

// processIsGone reports whether no process with this id runs on this host.
func processIsGone(pid int) bool { return errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// statEntry describes an entry of the directory dir without opening it. The direct system call
// takes two thirds of the time of [os.Root.Lstat], and is made for every entry of every
// listing.
func statEntry(_ *os.Root, dir *os.File, base string) (File, fs.FileMode, error) {
	var stat unix.Stat_t
	err := retryInterrupted(func() error { return unix.Fstatat(int(dir.Fd()), base, &stat, unix.AT_SYMLINK_NOFOLLOW) })
	return File{
		Size:       stat.Size,
		ModTime:    time.Unix(stat.Mtim.Unix()),
		ChangeTime: time.Unix(stat.Ctim.Unix()),
		Inode:      stat.Ino,
	}, fileMode(uint32(stat.Mode)), err
}

// fileMode returns the type of a file in the form of the standard library.
func fileMode(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	}
	return fs.ModeIrregular
}

// retryInterrupted repeats a call that was interrupted by a signal.
func retryInterrupted(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
