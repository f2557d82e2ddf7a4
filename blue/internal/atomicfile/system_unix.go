//go:build unix

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"blue/errors"
)

// keepOwner gives the new file the owner of the old one, which matters when root edits a file
// of another user. If the system forbids it, keepOwner returns an error, because otherwise the
// owner would lose the file.
func keepOwner(f *os.File, old fs.FileInfo) error {
	was, ok := old.Sys().(*syscall.Stat_t)
	info, err := f.Stat()
	if !ok || err != nil {
		return err
	}
	is, ok := info.Sys().(*syscall.Stat_t)
	if !ok || is.Uid == was.Uid && is.Gid == was.Gid {
		return nil
	}
	err = f.Chown(int(was.Uid), int(was.Gid))
	if is.Uid == was.Uid {
		return nil // a group that cannot be set is no reason to fail
	}
	return err
}

// Rename renames a file, replacing any file with the new name.
func Rename(dir *os.Root, from, to string) error { return dir.Rename(from, to) }

// ReadFile reads a file.
func ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// SyncDir syncs the entries of a directory to disk.
func SyncDir(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// TryLock takes the exclusive lock of a file if it is free. An error means that the file cannot
// be locked, usually because the file system has no locks.
func TryLock(f *os.File) (taken bool, err error) {
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

// IsForeign reports whether another user owns a file.
func IsForeign(file os.FileInfo) bool {
	stat, ok := file.Sys().(*syscall.Stat_t)
	return ok && os.Geteuid() != 0 && int(stat.Uid) != os.Geteuid()
}
