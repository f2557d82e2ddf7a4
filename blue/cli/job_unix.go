//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// readInBackground makes a read from the terminal fail, not stop the process, where it runs as a
// background job.
func readInBackground() { signal.Ignore(syscall.SIGTTIN) }
