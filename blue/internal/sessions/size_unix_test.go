//go:build unix

package sessions

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is that of this process until now.
func processorTime() time.Duration {
	var used unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// residentMemory is that of this process now, in bytes; 0 where /proc does not say.
func residentMemory() int {
	var all, resident int
	text, _ := os.ReadFile("/proc/self/statm")
	_, _ = fmt.Sscan(string(text), &all, &resident)
	return resident * os.Getpagesize()
}
