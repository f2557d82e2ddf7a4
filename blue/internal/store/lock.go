package store

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"blue/errors"
)

const (
	lockName = ".lock"
	lockWait = 5 * time.Second // then kind busy
	maxPause = 8 * time.Millisecond
)

// Held is the write lock of a project: one holder among all processes. Its
// methods are the only way to change a file, and they ignore whatever becomes of
// the caller's context: what has begun is finished. It belongs to one goroutine.
// Defer [Held.Unlock] at once, and ask nobody anything while holding it.
type Held struct {
	// Named, when it is not nil, is called with the revision of a note that has just been
	// put in place, in a goroutine of its own while its directory is flushed: what follows
	// from the note need not wait for the disk, only the answer must. It must not use the
	// Held.
	Named func(revision string)

	s       *Store
	file    *os.File  // .lock, nil once unlocked
	line    string    // content of the lock file that stands in for a lock, "" with a real one
	state   lockState // what .lock says
	young   [2]bool   // the directories of notes that have temporary files too young to go
	durable bool      // whether everything the present call wrote has reached the disk
}

// Lock takes the lock, waiting at most 5 s for others (kind busy, with the
// holder's process id when it is known), or until ctx ends. It also clears away what
// has outlived its use.
func (s *Store) Lock(ctx context.Context) (*Held, error) {
	deadline := time.Now().Add(lockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, maxPause) {
		h, err := s.try()
		if err == nil {
			h.tidy()
			return h, nil
		}
		if !errors.Is(err, errors.Busy) || time.Now().After(deadline) {
			return nil, err
		}
		// The pause is random, so that those who wait do not all come at once.
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the lock: %w", ctx.Err())
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// Unlock lets the lock go. A second call does nothing, so it may be deferred and
// called as well.
func (h *Held) Unlock() error {
	if h.file == nil {
		return nil
	}
	h.swept()
	if h.line != "" {
		h.s.dropLockFile(h.line)
	}
	err := h.file.Close()
	h.file = nil
	return err
}

// try takes the lock if it is free.
func (s *Store) try() (*Held, error) {
	file, err := s.openLock()
	if err != nil {
		return nil, err
	}
	h, err := s.lock(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return h, nil
}

// openLock opens .lock, which must be a regular file, and makes it when missing.
func (s *Store) openLock() (*os.File, error) {
	if seen, err := s.blue.Lstat(lockName); err == nil && !seen.Mode().IsRegular() {
		return nil, errors.NotRegular(s.place(lockName))
	}
	file, err := s.blue.OpenFile(lockName, os.O_RDWR|os.O_CREATE|nonblock, 0o644)
	if err == nil {
		return file, nil
	}
	// A lock file of another user of the same project can be locked all the same.
	if errors.Is(err, fs.ErrPermission) {
		if file, err := s.blue.OpenFile(lockName, os.O_RDONLY|nonblock, 0); err == nil {
			return file, nil
		}
	}
	return nil, errors.SaveFailed(marker+"/"+lockName, err)
}

// lock locks file, or takes the lock file where the file system has no locks.
func (s *Store) lock(file *os.File) (*Held, error) {
	err := flock(file)
	switch {
	case errors.Is(err, errLocked):
		return nil, errors.Locked(readLock(file).pid)
	case unlockable(err):
		line, err := s.takeLockFile()
		if err != nil {
			return nil, err
		}
		return &Held{s: s, file: file, line: line}, nil
	case err != nil:
		return nil, errors.SaveFailed(marker+"/"+lockName, err)
	}
	// Whoever cleans up ignored files may have removed .lock after we opened it,
	// and the next one locks another file. Ours counts only under its name.
	opened, err := file.Stat()
	if err != nil {
		return nil, errors.SaveFailed(marker+"/"+lockName, err)
	}
	if named, err := s.blue.Lstat(lockName); err != nil || !os.SameFile(opened, named) {
		return nil, errors.Locked(0)
	}
	return &Held{s: s, file: file}, nil
}

// lockState is what .lock says: the process that held it last, when the project was
// tidied last, whether that process was stopped before it let go, and the times of the
// directories of notes in which it left nothing to sweep.
type lockState struct {
	pid    int
	tidied time.Time
	held   bool
	swept  [2]int64
}

// readLock reads .lock; what it does not say is zero.
func readLock(file *os.File) (state lockState) {
	var line [128]byte
	n, _ := file.ReadAt(line[:], 0)
	var seconds, held int64
	got, _ := fmt.Sscanf(string(line[:n]), "%d %d %d %d %d\n", &state.pid, &seconds, &held, &state.swept[0], &state.swept[1])
	if got >= 2 {
		state.tidied = time.Unix(seconds, 0)
	}
	state.held = held == 1
	return state
}

// writeLock notes the state in .lock. That it can fail harms nobody.
func writeLock(file *os.File, state lockState) {
	held := 0
	if state.held {
		held = 1
	}
	file.WriteAt(fmt.Appendf(nil, "%d %d %d %d %d\n", state.pid, state.tidied.Unix(), held, state.swept[0], state.swept[1]), 0)
}
