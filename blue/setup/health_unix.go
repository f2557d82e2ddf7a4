//go:build unix

package setup

import (
	"os/exec"

	"golang.org/x/sys/unix"
)

// writable reports whether this user may read, write and search the directory.
func writable(dir string) bool {
	return unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK) == nil
}

// endWithChildren lets a command that takes too long end with what it has started.
func endWithChildren(run *exec.Cmd) {
	run.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return unix.Kill(-run.Process.Pid, unix.SIGKILL) }
}
