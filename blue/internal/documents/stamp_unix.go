//go:build unix

package documents

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// nonblock keeps the opening of a FIFO from waiting for its other end.
const nonblock = unix.O_NONBLOCK

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
