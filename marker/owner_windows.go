package marker

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// fold brings a path into the form in which paths are compared.
func fold(path string) string { return strings.ToLower(path) }

// open is false: the mode bits of Windows say nothing about who may write.
func open(fs.FileInfo) bool { return false }

// owner knows no uid.
func owner(fs.FileInfo) (uid int, ok bool) { return 0, false }

func self() int { return -1 }

// mount does not tell file systems apart: a walk stays on its drive anyway.
func mount(fs.FileInfo) uint64 { return 0 }

// number returns the volume and file index of the directory at path, zero when
// it cannot be opened.
func number(path string, _ fs.FileInfo) (device, inode uint64) {
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
