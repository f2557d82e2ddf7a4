//go:build unix

package transport

import "golang.org/x/sys/unix"

// OpenFiles returns how many files this process may have open, 0 if unknown. Go raises the soft
// limit at its start as far as it may.
func OpenFiles() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur)
}
