package store

import (
	"fmt"
	"os"
	"time"

	"blue/errors"
)

const lockName = ".lock"

// Held is the write lock of a project, which has one holder among all processes. Only its
// methods change files. They ignore the caller's context: they finish what they have begun. A
// Held belongs to one goroutine. Defer [Held.Unlock] at once, and do not wait for a person
// while holding it.
type Held struct {
	By By // who makes the changes

	s       *Store
	file    *os.File  // .lock, nil once unlocked
	state   lockState // content of .lock
	durable bool      // everything that the present call wrote has reached the disk
}

// lockState is the content of .lock: the process that held the lock last, when leftovers were
// last removed, and whether that process was stopped before it released the lock.
type lockState struct {
	pid    int
	tidied time.Time
	held   int // 1 from the taking of the lock until its release
}

// readLock reads .lock. Missing values are zero.
func readLock(file *os.File) (state lockState) {
	var line [128]byte
	n, _ := file.ReadAt(line[:], 0)
	var seconds int64
	got, _ := fmt.Sscanf(string(line[:n]), "%d %d %d", &state.pid, &seconds, &state.held)
	if got >= 2 {
		state.tidied = time.Unix(seconds, 0)
	}
	return state
}

// writeLock writes the state to .lock. If that fails, the next holder only does more work.
func writeLock(file *os.File, state lockState) {
	file.WriteAt(fmt.Appendf(nil, "%d %d %d\n", state.pid, state.tidied.Unix(), state.held), 0)
}

// ErrAgain reports that a write conflicted with another one and must be repeated from its
// beginning.
var ErrAgain = errors.New("the write met another one")

// Commit does nothing, because each change of files is in place when its method returns.
func (h *Held) Commit() error { return nil }
