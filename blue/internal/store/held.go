package store

import (
	"fmt"
	"os"
	"slices"
	"strings"
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
	afterStop   bool      // the previous holder was stopped before it released the lock
	youngTemps  [2]bool   // directories of notes with temporary files that are too young to remove
	durable     bool      // everything that the present call wrote has reached the disk
	changed     []string  // ids of the notes that were changed under this lock
	unfinished  bool      // the next holder must complete what this one has left undone
}

// AfterStop reports whether the process that held the lock last was stopped before it released
// the lock. It may have written only some of the files that belong together.
func (h *Held) AfterStop() bool { return h.afterStop }

// Unfinished takes the failure of a change that consists of several steps. If some of them were
// made, the next holder of the lock completes the change, as after a stop, and the returned
// failure says so.
func (h *Held) Unfinished(err error) error {
	if len(h.changed) == 0 {
		return err
	}
	h.unfinished = true
	e := *errors.Of(err)
	shown := errors.Lines(h.changed, 3, 80)
	for i := range shown {
		shown[i] = errors.Quote(shown[i])
	}
	if more := len(h.changed) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	e.Message += "; changed before that: " + strings.Join(shown, ", ")
	e.Hints = slices.Clone(e.Hints)
	return e.Hint("", "", "the next command that writes finishes the change, as soon as it can be saved")
}

// LeaveUnfinished makes the next holder of the lock look again for what a stopped one has left
// undone.
func (h *Held) LeaveUnfinished() { h.unfinished = true }

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
