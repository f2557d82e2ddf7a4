//go:build unix

package corpus

import (
	"golang.org/x/sys/unix"

	"blue/blue/internal/index"
)

// stampFile returns the stamp of a file or directory without opening it.
func stampFile(name string) (stamp index.Stamp, isRegular bool, err error) {
	var stat unix.Stat_t
	err = unix.Lstat(name, &stat)
	stamp = index.Stamp{Size: stat.Size, ModTime: stat.Mtim.Nano(), ChangeTime: stat.Ctim.Nano(), Inode: stat.Ino}
	return stamp, stat.Mode&unix.S_IFMT == unix.S_IFREG, err
}
