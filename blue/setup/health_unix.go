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

// endWithChildren makes the cancellation of a command also kill its child processes.
func endWithChildren(run *exec.Cmd) {
	run.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return unix.Kill(-run.Process.Pid, unix.SIGKILL) }
}
