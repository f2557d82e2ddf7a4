//go:build unix

package marker

import (
	"io/fs"
	"syscall"
)

// foldPath returns the form in which paths are compared. On systems whose file systems partly
// ignore case, paths are compared exactly, so that no other spelling extends the list of
// directories that a server may serve.
func foldPath(path string) string { return path }

// isWorldWritable reports whether everyone may write in the directory.
func isWorldWritable(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }

// ownerUID returns the uid of the owner of a file, or false if the system has none.
func ownerUID(info fs.FileInfo) (uid int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}

func fileNumber(_ string, info fs.FileInfo) (device, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(stat.Dev), uint64(stat.Ino)
}
