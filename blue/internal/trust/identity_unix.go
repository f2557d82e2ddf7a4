//go:build unix

package trust

import (
	"fmt"
	"os"
	"syscall"

	"blue/errors"
)

// identifyDir returns a mark that identifies a directory for as long as it exists and is not
// reused: inode and creation time if the system records that, else device and inode.
func identifyDir(path string) (mark string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("the system gives no inode")
	}
	if born := birthTime(path); born != "" { // device numbers may change with each mount
		return fmt.Sprintf("%d@%s", stat.Ino, born), nil
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino), nil
}
