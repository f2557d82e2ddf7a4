//go:build unix

package trust

import (
	"fmt"
	"os"
	"syscall"

	"blue/errors"
)

// identifyDir returns a mark that the directory at the physical path keeps as long as it
// exists, and that no other directory gets later: where the system says when the directory
// was made, its inode with that time, else device and inode.
func identifyDir(path string) (mark string, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("the system gives no inode")
	}
	if born := birthTime(path); born != "" { // the number of a device may change with each mount
		return fmt.Sprintf("%d@%s", stat.Ino, born), nil
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino), nil
}
