//go:build unix

package git

import (
	"os"
	"syscall"
)

// ownGroup makes a process the first of a group, which ends as one.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a process and its children to end: git takes its locks away then.
func terminate(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// kill ends a process and its children.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
