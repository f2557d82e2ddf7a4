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
	file    *os.File // .lock, nil once unlocked
	line    string   // content of the lock file that stands in for a lock, "" with a real one
	durable bool     // whether everything the present call wrote has reached the disk
}

// Lock takes the lock, waiting at most 5 s for others (kind busy, with the
// holder's process id when it is known), or until ctx ends. Once an hour for a
// project it also clears away what has outlived its use.
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
		holder, _ := readLock(file)
		return nil, errors.Locked(holder)
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

// readLock returns what .lock says: the process that held it last, and when the
// project was tidied last. Both are zero when it says nothing.
func readLock(file *os.File) (pid int, tidied time.Time) {
	var line [64]byte
	n, _ := file.ReadAt(line[:], 0)
	var seconds int64
	if got, _ := fmt.Sscanf(string(line[:n]), "%d %d\n", &pid, &seconds); got == 2 {
		tidied = time.Unix(seconds, 0)
	}
	return pid, tidied
}

// writeLock notes this process in .lock, for those who wait. That it can fail
// harms nobody.
func writeLock(file *os.File, tidied time.Time) {
	file.WriteAt(fmt.Appendf(nil, "%d %d\n", os.Getpid(), tidied.Unix()), 0)
}
