//go:build unix

package marker

import (
	"io/fs"
	"syscall"
)

// foldPath brings a path into the form in which paths are compared. Systems whose
// file systems ignore case in part are compared exactly: a directory list of a
// server must not grow by spelling.
func foldPath(path string) string { return path }

// isWorldWritable reports whether everyone may write in the directory.
func isWorldWritable(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }

// ownerUID returns the uid that the file belongs to, and false where files have none.
func ownerUID(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

// deviceNumber tells file systems apart.
func deviceNumber(info fs.FileInfo) uint64 {
	device, _ := fileNumber("", info)
	return device
}

func fileNumber(_ string, info fs.FileInfo) (device, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(stat.Dev), uint64(stat.Ino)
}
