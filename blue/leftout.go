package blue

import (
	"slices"
	"syscall"

	"blue/errors"
)

// leaveOut goes on without a file or directory that cannot be read. It reports false
// when that may not be: without notes/ nothing is known of the project, and a process
// that has run out of files or memory would leave out what is in order.
func (p *Project) leaveOut(name string, err error) bool {
	code, _ := errors.AsType[syscall.Errno](err)
	if name == "" || name == "notes" || slices.Contains([]syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}, code) {
		return false
	}
	p.left.Add(name, err)
	return true
}
