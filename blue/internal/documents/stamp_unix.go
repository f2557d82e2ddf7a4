//go:build unix

package documents

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a FIFO from waiting for its other end.
const nonblock = unix.O_NONBLOCK

// openDirectory opens a directory for a listing. What [os.Open] does beyond it, to wait for
// files of other kinds, is half of the system calls of a listing.
func openDirectory(name string) (*os.File, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// stampFile describes a file of a directory without opening it; the mode is 0 for a regular
// one.
func stampFile(at *os.File, e fs.DirEntry) (f File, mode fs.FileMode, err error) {
	if e.Type() != 0 {
		return f, e.Type(), nil
	}
	var stat unix.Stat_t
	if err := unix.Fstatat(int(at.Fd()), e.Name(), &stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return f, 0, err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return f, fs.ModeIrregular, nil
	}
	return File{Size: stat.Size, ModTime: stat.Mtim.Nano(), ChangeTime: stat.Ctim.Nano(), Inode: stat.Ino}, 0, nil
}
