package trust

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// identifyDir returns a mark of the directory at the physical path: volume number and file
// index, which has a sequence number.
func identifyDir(path string) (mark string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &info); err != nil {
		return "", err
	}
	index := uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	return fmt.Sprintf("%d:%d", info.VolumeSerialNumber, index), nil
}
