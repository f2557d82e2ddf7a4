//go:build unix

package trust

import (
	"os"
	"syscall"

	"blue/errors"
)

// identifyDir returns the entry of the directory at the physical path.
func identifyDir(path string) (entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return entry{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return entry{}, errors.New("the system gives no inode")
	}
	return entry{uint64(stat.Dev), uint64(stat.Ino), path}, nil
}
