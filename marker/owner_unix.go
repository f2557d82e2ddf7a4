//go:build unix

package marker

import (
	"io/fs"
	"os"
	"syscall"
)

// fold brings a path into the form in which paths are compared. Systems whose
// file systems ignore case in part are compared exactly: a directory list of a
// server must not grow by spelling.
func fold(path string) string { return path }

// open reports whether everyone may write in the directory.
func open(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }

// owner returns the uid that the file belongs to, and false where files have none.
func owner(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// self is the effective user of the process.
func self() int { return os.Geteuid() }

// mount tells file systems apart.
func mount(info fs.FileInfo) uint64 {
	device, _ := number("", info)
	return device
}

// number returns device and inode of the file.
func number(_ string, info fs.FileInfo) (device, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(stat.Dev), uint64(stat.Ino)
}
