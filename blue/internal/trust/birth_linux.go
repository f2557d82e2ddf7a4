package trust

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// birthTime returns the creation time of a directory, or "" if the file system does not record it.
// Linux reuses inode numbers.
func birthTime(path string) string {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &stat)
	if err != nil || stat.Mask&unix.STATX_BTIME == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%09d", stat.Btime.Sec, stat.Btime.Nsec)
}
