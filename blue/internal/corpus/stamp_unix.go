//go:build unix

package corpus

import (
	"os"

	"golang.org/x/sys/unix"

	"blue/blue/internal/index"
)

// openDirectory opens a directory for a listing. What [os.Open] does beyond it, to wait for
// files of other kinds, is half of the system calls of a listing.
func openDirectory(name string) (*os.File, error) {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

// stampFile returns the stamp of a file or directory without opening it.
func stampFile(name string) (stamp index.Stamp, isRegular bool, err error) {
	var stat unix.Stat_t
	err = unix.Lstat(name, &stat)
	stamp = index.Stamp{Size: stat.Size, ModTime: stat.Mtim.Nano(), ChangeTime: stat.Ctim.Nano(), Inode: stat.Ino}
	return stamp, stat.Mode&unix.S_IFMT == unix.S_IFREG, err
}
