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

// stampFile describes a file or directory without opening it; the mode is 0 for a regular
// file.
func stampFile(name string) (f File, mode fs.FileMode, err error) {
	var stat unix.Stat_t
	if err := unix.Lstat(name, &stat); err != nil {
		return f, 0, err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		mode = fs.ModeIrregular
	}
	return File{Size: stat.Size, ModTime: stat.Mtim.Nano(), ChangeTime: stat.Ctim.Nano(), Inode: stat.Ino}, mode, nil
}
