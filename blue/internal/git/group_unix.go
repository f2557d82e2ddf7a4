//go:build unix

package git

import (
	"os"
	"syscall"
)

// ownGroup makes a process the leader of a process group, which can be signalled as a whole.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a process and its children to exit, so that git removes its locks.
func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// kill kills a process and its children.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
