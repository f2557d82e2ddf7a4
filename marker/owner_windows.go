package marker

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// foldPath returns the form in which paths are compared.
func foldPath(path string) string { return strings.ToLower(path) }

// isWorldWritable returns false, because mode bits on Windows do not say who may write.
func isWorldWritable(fs.FileInfo) bool { return false }

// ownerUID returns false, because there are no uids.
func ownerUID(fs.FileInfo) (uid int, ok bool) { return 0, false }

// fileNumber returns the volume and file index of the directory at path, or zeros if it cannot be
// opened.
func fileNumber(path string, _ fs.FileInfo) (device, inode uint64) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0
	}
	defer func() { _ = f.Close() }()
	var file syscall.ByHandleFileInformation
	if syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &file) != nil {
		return 0, 0
	}
	return uint64(file.VolumeSerialNumber), uint64(file.FileIndexHigh)<<32 | uint64(file.FileIndexLow)
}
