package store

import (
	"io/fs"
	"os"

	"blue/errors"

	"golang.org/x/sys/windows"
)

// cannotFlush reports whether the error means that the file system cannot flush.
func cannotFlush(err error) bool {
	return errors.Is(err, windows.ERROR_NOT_SUPPORTED) || errors.Is(err, windows.ERROR_INVALID_FUNCTION)
}

// processIsGone reports whether no process with this id runs on this host.
func processIsGone(pid int) bool {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_INVALID_PARAMETER)
	}
	defer windows.CloseHandle(process)
	state, err := windows.WaitForSingleObject(process, 0)
	return err == nil && state == windows.WAIT_OBJECT_0
}

// statEntry describes an entry of a directory without opening it. It leaves out the change time
// and the inode, for which the entry would have to be opened.
func statEntry(at *os.Root, _ *os.File, base string) (File, fs.FileMode, error) {
	info, err := at.Lstat(base)
	if err != nil {
		return File{}, 0, err
	}
	return File{Size: info.Size(), ModTime: info.ModTime()}, info.Mode(), nil
}
