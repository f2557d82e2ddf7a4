//go:build unix

package transport

import "golang.org/x/sys/unix"

// OpenFiles is how many files this process may have open, 0 when that is not known. At its
// start Go has raised the limit as far as it may.
func OpenFiles() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur)
}
