//go:build unix

package setup

import "golang.org/x/sys/unix"

// writable reports whether this user may read, write and search the directory.
func writable(dir string) bool {
	return unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK) == nil
}
