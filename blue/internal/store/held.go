package store

import (
	"fmt"
	"os"
	"time"

	"blue/errors"
)

const (
	lockName = ".lock"

	// standInLock replaces the lock where the file system has no locks: the process that
	// creates this file holds the lock.
	standInLock = tempStart + "lock"
)

// Held is the write lock of a project, which has one holder among all processes. Only its
// methods change files. They ignore the caller's context: they finish what they have begun. A
// Held belongs to one goroutine. Defer [Held.Unlock] at once, and do not wait for a person
// while holding it.
type Held struct {
	By By // who makes the changes

	s           *Store
	file        *os.File  // .lock, nil once unlocked
	standInLine string    // content of the file that stands in for a lock; "" with a real lock
	state       lockState // content of .lock
	youngTemps  [2]bool   // directories of notes with temporary files that are too young to remove
	durable     bool      // everything that the present call wrote has reached the disk
}

// lockState is the content of .lock: the process that held the lock last, when leftovers were
// last removed, whether that process was stopped before it released the lock, and the times of
// the directories of notes in which it left nothing to sweep.
type lockState struct {
	pid        int
	tidied     time.Time
	held       int // 1 from the taking of the lock until its release
	sweptTimes [2]int64
}

// readLock reads .lock. Missing values are zero.
func readLock(file *os.File) (state lockState) {
	var line [128]byte
	n, _ := file.ReadAt(line[:], 0)
	var seconds int64
	got, _ := fmt.Sscanf(string(line[:n]), "%d %d %d %d %d\n", &state.pid, &seconds, &state.held, &state.sweptTimes[0], &state.sweptTimes[1])
	if got >= 2 {
		state.tidied = time.Unix(seconds, 0)
	}
	return state
}

// writeLock writes the state to .lock. If that fails, the next holder only does more work.
func writeLock(file *os.File, state lockState) {
	file.WriteAt(fmt.Appendf(nil, "%d %d %d %d %d\n", state.pid, state.tidied.Unix(), state.held, state.sweptTimes[0], state.sweptTimes[1]), 0)
}

// ErrAgain reports that a write conflicted with another one and must be repeated from its
// beginning.
var ErrAgain = errors.New("the write met another one")

// Commit does nothing, because each change of files is in place when its method returns.
func (h *Held) Commit() error { return nil }
