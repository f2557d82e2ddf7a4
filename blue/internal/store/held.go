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

	// standInLock stands in for the lock where the file system has none: the process that
	// creates it holds the lock.
	standInLock = tempStart + "lock"
)

// Held is the write lock of a project: one holder among all processes. Its
// methods are the only way to change a file, and they ignore whatever becomes of
// the caller's context: what has begun is finished. It belongs to one goroutine.
// Defer [Held.Unlock] at once, and ask nobody anything while holding it.
type Held struct {
	By By // who makes the changes

	s           *Store
	file        *os.File  // .lock, nil once unlocked
	standInLine string    // content of the lock file that stands in for a lock, "" with a real one
	state       lockState // what .lock says
	afterStop   bool      // whether the holder before was stopped before it let go
	youngTemps  [2]bool   // the directories of notes that have temporary files too young to go
	durable     bool      // whether everything the present call wrote has reached the disk
	changed     []string  // ids of the notes that were changed under this lock
	unfinished  bool      // the next holder is to do what a stopped one has left
}

// AfterStop reports whether the process that held the lock last was stopped before it let
// go: of what belongs together it may have written a part.
func (h *Held) AfterStop() bool { return h.afterStop }

// Unfinished takes the failure of a change that consists of several steps. When some of
// them were made, the next holder of the lock finishes the change, as after a stop, and the
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

// LeaveUnfinished makes the next holder of the lock look again for what a stopped one has
// left.
func (h *Held) LeaveUnfinished() { h.unfinished = true }

// lockState is what .lock says: the process that held the lock last, when leftovers were
// last removed, whether that process was stopped before it let go, and the times of the
// directories of notes in which it left nothing to sweep.
type lockState struct {
	pid        int
	tidied     time.Time
	held       int // 1 from the taking of the lock until it is let go
	sweptTimes [2]int64
}

// readLock reads .lock; what it does not say is zero.
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

// writeLock notes the state in .lock. When it fails, the next holder only does more.
func writeLock(file *os.File, state lockState) {
	file.WriteAt(fmt.Appendf(nil, "%d %d %d %d %d\n", state.pid, state.tidied.Unix(), state.held, state.sweptTimes[0], state.sweptTimes[1]), 0)
}

// ErrAgain says that a write met another one and has to be made anew from its beginning.
var ErrAgain = errors.New("the write met another one")

// Alone reports that nobody else writes through Blue: there is a lock.
func (h *Held) Alone() bool { return true }

// Commit does nothing: each change of files is in place when its method returns.
func (h *Held) Commit() error { return nil }
