package trust

import (
	"os"

	"golang.org/x/sys/windows"
)

// identifyDir returns the entry of the directory at the physical path; volume
// number and file index stand for device and inode.
func identifyDir(path string) (entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return entry{}, err
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return entry{}, err
	}
	index := uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	return entry{uint64(info.VolumeSerialNumber), index, path}, nil
}
